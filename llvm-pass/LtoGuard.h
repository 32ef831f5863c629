// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps an LTO link from dropping sleds in silence. A module compiled for LTO
// carries a reference to an undefined symbol; code generation with this library
// removes it. Where an LTO link generates the code without the library, the
// linker names the symbol, and its name says what to do.

#ifndef TP_LTOGUARD_H
#define TP_LTOGUARD_H

namespace llvm {
class Module;
}

namespace tp {
void addLtoGuard(llvm::Module &M);
bool removeLtoGuard(llvm::Module &M);
} // namespace tp

#endif
