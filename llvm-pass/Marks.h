// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels by which the machine passes tell the emitter where sleds are, and
// which instructions get one. No state; on the thread that compiles.

#ifndef TP_MARKS_H
#define TP_MARKS_H

#include "llvm/CodeGen/MachineBasicBlock.h"

namespace tp {

/// What an annotation label of ours stands for. The instruction's flags carry
/// it (exact, nofpexcept: they mean nothing at a label and are parsed), so it
/// is kept in MIR files and no symbol names are compared. On ELF nothing else
/// makes such labels: they belong to CodeView.
enum class Mark {
  None,
  Entry,
  Exit,     ///< before a return
  TailExit, ///< before a jump to another function
  Fence     ///< behind an AArch64 nop: see addFencedNop
};
Mark markOf(const llvm::MachineInstr &MI);

/// The label in \p MF that marks the entry sled, or null.
const llvm::MachineInstr *findEntryLabel(const llvm::MachineFunction &MF);

/// Puts a label of kind \p M, called \p Name, before \p Where.
void addLabel(llvm::MachineBasicBlock &Block,
              llvm::MachineBasicBlock::iterator Where,
              const llvm::DebugLoc &Line, Mark M, llvm::StringRef Name);

/// Puts a nop of the target before \p Where, and a fence behind the nop. The
/// machine outliner leaves labels where they are, and never outlines a single
/// instruction. So a nop between two labels stays, and what follows the fence
/// stays behind it.
void addFencedNop(llvm::MachineBasicBlock &Block,
                  llvm::MachineBasicBlock::iterator Where,
                  const llvm::DebugLoc &Line);

/// XRay on x86-64 packs a tail call up with its sled; the jump's opcode is then
/// the first operand, and its own operands follow. (On AArch64 the same opcode
/// without operands is XRay's sled alone.)
bool isXRayTailCall(const llvm::MachineInstr &MI);

/// Exit or TailExit if \p MI leaves the function in a way that gets a sled.
Mark exitOf(const llvm::MachineInstr &MI);

} // namespace tp

#endif
