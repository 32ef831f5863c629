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
/// any of ours were there.
AttributeMap takeAnnotations(llvm::Module &M, bool &Changed);

/// The attributes that hold for \p F. If \p F is a part of another function, it
/// gets attributes from that function. A region gets all of them, because the
/// function runs it in place. A block may be called from anywhere, so it gets
/// only those of the scopes around the function.
SourceAttributes attributesFor(const llvm::Function &F,
                               const AttributeMap &All);

/// Whether attributesFor() takes the attributes of \p F from another function.
bool isPartOfFunction(const llvm::Function &F);

} // namespace tp

#endif
