// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InheritingConsumer.h. The consumer runs before clang's code generator, so
// the consumer sees every declaration first.

#include "InheritingConsumer.h"
#include "Contradictions.h"
#include "DeclAnnotations.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTMutationListener.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace tp {
namespace {

using Kind = SourceAttribute::Kind;

/// The declaration that the programmer wrote first. For a method, this is the
/// declaration in the class; for an instance, the declaration of the template.
const DeclContext *scopeOf(const FunctionDecl *F) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern())
    F = Pattern;
  return F->getFirstDecl()->getLexicalDeclContext();
}

/// Whether an attribute of an inner scope hides \p A of an outer scope.
/// tp_opaque is independent of the attributes that concern sleds.
bool isHidden(const SourceAttribute &A, bool SledsKnown, bool OpaqueKnown) {
  return A.concernsSleds() ? SledsKnown : OpaqueKnown;
}

/// Gives \p F the attributes of \p Scope, a scope around it. \p SledsKnown and
/// \p OpaqueKnown say which attributes an inner scope has already decided. The
/// function leaves out these attributes, and updates the flags for the outer
/// scopes.
void inheritFrom(const Decl &Scope, FunctionDecl &F, bool &SledsKnown,
                 bool &OpaqueKnown) {
  const bool HideSleds = SledsKnown, HideOpaque = OpaqueKnown;
  for (const DeclAnnotation &Found : annotationsOf(Scope)) {
    SourceAttribute A = Found.Attribute;
    if (isHidden(A, HideSleds, HideOpaque))
      continue;
    (A.concernsSleds() ? SledsKnown : OpaqueKnown) = true;
    A.IsAround = true;
    if (!hasAttribute(F, [&](const SourceAttribute &B) { return A == B; }))
      addAttribute(F, A);
  }
}

/// Gives \p F the attributes of the scopes around it. If attributes exclude
/// each other, the attributes of the innermost scope apply.
void inheritAttributes(FunctionDecl &F) {
  bool SledsKnown = false, OpaqueKnown = false;
  const FunctionDecl *First = F.getFirstDecl();
  bool IsFriend = First->getFriendObjectKind() != Decl::FOK_None &&
                  !First->isThisDeclarationADefinition();
  for (const DeclContext *Scope = scopeOf(&F); Scope;) {
    if (auto *Around = dyn_cast<FunctionDecl>(Scope)) {
      Scope = scopeOf(Around);
      continue;
    }
    if (!(IsFriend && isa<RecordDecl>(Scope)))
      inheritFrom(*cast<Decl>(Scope), F, SledsKnown, OpaqueKnown);
    Scope = Scope->getLexicalParent();
  }
}

/// Treats no_instrument_function as tp_never, unless this declaration of \p F
/// or an earlier one requests a sled.
void respectNoInstrument(FunctionDecl &F) {
  if (!F.hasAttr<NoInstrumentFunctionAttr>())
    return;
  bool AsksForSled = hasAttribute(F, [](const SourceAttribute &A) {
    return A.asksForSled() && !A.IsAround;
  });
  if (!AsksForSled) {
    if (!hasOwnAttribute(F, Kind::Never) &&
        !hasOwnAttribute(F, Kind::NoInstrument))
      addAttribute(F, {Kind::NoInstrument});
    return;
  }
  // The attribute comes from an earlier declaration that did not request a
  // sled.
  for (const DeclAnnotation &A : annotationsOf(F))
    if (A.Attribute.What == Kind::NoInstrument && !A.Attribute.IsAround)
      llvm::erase_if(F.getAttrs(), [&](auto *Old) { return Old == A.Attr; });
}

/// A lambda without captures converts to a function pointer. For the pointer,
/// clang makes a separate function, and may inline the lambda's body into that
/// function. The lambda's attributes apply to that function, too.
void followLambda(FunctionDecl &F) {
  auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Method || !Method->isLambdaStaticInvoker())
    return;
  const CXXMethodDecl *Body = Method->getParent()->getLambdaCallOperator();
  for (const DeclAnnotation &A : annotationsOf(*Body))
    if (!hasAttribute(
            F, [&](const SourceAttribute &B) { return A.Attribute == B; }))
      addAttribute(F, A.Attribute);
}

void refuseOpaqueAlwaysInline(FunctionDecl &F) {
  if (!hasOwnAttribute(F, Kind::Opaque) || !F.hasAttr<AlwaysInlineAttr>())
    return;
  DiagnosticsEngine &D = F.getASTContext().getDiagnostics();
  D.Report(F.getLocation(),
           D.getCustomDiagID(DiagnosticsEngine::Error,
                             "function %0 is 'tp_opaque' and cannot be "
                             "'always_inline' as well"))
      << &F;
}

class InheritingConsumer : public ASTConsumer, ASTMutationListener {
public:
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *F) override { visit(F); }

  // The compiler makes some methods when they are first used. The class of such
  // a method may come from a precompiled header or module.
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
    // A fault in a template is reported at the template.
    if (!F.getTemplateInstantiationPattern())
      check(F);
    inheritAttributes(F);
    respectNoInstrument(F);
    followLambda(F);
    refuseOpaqueAlwaysInline(F);
    // Lambdas and local classes, and functions declared inside.
    for (Decl *Inner : F.decls())
      if (isa<CXXRecordDecl, FunctionDecl>(Inner))
        visit(Inner);
  }

  /// Some declarations are visited more than once, but reported only once.
  void check(NamedDecl &D) {
    if (Checked.insert(&D).second)
      reportContradictions(D);
  }

  llvm::SmallPtrSet<const Decl *, 32> Checked;
};

} // namespace

std::unique_ptr<ASTConsumer> createInheritingConsumer() {
  return std::make_unique<InheritingConsumer>();
}

} // namespace tp
