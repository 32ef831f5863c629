// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledSpec.h.

#include "SledSpec.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tp {

std::string EntrySpec::str() const {
  return (Twine(Total) + "," + Twine(Before)).str();
}

std::optional<EntrySpec> parseEntrySpec(StringRef Text, std::string &Expected) {
  auto [First, Second] = Text.split(',');
  bool HasSecond = Text.contains(',');
  EntrySpec Spec;
  // Digits alone: getAsInteger would take a sign and "0x" as well.
  auto Number = [](StringRef S, unsigned &Value) {
    return !S.empty() && all_of(S, isDigit) && !S.getAsInteger(10, Value) &&
           Value <= MaxNops;
  };
  if (!Number(First, Spec.Total) ||
      (HasSecond && !Number(Second, Spec.Before))) {
    Expected = "expected N or N,M: decimal numbers, N from 0 to 65535";
    return std::nullopt;
  }
  if (Spec.Before > Spec.Total) {
    Expected = "expected M, the nops before the entry label, to be at most N";
    return std::nullopt;
  }
  return Spec;
}

std::optional<EntrySpec> entrySpecOf(const Function &F) {
  Attribute A = F.getFnAttribute(EntryAttr);
  if (!A.isValid() || F.hasFnAttribute(NeverAttr) ||
      F.hasFnAttribute(Attribute::Naked))
    return std::nullopt;
  std::string Ignored;
  auto Spec = parseEntrySpec(A.getValueAsString(), Ignored);
  return Spec && Spec->Total ? Spec : std::nullopt;
}

bool exitWanted(const Function &F) {
  return F.hasFnAttribute(ExitAttr) && !F.hasFnAttribute(NeverAttr) &&
         !F.hasFnAttribute(Attribute::Naked);
}

bool slotAllowed(const Function &F) {
  return F.getFnAttribute(SlotAttr).getValueAsString() != "none";
}

unsigned thresholdOf(const Function &F) {
  unsigned K = 0;
  (void)F.getFnAttribute(ThresholdAttr).getValueAsString().getAsInteger(10, K);
  return K;
}

bool isOpaque(const Function &F) { return F.hasFnAttribute(OpaqueAttr); }

void setLayout(Function &F, const SledLayout &L) {
  F.addFnAttr(SledAttr, std::to_string(L.Shape) + "," + std::to_string(L.Slot) +
                            "," + std::to_string(L.Filler) + "," +
                            std::to_string(L.Bytes));
}

std::optional<SledLayout> layoutOf(const Function &F) {
  SmallVector<StringRef, 4> Parts;
  F.getFnAttribute(SledAttr).getValueAsString().split(Parts, ',');
  SledLayout L;
  if (Parts.size() != 4 || Parts[0].getAsInteger(10, L.Shape) ||
      Parts[1].getAsInteger(10, L.Slot) ||
      Parts[2].getAsInteger(10, L.Filler) || Parts[3].getAsInteger(10, L.Bytes))
    return std::nullopt;
  return L;
}

bool isSupported(const Triple &T) {
  if (!T.isOSBinFormatELF())
    return false;
  if (T.getArch() == Triple::x86_64)
    return !T.isX32();
  return T.getArch() == Triple::aarch64 &&
         T.getEnvironment() != Triple::GNUILP32;
}

std::string unsupported(const Triple &T) {
  return "tp: no sleds for target '" + T.str() +
         "': expected x86-64 or little-endian AArch64, ELF, with 64-bit "
         "pointers";
}

} // namespace tp
