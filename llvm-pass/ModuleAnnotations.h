// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extracts from a module the attributes that clang-plugin/ left as annotations,
// for the decision pass. Runs on the thread that compiles the module.

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
/// inlined functions alive. Annotations of others are kept. Sets \p Changed if
/// the list contained any of ours.
AttributeMap takeAnnotations(llvm::Module &M, bool &Changed);

/// The attributes that apply to \p F. If \p F is a part of another function, \p
/// F gets attributes from that function. A region gets all of the function's
/// attributes, because the region runs inside the function. A block may be
/// called from anywhere, so a block gets only the attributes of the scopes
/// around the function.
SourceAttributes attributesFor(const llvm::Function &F,
                               const AttributeMap &All);

/// Whether attributesFor() returns attributes that were written at another
/// function than \p F.
bool isPartOfFunction(const llvm::Function &F);

} // namespace tp

#endif
