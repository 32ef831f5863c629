// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleds on little-endian PowerPC64 with the ABI ELFv2: one nop, which a flip
// replaces by `b`.
//
// A function that uses the TOC has two entries. The global entry is at the
// function's symbol. It computes r2, and continues at the local entry, 8 bytes
// later ("OpenPOWER 64-Bit ELF V2 ABI Specification", "Function Prologue").
// LLVM writes the code between the two entries outside all blocks, so the first
// block begins at the local entry, and threads from both entries execute the
// sled there. The M nops before the label are before the global entry.

#include "LlvmCompat.h"
#include "SledLabels.h"
#include "WordSledTarget.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tp {
namespace {

class PPC64Target final : public WordSledTarget {
public:
  StringRef name() const override { return "little-endian PowerPC64"; }
  bool handles(const Triple &T) const override {
    return T.getArch() == Triple::ppc64le;
  }
  std::string abiRefusal(const TargetMachine &TM) const override;

  bool isReturn(StringRef Opcode) const override;
  /// The jump, such as TAILB8, precedes it (PPCFrameLowering::emitEpilogue).
  bool isLeftover(StringRef Opcode) const override {
    return Opcode.starts_with("TCRETURN");
  }
  std::optional<unsigned> landingPadBytes(StringRef) const override {
    return std::nullopt;
  }
  MachineInstr &makeUnconditional(MachineInstr &Return) const override;

  ExitUnwind exitUnwind() const override { return ExitUnwind::KeepsFrame; }
  StringRef emptyRelocation() const override { return "R_PPC64_NONE"; }

  uint8_t registerNeeds(StringRef Kind, unsigned Number,
                        bool IsReturn) const override;
  bool hasParameterArea() const override { return true; }
  bool hasResultPointerRegister() const override { return false; }
  bool hasHardFloat(StringRef Features) const override {
    return !Features.contains("-hard-float");
  }

protected:
  uint32_t nop() const override { return 0x60000000; } // ori 0,0,0
  unsigned veneerWords() const override { return 0; }
};

} // namespace

const SledTarget &PPC64SledTarget() {
  static const PPC64Target Target;
  return Target;
}

/// With ELFv1, a function's symbol is in section .opd, and names no code.
std::string PPC64Target::abiRefusal(const TargetMachine &TM) const {
  if (!StringRef(TM.Options.MCOptions.getABIName()).starts_with("elfv1"))
    return "";
  return "tp: no sleds with -mabi=elfv1 on little-endian PowerPC64: use "
         "-mabi=elfv2";
}

//===--- Instructions ---===//

/// Conditional returns, which PPCEarlyReturn makes, and the branches that jump
/// on the same conditions.
static constexpr struct {
  StringLiteral Return, Branch;
} ConditionalReturns[] = {{"BCCLR", "BCC"},
                          {"BCLR", "BC"},
                          {"BCLRn", "BCn"},
                          {"BDNZLR8", "BDNZ8"},
                          {"BDZLR8", "BDZ8"}};

/// The branch that jumps if the conditional return \p Opcode returns.
static unsigned branchLike(const TargetInstrInfo &TII, unsigned Opcode) {
  static const DenseMap<unsigned, unsigned> Branches = [&] {
    DenseMap<unsigned, unsigned> Map;
    for (const auto &[Return, Branch] : ConditionalReturns)
      Map[findOpcode(TII, Return)] = findOpcode(TII, Branch);
    return Map;
  }();
  return Branches.lookup(Opcode);
}

bool PPC64Target::isReturn(StringRef Opcode) const {
  return Opcode == "BLR8" || any_of(ConditionalReturns, [&](const auto &C) {
           return C.Return == Opcode;
         });
}

/// Appends to \p To the return that the conditional \p Return makes if its
/// condition holds.
static MachineInstr &appendReturn(MachineBasicBlock &To, MachineInstr &Return) {
  const TargetInstrInfo &TII = *To.getParent()->getSubtarget().getInstrInfo();
  static const unsigned Opcode = findOpcode(TII, "BLR8");
  bool XRay = isWrapped(Return);
  MachineInstrBuilder Built =
      BuildMI(To, To.end(), Return.getDebugLoc(),
              XRay ? Return.getDesc() : TII.get(Opcode));
  if (XRay)
    Built.addImm(Opcode);
  // The registers of the result.
  for (const MachineOperand &Operand : Return.implicit_operands())
    if (Operand.isReg() && Operand.isUse() &&
        !Built->readsRegister(Operand.getReg(), /*TRI=*/nullptr))
      Built.addReg(Operand.getReg(), RegState::Implicit);
  return *Built;
}

/// The block with the return becomes the function's last. So a thread that does
/// not return executes as many instructions as before. Branch selection runs
/// later, and knows what to do if the block is far away.
MachineInstr &PPC64Target::makeUnconditional(MachineInstr &Return) const {
  MachineBasicBlock &Block = *Return.getParent();
  MachineFunction &MF = *Block.getParent();
  MachineBasicBlock *Taken = MF.CreateMachineBasicBlock();
  MF.push_back(Taken);
  Block.addSuccessorWithoutProb(Taken);
  MachineInstr &Exit = appendReturn(*Taken, Return);
  LivePhysRegs Live;
  computeAndAddLiveIns(Live, *Taken);

  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  MachineInstrBuilder Branch =
      BuildMI(Block, Return.getIterator(), Return.getDebugLoc(),
              TII.get(branchLike(TII, exitOpcode(Return))));
  // The condition: a predicate and a field, or a bit, or nothing.
  for (const MachineOperand &Operand :
       drop_begin(Return.explicit_operands(), isWrapped(Return)))
    Branch.add(Operand);
  Branch.addMBB(Taken);
  Return.eraseFromParent();
  return Exit;
}

//===--- Registers ---===//

/// ELFv2 passes values in f1 to f13 and v2 to v13. "VF" is a part of a vector
/// register, and VSL of a number is the register that contains f of the number.
uint8_t PPC64Target::registerNeeds(StringRef Kind, unsigned Number,
                                   bool) const {
  if (is_contained({"F", "VSL"}, Kind))
    return Number < 1 || Number > 13 ? TPRT_NEEDS_OTHER : 0;
  if (is_contained({"V", "VF"}, Kind))
    return Number < 2 || Number > 13 ? TPRT_NEEDS_OTHER : 0;
  // Pairs of vectors, accumulators, and the registers of SPE.
  return is_contained({"VSRp", "ACC", "UACC", "WACC", "WACC_HI", "DMR", "S"},
                      Kind)
             ? TPRT_NEEDS_OTHER
             : 0;
}

} // namespace tp
