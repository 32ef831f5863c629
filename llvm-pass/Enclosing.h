// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang makes separate functions from some parts of a function's source. This
// file finds the function in which such a part was written. No state; safe on
// every thread.

#ifndef TP_ENCLOSING_H
#define TP_ENCLOSING_H

namespace llvm {
class Function;
} // namespace llvm

namespace tp {

/// The function that \p F is a region of: an OpenMP parallel region, task or
/// loop. Null if \p F is not such a part.
const llvm::Function *regionOf(const llvm::Function &F);

/// The function that contains the block (`^{ … }`) whose code is \p F. Null if
/// \p F is not a block's code.
const llvm::Function *blockOf(const llvm::Function &F);

} // namespace tp

#endif
