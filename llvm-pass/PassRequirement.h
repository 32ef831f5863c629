// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps sleds from being dropped in silence where another command generates the
// code: an LTO link, or a compilation of bitcode. The module then requires this
// library, by a reference to an undefined symbol that only code generation with
// the library removes. Without the library the linker names the symbol, and its
// name says what to do. On the thread that compiles the module.

#ifndef TP_PASSREQUIREMENT_H
#define TP_PASSREQUIREMENT_H

namespace llvm {
class Module;
}

namespace tp {
void addPassRequirement(llvm::Module &M);
/// Returns whether there was one.
bool removePassRequirement(llvm::Module &M);
} // namespace tp

#endif
