// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Contradictions.h. The attributes of all declarations of a function or
// class count together, in any order. So a declaration cannot override the
// attributes of another one; the programmer must remove a contradiction.

#include "Contradictions.h"
#include "DeclAnnotations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/DiagnosticSema.h"

using namespace clang;
using llvm::StringRef;

namespace tp {
namespace {

/// One of our attributes at a declaration, written by a programmer.
struct Written {
  const AnnotateAttr *Attr;
  SourceAttribute Attribute;

  /// The attribute is written at this declaration, not at an earlier one.
  bool isNew() const { return !Attr->isInherited(); }
  /// As the programmer spelt it.
  std::string name() const { return Attr->getNormalizedFullName(); }
};

llvm::SmallVector<Written, 4> writtenAt(const Decl &D) {
  llvm::SmallVector<Written, 4> Result;
  for (const DeclAnnotation &A : annotationsOf(D))
    if (!A.Attr->isImplicit())
      Result.push_back({A.Attr, A.Attribute});
  return Result;
}

bool contradict(const SourceAttribute &A, const SourceAttribute &B) {
  if (A.refusesSleds() || B.refusesSleds())
    return A.asksForSled() || B.asksForSled();
  return A.What == SourceAttribute::Kind::Entry && B.What == A.What &&
         A.Nops != B.Nops;
}

template <unsigned Size>
DiagnosticBuilder report(const Decl &D, DiagnosticsEngine::Level Level,
                         SourceLocation Where, const char (&Format)[Size]) {
  DiagnosticsEngine &Diags = D.getASTContext().getDiagnostics();
  return Diags.Report(Where, Diags.getCustomDiagID(Level, Format));
}

template <unsigned Size>
DiagnosticBuilder error(const Decl &D, SourceLocation Where,
                        const char (&Format)[Size]) {
  return report(D, DiagnosticsEngine::Error, Where, Format);
}

/// "'tp_never' stands here".
void noteAttribute(const Decl &D, SourceLocation Where, StringRef Name) {
  report(D, DiagnosticsEngine::Note, Where, "'%0' stands here") << Name;
}

/// Reports two of our attributes that contradict each other, if at least one of
/// the two is new at \p D. Returns whether the function has reported any.
bool reportPair(const Decl &D, llvm::ArrayRef<Written> All) {
  for (const Written &A : All)
    for (const Written &B : All) {
      if (!A.isNew() || &A == &B || !contradict(A.Attribute, B.Attribute))
        continue;
      // If both attributes are new, the report is at the second one.
      if (B.isNew() && &A < &B)
        continue;
      error(D, A.Attr->getLocation(), "attribute '%0' contradicts '%1'")
          << A.name() << B.name();
      noteAttribute(D, B.Attr->getLocation(), B.name());
      return true;
    }
  return false;
}

/// Reports attributes at a naked function: such a function has no room for a
/// sled, because the programmer writes its whole body.
void reportNaked(const Decl &D, llvm::ArrayRef<Written> All) {
  const auto *Naked = D.getAttr<NakedAttr>();
  if (!Naked)
    return;
  for (const Written &A : All) {
    if (A.Attribute.refusesSleds() || !(A.isNew() || !Naked->isInherited()))
      continue;
    bool AtNaked = !A.isNew();
    error(D, AtNaked ? Naked->getLocation() : A.Attr->getLocation(),
          "attribute '%0': a naked function %1")
        << A.name()
        << (A.Attribute.asksForSled() ? "gets no sled" : "cannot be opaque");
    if (AtNaked)
      noteAttribute(D, A.Attr->getLocation(), A.name());
    else
      noteAttribute(D, Naked->getLocation(), "naked");
    return;
  }
}

/// The definition that the declaration \p D follows, or null.
template <class DeclType> const DeclType *definitionBefore(const DeclType &D) {
  for (const DeclType *P = D.getPreviousDecl(); P; P = P->getPreviousDecl())
    if (P->isThisDeclarationADefinition())
      return P;
  return nullptr;
}

/// Removes from \p D the attributes that come after the definition, because the
/// code may already have been generated. clang removes late attributes of its
/// own. But if the definition has annotations, too, clang keeps our attributes,
/// because clang compares attributes only by their kind.
void ignoreLate(NamedDecl &D, const NamedDecl &Definition) {
  auto Known = writtenAt(Definition);
  for (const Written &A : writtenAt(D)) {
    if (!A.isNew() || llvm::any_of(Known, [&](const Written &K) {
          return K.Attribute == A.Attribute;
        }))
      continue;
    DiagnosticsEngine &Diags = D.getASTContext().getDiagnostics();
    Diags.Report(A.Attr->getLocation(),
                 diag::warn_attribute_precede_definition);
    Diags.Report(Definition.getLocation(), diag::note_previous_definition);
    llvm::erase_if(D.getAttrs(), [&](auto *Old) { return Old == A.Attr; });
  }
}

/// An explicit specialisation is a separate function, but clang copies the
/// template's attributes to the specialisation. If the specialisation's own
/// attributes contradict some of the template's, the template's attributes are
/// removed.
void overrideTemplate(Decl &D) {
  auto All = writtenAt(D);
  for (const Written &A : All)
    for (const Written &B : All)
      if (A.isNew() && !B.isNew() && contradict(A.Attribute, B.Attribute))
        llvm::erase_if(D.getAttrs(), [&](auto *Old) { return Old == B.Attr; });
}

} // namespace

void reportContradictions(NamedDecl &D) {
  const NamedDecl *Definition = nullptr;
  if (const auto *F = dyn_cast<FunctionDecl>(&D)) {
    Definition = definitionBefore(*F);
    if (F->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      overrideTemplate(D);
  } else if (const auto *Class = dyn_cast<CXXRecordDecl>(&D)) {
    Definition = definitionBefore<TagDecl>(*Class);
  }
  if (Definition)
    ignoreLate(D, *Definition);
  auto All = writtenAt(D);
  if (!All.empty() && !reportPair(D, All))
    reportNaked(D, All);
}

} // namespace tp
