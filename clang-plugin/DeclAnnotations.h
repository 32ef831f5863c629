// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an attribute of ours stands at a clang declaration: as an annotation,
// which clang writes into the IR and the decision pass takes out again. On the
// compiler's thread.

#ifndef TP_DECLANNOTATIONS_H
#define TP_DECLANNOTATIONS_H

#include "SourceDecision.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class AnnotateAttr;
class AttributeCommonInfo;
class Decl;
} // namespace clang

namespace tp {

/// One attribute of ours and the annotation that carries it.
struct DeclAnnotation {
  const clang::AnnotateAttr *Attr;
  SourceAttribute Attribute;
};

/// The attributes of ours at \p D, those of earlier declarations included.
llvm::SmallVector<DeclAnnotation, 4> annotationsOf(const clang::Decl &D);

/// True if \p D has an attribute for which \p Is holds.
bool hasAttribute(const clang::Decl &D,
                  llvm::function_ref<bool(const SourceAttribute &)> Is);
/// True if \p D itself, and not the scope around it, has one of kind \p What.
bool hasOwnAttribute(const clang::Decl &D, SourceAttribute::Kind What);

/// Puts \p A at \p D. \p Written is what the programmer wrote, null if the
/// compiler adds the attribute.
void addAttribute(clang::Decl &D, const SourceAttribute &A,
                  const clang::AttributeCommonInfo *Written = nullptr);

} // namespace tp

#endif
