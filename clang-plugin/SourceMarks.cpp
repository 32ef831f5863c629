// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceMarks.h. The consumer stands before clang's code generator and sees
// every declaration first.

#include "SourceMarks.h"
#include "Contradictions.h"
#include "DecidePass.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTMutationListener.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
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

/// Where \p F was first written: a method in its class, whatever stands where
/// it is defined; an instance where its template was.
const DeclContext *scopeOf(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getFirstDecl()->getLexicalDeclContext();
}

/// What marks exclude one another: an inner scope's hides an outer one's.
StringRef kindOf(StringRef Mark) {
  bool Sled = Mark.starts_with("entry=") || Mark == "exit" ||
              Mark == "always" || Mark == "never";
  return Sled ? "sled" : Mark;
}

/// Gives \p F the marks of the scopes around it, of each kind the innermost.
void inheritMarks(FunctionDecl &F) {
  llvm::SmallVector<StringRef, 4> Known;
  const FunctionDecl *First = F.getFirstDecl();
  bool IsFriend = First->getFriendObjectKind() != Decl::FOK_None &&
                  !First->isThisDeclarationADefinition();
  for (const DeclContext *Scope = scopeOf(&F); Scope;) {
    if (auto *Around = dyn_cast<FunctionDecl>(Scope)) {
      Scope = scopeOf(Around);
      continue;
    }
    size_t Inner = Known.size();
    if (!(IsFriend && isa<RecordDecl>(Scope)))
      for (const auto *A : cast<Decl>(Scope)->specific_attrs<AnnotateAttr>()) {
        StringRef Mark = A->getAnnotation();
        if (!Mark.consume_front(AnnotationPrefix) ||
            llvm::is_contained(llvm::ArrayRef(Known).take_front(Inner),
                               kindOf(Mark)))
          continue;
        Known.push_back(kindOf(Mark));
        std::string Inherited = (ScopePrefix + Mark).str();
        if (!hasMark(F, Inherited))
          addMark(F, Inherited);
      }
    Scope = Scope->getLexicalParent();
  }
}

/// no_instrument_function is tp_never, unless a declaration of \p F, earlier or
/// this one, asks for a sled.
void respectNoInstrument(FunctionDecl &F) {
  if (!F.hasAttr<NoInstrumentFunctionAttr>())
    return;
  if (!asksForSled(F)) {
    if (!hasMark(F, "never"))
      addMark(F, "never");
    return;
  }
  // Inherited from an earlier declaration that did not ask.
  llvm::erase_if(F.getAttrs(), [](const Attr *A) {
    const auto *Annotation = dyn_cast<AnnotateAttr>(A);
    StringRef Mark = Annotation ? Annotation->getAnnotation() : "";
    return Mark.consume_front(AnnotationPrefix) && Mark == "never" &&
           A->isImplicit();
  });
}

/// The function that a captureless lambda turns into as a pointer is a copy of
/// the lambda's body where clang inlines that: what stands at the lambda holds
/// for it, too.
void followLambda(FunctionDecl &F) {
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Method || !Method->isLambdaStaticInvoker())
    return;
  const CXXMethodDecl *Body = Method->getParent()->getLambdaCallOperator();
  for (const auto *A : Body->specific_attrs<AnnotateAttr>()) {
    StringRef Mark = A->getAnnotation();
    if (Mark.consume_front(AnnotationPrefix) && !hasMark(F, Mark))
      addMark(F, Mark);
  }
}

class MarkingConsumer : public ASTConsumer, ASTMutationListener {
public:
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { visit(F); }

  // Methods that the compiler makes, when first used, also of a class that
  // comes from a precompiled header or module.
  ASTMutationListener *GetASTMutationListener() override { return this; }
  void CompletedImplicitDefinition(const FunctionDecl *F) override {
    visit(const_cast<FunctionDecl *>(F));
  }

private:
  void visit(Decl *D) {
    if (auto *Template = dyn_cast<TemplateDecl>(D)) {
      if (NamedDecl *Pattern = Template->getTemplatedDecl())
        visit(Pattern);
      return;
    }
    if (auto *F = dyn_cast<FunctionDecl>(D))
      return visitFunction(*F);
    if (auto *Friend = dyn_cast<FriendDecl>(D)) {
      if (NamedDecl *Inner = Friend->getFriendDecl();
          isa_and_nonnull<FunctionDecl, FunctionTemplateDecl>(Inner))
        visit(Inner);
      return;
    }
    if (isa<CXXRecordDecl, NamespaceDecl>(D))
      check(cast<NamedDecl>(*D));
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, RecordDecl>(D))
      for (Decl *Inner : cast<DeclContext>(D)->decls())
        visit(Inner);
  }

  void visitFunction(FunctionDecl &F) {
    // What is wrong with a template is said there.
    if (!F.getTemplateInstantiationPattern())
      check(F);
    inheritMarks(F);
    respectNoInstrument(F);
    followLambda(F);
    if (hasMark(F, "opaque") && F.hasAttr<AlwaysInlineAttr>()) {
      DiagnosticsEngine &D = F.getASTContext().getDiagnostics();
      D.Report(F.getLocation(),
               D.getCustomDiagID(DiagnosticsEngine::Error,
                                 "function %0 is 'tp_opaque' and cannot be "
                                 "'always_inline' as well"))
          << &F;
    }
    // Lambdas and local classes, and functions declared inside.
    for (Decl *Inner : F.decls())
      if (isa<CXXRecordDecl, FunctionDecl>(Inner))
        visit(Inner);
  }

  /// Some declarations are visited more than once.
  void check(NamedDecl &D) {
    if (Checked.insert(&D).second)
      reportContradictions(D);
  }

  llvm::SmallPtrSet<const Decl *, 32> Checked;
};

} // namespace

std::unique_ptr<ASTConsumer> createMarkingConsumer() {
  return std::make_unique<MarkingConsumer>();
}

} // namespace tp
