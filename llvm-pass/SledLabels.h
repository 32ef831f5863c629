// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels by which the machine passes mark sleds for the emitter, and the
// choice of instructions that get an exit sled. No state; used on the thread
// that compiles.

#ifndef TP_SLEDLABELS_H
#define TP_SLEDLABELS_H

#include "llvm/CodeGen/MachineBasicBlock.h"

namespace tp {

/// The kind of one of our annotation labels. The label's instruction stores the
/// kind as flags, which MIR files keep, so no symbol names are compared. The
/// flags are "exact" and "nofpexcept", which have no meaning at a label. On
/// ELF, only tp makes annotation labels: LLVM makes them only for CodeView.
enum class SledLabel {
  None,
  Entry,
  Exit,     ///< before a return
  TailExit, ///< before a jump to another function
  Fence     ///< after a nop instruction: see addFencedNop
};
SledLabel labelOf(const llvm::MachineInstr &MI);

/// The label of the entry sled in \p MF, or null.
const llvm::MachineInstr *findEntryLabel(const llvm::MachineFunction &MF);

/// Puts a label of kind \p Kind, with a symbol called \p Name, before \p Where.
void addLabel(llvm::MachineBasicBlock &Block,
              llvm::MachineBasicBlock::iterator Where,
              const llvm::DebugLoc &Line, SledLabel Kind, llvm::StringRef Name);

/// Puts a nop of the target before \p Where, and a fence after the nop. The
/// machine outliner does not move labels, and never outlines a single
/// instruction. So a nop between two labels stays in place, and the code after
/// the fence stays after the nop.
void addFencedNop(llvm::MachineBasicBlock &Block,
                  llvm::MachineBasicBlock::iterator Where,
                  const llvm::DebugLoc &Line);

/// Whether \p MI is a tail call that XRay has wrapped together with its own
/// sled, as on x86-64. The jump's opcode is then the first operand, and the
/// jump's operands follow. (On AArch64, the same opcode has no operands and is
/// only XRay's sled.)
bool isXRayTailCall(const llvm::MachineInstr &MI);
/// Whether \p MI is such a tail call, or a return or tail call that XRay has
/// wrapped in the same way as a return.
bool isWrapped(const llvm::MachineInstr &MI);
/// The opcode of the return or jump \p MI, without XRay's wrapping.
unsigned exitOpcode(const llvm::MachineInstr &MI);

/// The kind of label that \p MI needs before it: Exit or TailExit if \p MI
/// leaves the function and gets a sled, otherwise None.
SledLabel exitOf(const llvm::MachineInstr &MI);

} // namespace tp

#endif
