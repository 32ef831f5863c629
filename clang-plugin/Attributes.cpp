// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes tp_entry(N[,M]), tp_exit, tp_never, tp_always and tp_opaque,
// with the C++11 and C23 spellings tp::entry and so on. clang's Sema calls in
// on the compiler's thread. A fault is an error at the attribute, never
// silence.

#include "Options.h"
#include "SourceMarks.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace tp {
namespace {

/// The value of an argument, if it is a plain integer constant.
std::optional<unsigned> constantArgument(Sema &S, const ParsedAttr &Attr,
                                         unsigned I) {
  if (!Attr.isArgExpr(I))
    return std::nullopt;
  Expr *E = Attr.getArgAsExpr(I);
  if (E->isValueDependent())
    return std::nullopt;
  auto Value = E->getIntegerConstantExpr(S.Context);
  if (!Value || Value->isNegative() || Value->getActiveBits() > 31)
    return std::nullopt;
  return unsigned(Value->getZExtValue());
}

class TpAttribute : public ParsedAttrInfo {
public:
  TpAttribute(llvm::StringRef Name, ArrayRef<Spelling> TheSpellings,
              unsigned Required, unsigned Optional)
      : Name(Name) {
    Spellings = TheSpellings;
    NumArgs = Required;
    OptArgs = Optional;
    IsSupportedByPragmaAttribute = 1;
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr,
                            const Decl *D) const override {
    // `[[entry(2)]]` is registered only so that the arguments of
    // `[[tp::entry(2)]]` are parsed at all.
    if (Attr.isStandardAttributeSyntax() && !Attr.hasScope()) {
      error(S, Attr, "unknown attribute '%0': expected 'tp::%0'") << Name;
      return false;
    }
    if (isa<FunctionDecl, FunctionTemplateDecl, CXXRecordDecl, NamespaceDecl>(
            D))
      return true;
    wrongPlace(S, Attr);
    return false;
  }

  bool diagAppertainsToStmt(Sema &S, const ParsedAttr &Attr,
                            const Stmt *) const override {
    wrongPlace(S, Attr);
    return false;
  }

  void getPragmaAttributeMatchRules(
      llvm::SmallVectorImpl<std::pair<attr::SubjectMatchRule, bool>> &Rules,
      const LangOptions &) const override {
    for (auto Rule :
         {attr::SubjectMatchRule_function, attr::SubjectMatchRule_record,
          attr::SubjectMatchRule_namespace})
      Rules.push_back({Rule, true});
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D,
                                   const ParsedAttr &Attr) const override {
    std::string Mark = mark(S, Attr);
    if (Mark.empty())
      return AttributeNotApplied;
    addMark(*D, Mark, &Attr);
    return AttributeApplied;
  }

protected:
  /// The mark to leave, or nothing after a diagnostic.
  virtual std::string mark(Sema &, const ParsedAttr &) const {
    return Name.str();
  }

  template <unsigned Size>
  static DiagnosticBuilder error(Sema &S, const ParsedAttr &Attr,
                                 const char (&Format)[Size]) {
    return S.getDiagnostics().Report(
        Attr.getLoc(),
        S.getDiagnostics().getCustomDiagID(DiagnosticsEngine::Error, Format));
  }

  static void wrongPlace(Sema &S, const ParsedAttr &Attr) {
    error(S, Attr,
          "attribute %0 applies to functions, classes and namespaces only")
        << written(Attr);
  }

  /// The attribute as the user spelt it.
  static std::string written(const ParsedAttr &Attr) {
    return ("'" + llvm::Twine(Attr.getNormalizedFullName()) + "'").str();
  }

private:
  llvm::StringRef Name;
};

constexpr ParsedAttrInfo::Spelling EntrySpellings[] = {
    {ParsedAttr::AS_GNU, "tp_entry"},
    {ParsedAttr::AS_CXX11, "tp::entry"},
    {ParsedAttr::AS_C23, "tp::entry"},
    {ParsedAttr::AS_CXX11, "entry"},
    {ParsedAttr::AS_C23, "entry"}};
constexpr ParsedAttrInfo::Spelling ExitSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_exit"},
    {ParsedAttr::AS_CXX11, "tp::exit"},
    {ParsedAttr::AS_C23, "tp::exit"}};
constexpr ParsedAttrInfo::Spelling NeverSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_never"},
    {ParsedAttr::AS_CXX11, "tp::never"},
    {ParsedAttr::AS_C23, "tp::never"}};
constexpr ParsedAttrInfo::Spelling AlwaysSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_always"},
    {ParsedAttr::AS_CXX11, "tp::always"},
    {ParsedAttr::AS_C23, "tp::always"}};

constexpr ParsedAttrInfo::Spelling OpaqueSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_opaque"},
    {ParsedAttr::AS_CXX11, "tp::opaque"},
    {ParsedAttr::AS_C23, "tp::opaque"}};

class EntryAttribute : public TpAttribute {
public:
  EntryAttribute() : TpAttribute("entry", EntrySpellings, 1, 1) {}

protected:
  std::string mark(Sema &S, const ParsedAttr &Attr) const override {
    std::string Text;
    for (unsigned I = 0; I != Attr.getNumArgs(); ++I) {
      auto Value = constantArgument(S, Attr, I);
      if (!Value) {
        error(S, Attr,
              "attribute %0: expected N or N,M as integer constants, N "
              "from 0 to 65535, not dependent on a template")
            << written(Attr);
        return "";
      }
      Text += (llvm::Twine(I ? "," : "") + llvm::Twine(*Value)).str();
    }
    std::string Expected;
    if (!parseEntrySpec(Text, Expected)) {
      error(S, Attr, "invalid value '%0' in attribute %1: %2")
          << Text << written(Attr) << Expected;
      return "";
    }
    return ("entry=" + llvm::Twine(Text)).str();
  }
};

class ExitAttribute : public TpAttribute {
public:
  ExitAttribute() : TpAttribute("exit", ExitSpellings, 0, 0) {}
};

class NeverAttribute : public TpAttribute {
public:
  NeverAttribute() : TpAttribute("never", NeverSpellings, 0, 0) {}
};

class AlwaysAttribute : public TpAttribute {
public:
  AlwaysAttribute() : TpAttribute("always", AlwaysSpellings, 0, 0) {}
};

class OpaqueAttribute : public TpAttribute {
public:
  OpaqueAttribute() : TpAttribute("opaque", OpaqueSpellings, 0, 0) {}
};

} // namespace

/// Called once, by the plugin's initialiser.
void registerAttributes() {
  static ParsedAttrInfoRegistry::Add<EntryAttribute> Entry("tp_entry", "");
  static ParsedAttrInfoRegistry::Add<ExitAttribute> Exit("tp_exit", "");
  static ParsedAttrInfoRegistry::Add<NeverAttribute> Never("tp_never", "");
  static ParsedAttrInfoRegistry::Add<AlwaysAttribute> Always("tp_always", "");
  static ParsedAttrInfoRegistry::Add<OpaqueAttribute> Opaque("tp_opaque", "");
}

} // namespace tp
