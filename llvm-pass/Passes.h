// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code generation passes, by which registration inserts them. Each runs on
// the thread that compiles the module and keeps no state between functions.

#ifndef TP_PASSES_H
#define TP_PASSES_H

namespace llvm {
class PassRegistry;
} // namespace llvm

namespace tp {

/// tp-sleds: marks the sled in the entry block; on AArch64 inserts its nops.
extern char &SledPassID;

/// tp-layout: chooses the shape once landing pads stand, and makes room before
/// the entry label.
extern char &LayoutPassID;

/// tp-exits: marks returns and tail calls, with nops on AArch64.
extern char &ExitPassID;

void registerSledPass(llvm::PassRegistry &Registry);
void registerLayoutPass(llvm::PassRegistry &Registry);
void registerExitPass(llvm::PassRegistry &Registry);

} // namespace tp

#endif
