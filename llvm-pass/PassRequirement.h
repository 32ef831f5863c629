// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another command may generate the code: an LTO link, or a compilation of
// bitcode. Without this library, that command would silently drop the sleds. So
// the module refers to an undefined symbol, and only code generation with this
// library removes that reference. Otherwise the linker reports the symbol,
// whose name tells the user what to do. Runs on the thread that compiles the
// module.

#ifndef TP_PASSREQUIREMENT_H
#define TP_PASSREQUIREMENT_H

namespace llvm {
class Module;
}

namespace tp {
void addPassRequirement(llvm::Module &M);
/// Returns whether the module had a requirement.
bool removePassRequirement(llvm::Module &M);
} // namespace tp

#endif
