// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleds on AArch64: one NOP, which a flip replaces by `b`.
//
// If the M nops before the label have room for a veneer, these nops are the
// entry's slot. Through the veneer, a sled can lead to a stub that is too far
// away for `b` (docs/reference/table-abi.md). Each further six nops are the
// slot of an exit.

#include "LlvmCompat.h"
#include "WordSledTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/TargetParser/Triple.h"

#include <limits>

using namespace llvm;

namespace tp {
namespace {

/// The size of libtprt's veneer: four instructions and an address.
constexpr unsigned VeneerWords = 6;

class AArch64Target final : public WordSledTarget {
public:
  StringRef name() const override { return "little-endian AArch64"; }
  bool handles(const Triple &T) const override {
    return T.getArch() == Triple::aarch64 &&
           T.getEnvironment() != Triple::GNUILP32;
  }

  std::optional<unsigned> landingPadBytes(StringRef Opcode) const override;

  unsigned exitSlot(const MachineInstr &Leaving, const SledLayout &Entry,
                    unsigned Before, unsigned Earlier) const override;
  ExitUnwind exitUnwind() const override { return ExitUnwind::Right; }
  StringRef emptyRelocation() const override { return "R_AARCH64_NONE"; }

  uint8_t attributeNeeds(const Function &F) const override;
  uint8_t registerNeeds(StringRef Kind, unsigned Number,
                        bool IsReturn) const override;
  bool hasResultPointerRegister() const override { return true; } // x8
  bool hasHardFloat(StringRef Features) const override {
    return !Features.contains("-fp-armv8") && !Features.contains("-neon");
  }

protected:
  uint32_t nop() const override { return 0xd503201f; }
  unsigned veneerWords() const override { return VeneerWords; }
};

/// `bti c` and `paciasp` are hints.
std::optional<unsigned> AArch64Target::landingPadBytes(StringRef Opcode) const {
  return Opcode == "HINT" ? std::optional(WordBytes) : std::nullopt;
}

/// A veneer changes x16. With BTI, jumps through pointers go through x16, so
/// such a jump has no slot.
unsigned AArch64Target::exitSlot(const MachineInstr &Leaving,
                                 const SledLayout &Entry, unsigned Before,
                                 unsigned Earlier) const {
  const TargetRegisterInfo &TRI =
      *Leaving.getMF()->getSubtarget().getRegisterInfo();
  bool ByX16 = Leaving.getNumOperands() && Leaving.getOperand(0).isReg() &&
               StringRef("X16") == TRI.getName(Leaving.getOperand(0).getReg());
  unsigned Slot = Entry.Slot + (Earlier + 1) * VeneerWords * WordBytes;
  bool HasRoom = Entry.Slot && (Earlier + 2) * VeneerWords <= Before &&
                 Slot <= std::numeric_limits<uint8_t>::max();
  return HasRoom && !ByX16 ? Slot : 0;
}

/// The attributes of functions that are called in streaming mode, or with ZA or
/// ZT0 live (ACLE, "SME attributes"). Attributes that concern only the body are
/// left out.
uint8_t AArch64Target::attributeNeeds(const Function &F) const {
  for (StringRef SME :
       {"aarch64_pstate_sm_enabled", "aarch64_pstate_sm_compatible",
        "aarch64_in_za", "aarch64_out_za", "aarch64_inout_za",
        "aarch64_preserves_za", "aarch64_za_state_agnostic", "aarch64_in_zt0",
        "aarch64_out_zt0", "aarch64_inout_zt0", "aarch64_preserves_zt0"})
    if (F.hasFnAttribute(SME))
      return TPRT_NEEDS_STREAMING;
  return 0;
}

/// AAPCS64 passes values in the first eight registers of a class.
uint8_t AArch64Target::registerNeeds(StringRef Kind, unsigned Number,
                                     bool) const {
  uint8_t Other = Number > 7 ? TPRT_NEEDS_OTHER : 0;
  if (is_contained({"Z", "P", "PN"}, Kind))
    return TPRT_NEEDS_SCALABLE | Other;
  if (is_contained({"ZA", "ZT", "ZAB", "ZAQ"}, Kind))
    return TPRT_NEEDS_STREAMING;
  return is_contained({"Q", "D", "S", "H", "B"}, Kind) ? Other : 0;
}

} // namespace

const SledTarget &AArch64SledTarget() {
  static const AArch64Target Target;
  return Target;
}

} // namespace tp
