// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceMarks.h. The consumer stands before clang's code generator and sees
// every declaration first.

#include "SourceMarks.h"
#include "DecidePass.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using llvm::StringRef;

namespace tp {

bool hasMark(const Decl &D, StringRef Text, bool Prefix) {
  for (const auto *A : D.specific_attrs<AnnotateAttr>()) {
    StringRef Mark = A->getAnnotation();
    if (Mark.consume_front(AnnotationPrefix) &&
        (Prefix ? Mark.starts_with(Text) : Mark == Text))
      return true;
  }
  return false;
}

bool asksForSled(const Decl &D) {
  return hasMark(D, "entry=", true) || hasMark(D, "exit") ||
         hasMark(D, "always");
}

void addMark(Decl &D, StringRef Text, const AttributeCommonInfo *Where) {
  ASTContext &Context = D.getASTContext();
  std::string Mark = (AnnotationPrefix + Text).str();
  D.addAttr(Where ? AnnotateAttr::Create(Context, Mark, nullptr, 0, *Where)
                  : AnnotateAttr::CreateImplicit(Context, Mark, nullptr, 0));
}

namespace {

class MarkingConsumer : public ASTConsumer {
public:
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { visit(F); }

private:
  void visit(Decl *D) {
    if (auto *Template = dyn_cast<TemplateDecl>(D)) {
      if (NamedDecl *Pattern = Template->getTemplatedDecl())
        visit(Pattern);
      return;
    }
    if (auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->hasAttr<NoInstrumentFunctionAttr>() && !asksForSled(*F) &&
          !hasMark(*F, "never"))
        addMark(*F, "never");
      return;
    }
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D))
      for (Decl *Inner : cast<DeclContext>(D)->decls())
        visit(Inner);
  }
};

} // namespace

std::unique_ptr<ASTConsumer> createMarkingConsumer() {
  return std::make_unique<MarkingConsumer>();
}

} // namespace tp
