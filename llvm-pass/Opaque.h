// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides functions from interprocedural optimisation, as tp_opaque promises.
// hide() works before the optimiser and unhide() at the start of code
// generation. In between everything may travel through bitcode. On the thread
// that compiles the module.

#ifndef TP_OPAQUE_H
#define TP_OPAQUE_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tp {

/// Hides \p F. False if \p F is always_inline, which says the opposite.
bool hide(llvm::Function &F);

/// Removes what hide() put in for the optimiser alone. The attribute
/// "tp-opaque" stays. Returns whether anything changed.
bool unhide(llvm::Module &M);

} // namespace tp

#endif
