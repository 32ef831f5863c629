// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DeclAnnotations.h.

#include "DeclAnnotations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace tp {

llvm::SmallVector<DeclAnnotation, 4> annotationsOf(const Decl &D) {
  llvm::SmallVector<DeclAnnotation, 4> Result;
  for (const auto *A : D.specific_attrs<AnnotateAttr>())
    if (auto Ours = SourceAttribute::parse(A->getAnnotation()))
      Result.push_back({A, *Ours});
  return Result;
}

bool hasAttribute(const Decl &D,
                  llvm::function_ref<bool(const SourceAttribute &)> Is) {
  return llvm::any_of(annotationsOf(D),
                      [&](const DeclAnnotation &A) { return Is(A.Attribute); });
}

bool hasOwnAttribute(const Decl &D, SourceAttribute::Kind What) {
  return hasAttribute(D, [&](const SourceAttribute &A) {
    return A.What == What && !A.IsAround;
  });
}

void addAttribute(Decl &D, const SourceAttribute &A,
                  const AttributeCommonInfo *Written) {
  ASTContext &Context = D.getASTContext();
  std::string Text = A.annotation();
  D.addAttr(Written ? AnnotateAttr::Create(Context, Text, nullptr, 0, *Written)
                    : AnnotateAttr::CreateImplicit(Context, Text, nullptr, 0));
}

} // namespace tp
