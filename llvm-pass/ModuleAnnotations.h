// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the attributes that clang-plugin/ left as annotations out of a module,
// for the decision pass. On the thread that compiles the module.

#ifndef TP_MODULEANNOTATIONS_H
#define TP_MODULEANNOTATIONS_H

#include "SourceDecision.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tp {

using AttributeMap = llvm::DenseMap<const llvm::Function *, SourceAttributes>;

/// Removes our annotations from llvm.global.annotations, where they would keep
/// inlined functions alive. The annotations of others stay. Sets \p Changed if
/// there were some of ours.
AttributeMap takeAnnotations(llvm::Module &M, bool &Changed);

/// What holds for \p F. A part of another function has attributes from there: a
/// region has all of them, as it runs where the function would run it. A block
/// is called by others, and has what is around the function.
SourceAttributes attributesFor(const llvm::Function &F,
                               const AttributeMap &All);

/// Whether attributesFor() takes the attributes of \p F from another function.
bool isPartOfFunction(const llvm::Function &F);

} // namespace tp

#endif
