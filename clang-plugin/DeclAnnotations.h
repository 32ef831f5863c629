// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores our attributes at clang's declarations. Each attribute is stored as an
// annotation: clang writes the annotation into the IR, and the decision pass
// removes it. Runs on the compiler's thread.

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

/// Our attributes at \p D, including those of earlier declarations.
llvm::SmallVector<DeclAnnotation, 4> annotationsOf(const clang::Decl &D);

/// True if \p D has an attribute for which \p Is holds.
bool hasAttribute(const clang::Decl &D,
                  llvm::function_ref<bool(const SourceAttribute &)> Is);
/// True if \p D itself has an attribute of kind \p What. Attributes of the
/// scope around \p D do not count.
bool hasOwnAttribute(const clang::Decl &D, SourceAttribute::Kind What);

/// Adds \p A to \p D. \p Written is the attribute in the source, or null if the
/// compiler adds the attribute.
void addAttribute(clang::Decl &D, const SourceAttribute &A,
                  const clang::AttributeCommonInfo *Written = nullptr);

} // namespace tp

#endif
