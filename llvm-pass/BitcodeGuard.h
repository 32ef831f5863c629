// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps sleds from being dropped in silence where another command generates the
// code: an LTO link, or a compilation of bitcode. The module carries a
// reference to an undefined symbol; code generation with this library removes
// it. Without the library the linker names the symbol, and its name says what
// to do.

#ifndef TP_BITCODEGUARD_H
#define TP_BITCODEGUARD_H

namespace llvm {
class Module;
}

namespace tp {
void addBitcodeGuard(llvm::Module &M);
bool removeBitcodeGuard(llvm::Module &M);
} // namespace tp

#endif
