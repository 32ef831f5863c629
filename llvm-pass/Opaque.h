// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides functions from interprocedural optimisation, as tp_opaque promises.
// Hider runs before the optimiser, and unhide() at the start of code
// generation. In between, the module may pass through bitcode. Both run on the
// thread that compiles the module.

#ifndef TP_OPAQUE_H
#define TP_OPAQUE_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class GlobalValue;
class Module;
} // namespace llvm

namespace tp {

/// Hides functions of one module. The module's lists of used functions are read
/// once and written once at the end, because each change copies the whole list.
class Hider {
public:
  explicit Hider(llvm::Module &M);
  ~Hider();
  Hider(const Hider &) = delete;
  Hider &operator=(const Hider &) = delete;

  /// Hides \p F. Returns false if \p F is always_inline, which contradicts
  /// hiding.
  bool hide(llvm::Function &F);

private:
  llvm::Module &M;
  llvm::DenseSet<const llvm::GlobalValue *> Used;
  llvm::SmallVector<llvm::GlobalValue *> Held;
};

/// Removes everything that Hider added only for the optimiser. The attribute
/// "tp-opaque" remains. Returns whether the module has changed.
bool unhide(llvm::Module &M);

} // namespace tp

#endif
