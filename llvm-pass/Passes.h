// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of code generation. Registration.cpp inserts them. Each runs on
// the thread that compiles the module and keeps no state between functions.

#ifndef TP_PASSES_H
#define TP_PASSES_H

namespace llvm {
class PassRegistry;
} // namespace llvm

namespace tp {

/// tp-sleds: labels the entry sled. If sleds are instructions (AArch64,
/// PowerPC64), the pass inserts their nops.
extern char &SledPassID;

/// tp-layout: chooses the entry sled's shape once the landing pads are in
/// place, and reserves bytes before the entry label.
extern char &LayoutPassID;

/// tp-exits: labels returns and tail calls. If sleds are instructions
/// (AArch64, PowerPC64), the pass inserts their nops.
extern char &ExitPassID;

void registerSledPass(llvm::PassRegistry &Registry);
void registerLayoutPass(llvm::PassRegistry &Registry);
void registerExitPass(llvm::PassRegistry &Registry);

} // namespace tp

#endif
