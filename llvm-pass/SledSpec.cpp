// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SledSpec.h.

#include "SledSpec.h"
#include "SourceDecision.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tp {

static constexpr StringLiteral EntryAttr = "tp-entry";
static constexpr StringLiteral ExitAttr = "tp-exit";
static constexpr StringLiteral SlotAttr = "tp-slot";
static constexpr StringLiteral ThresholdAttr = "tp-instruction-threshold";
static constexpr StringLiteral NeverAttr = "tp-never";
static constexpr StringLiteral NamesAttr = "tp-names";
static constexpr StringLiteral SledAttr = "tp-sled";

void writeSledSpec(Function &F, const SourceDecision &D, bool SlotAllowed,
                   bool Names) {
  if (D.Entry)
    F.addFnAttr(EntryAttr, D.Entry->str());
  if (D.Exit)
    F.addFnAttr(ExitAttr);
  if (D.Entry && !SlotAllowed)
    F.addFnAttr(SlotAttr, "none");
  if (D.Threshold)
    F.addFnAttr(ThresholdAttr, std::to_string(D.Threshold));
  if (Names)
    F.addFnAttr(NamesAttr);
}

void forbidSleds(Function &F) { F.addFnAttr(NeverAttr); }

void dropSleds(Function &F) {
  F.removeFnAttr(EntryAttr);
  F.removeFnAttr(ExitAttr);
}

bool isDecided(const Function &F) {
  return F.hasFnAttribute(EntryAttr) || F.hasFnAttribute(ExitAttr) ||
         F.hasFnAttribute(NeverAttr);
}

std::optional<EntrySpec> entrySpecOf(const Function &F) {
  Attribute A = F.getFnAttribute(EntryAttr);
  if (!A.isValid() || F.hasFnAttribute(NeverAttr) ||
      F.hasFnAttribute(Attribute::Naked))
    return std::nullopt;
  auto Spec = EntrySpec::parse(A.getValueAsString());
  if (!Spec) {
    consumeError(Spec.takeError());
    return std::nullopt;
  }
  return Spec->Total ? std::optional(*Spec) : std::nullopt;
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

bool nameWanted(const Function &F) { return F.hasFnAttribute(NamesAttr); }

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

} // namespace tp
