// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes tp_entry(N[,M]), tp_exit, tp_never, tp_always and tp_opaque,
// with the C++11 and C23 spellings tp::entry and so on. clang's Sema calls them
// on the compiler's thread. Each fault is an error at the attribute.

#include "ClangCompat.h"
#include "DeclAnnotations.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace tp {
namespace {

using Kind = SourceAttribute::Kind;

/// The value that an argument names, or nullptr if the name is not that of a
/// value. clang does not look up a name in an attribute's arguments, because
/// the name may be a keyword of the attribute.
Expr *namedArgument(Sema &S, const IdentifierLoc &Name) {
  LookupResult Found(S, identifierOf(Name), locationOf(Name),
                     Sema::LookupOrdinaryName);
  Found.suppressDiagnostics();
  if (!S.LookupName(Found, S.getCurScope()) || !Found.isSingleResult() ||
      !isa<ValueDecl>(Found.getFoundDecl()))
    return nullptr;
  EnterExpressionEvaluationContext Constant(
      S, Sema::ExpressionEvaluationContext::ConstantEvaluated);
  return S.BuildDeclarationNameExpr(CXXScopeSpec(), Found, /*NeedsADL=*/false)
      .get();
}

/// The value of an argument, if it is a plain integer constant.
std::optional<unsigned> constantArgument(Sema &S, const ParsedAttr &Attr,
                                         unsigned I) {
  Expr *E = Attr.isArgExpr(I)    ? Attr.getArgAsExpr(I)
            : Attr.isArgIdent(I) ? namedArgument(S, *Attr.getArgAsIdent(I))
                                 : nullptr;
  if (!E || E->isValueDependent())
    return std::nullopt;
  auto Value = E->getIntegerConstantExpr(S.Context);
  if (!Value || Value->isNegative() || Value->getActiveBits() > 31)
    return std::nullopt;
  return unsigned(Value->getZExtValue());
}

class TpAttribute : public ParsedAttrInfo {
public:
  TpAttribute(Kind What, ArrayRef<Spelling> TheSpellings, unsigned Required = 0,
              unsigned Optional = 0)
      : What(What) {
    Spellings = TheSpellings;
    NumArgs = Required;
    OptArgs = Optional;
    IsSupportedByPragmaAttribute = 1;
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr,
                            const Decl *D) const override {
    // clang parses the arguments of `[[tp::entry(2)]]` only if `[[entry(2)]]`
    // is registered, too. Otherwise clang skips the arguments.
    if (Attr.isStandardAttributeSyntax() && !Attr.hasScope()) {
      error(S, Attr, "unknown attribute '%0': expected 'tp::%0'")
          << Attr.getAttrName()->getName();
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
    auto Read = read(S, Attr);
    if (!Read)
      return AttributeNotApplied;
    addAttribute(*D, *Read, &Attr);
    return AttributeApplied;
  }

protected:
  /// The attribute that the programmer wrote, or nothing after a diagnostic.
  virtual std::optional<SourceAttribute> read(Sema &,
                                              const ParsedAttr &) const {
    return SourceAttribute{What};
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
  const Kind What;
};

constexpr ParsedAttrInfo::Spelling EntrySpellings[] = {
    {ParsedAttr::AS_GNU, "tp_entry"},
    {ParsedAttr::AS_CXX11, "tp::entry"},
    {AttributeSyntaxC23, "tp::entry"},
    {ParsedAttr::AS_CXX11, "entry"},
    {AttributeSyntaxC23, "entry"}};
constexpr ParsedAttrInfo::Spelling ExitSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_exit"},
    {ParsedAttr::AS_CXX11, "tp::exit"},
    {AttributeSyntaxC23, "tp::exit"},
    {ParsedAttr::AS_CXX11, "exit"},
    {AttributeSyntaxC23, "exit"}};
constexpr ParsedAttrInfo::Spelling NeverSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_never"},
    {ParsedAttr::AS_CXX11, "tp::never"},
    {AttributeSyntaxC23, "tp::never"},
    {ParsedAttr::AS_CXX11, "never"},
    {AttributeSyntaxC23, "never"}};
constexpr ParsedAttrInfo::Spelling AlwaysSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_always"},
    {ParsedAttr::AS_CXX11, "tp::always"},
    {AttributeSyntaxC23, "tp::always"},
    {ParsedAttr::AS_CXX11, "always"},
    {AttributeSyntaxC23, "always"}};
constexpr ParsedAttrInfo::Spelling OpaqueSpellings[] = {
    {ParsedAttr::AS_GNU, "tp_opaque"},
    {ParsedAttr::AS_CXX11, "tp::opaque"},
    {AttributeSyntaxC23, "tp::opaque"},
    {ParsedAttr::AS_CXX11, "opaque"},
    {AttributeSyntaxC23, "opaque"}};

class EntryAttribute : public TpAttribute {
public:
  EntryAttribute() : TpAttribute(Kind::Entry, EntrySpellings, 1, 1) {}

protected:
  std::optional<SourceAttribute> read(Sema &S,
                                      const ParsedAttr &Attr) const override {
    std::string Text;
    for (unsigned I = 0; I != Attr.getNumArgs(); ++I) {
      auto Value = constantArgument(S, Attr, I);
      if (!Value) {
        error(S, Attr,
              "attribute %0: expected N or N,M as integer constants, N "
              "from 0 to 65535, not dependent on a template")
            << written(Attr);
        return std::nullopt;
      }
      Text += (llvm::Twine(I ? "," : "") + llvm::Twine(*Value)).str();
    }
    auto Nops = EntrySpec::parse(Text);
    if (!Nops) {
      error(S, Attr, "invalid value '%0' in attribute %1: %2")
          << Text << written(Attr) << toString(Nops.takeError());
      return std::nullopt;
    }
    return SourceAttribute{Kind::Entry, *Nops, Text};
  }
};

/// An attribute without arguments. clang's registry needs a default
/// constructor.
template <Kind Meaning, const auto &AllSpellings>
class PlainAttribute : public TpAttribute {
public:
  PlainAttribute() : TpAttribute(Meaning, AllSpellings) {}
};

} // namespace

/// Called once, by the plugin's initialiser.
void registerAttributes() {
  static ParsedAttrInfoRegistry::Add<EntryAttribute> Entry("tp_entry", "");
  static ParsedAttrInfoRegistry::Add<PlainAttribute<Kind::Exit, ExitSpellings>>
      Exit("tp_exit", "");
  static ParsedAttrInfoRegistry::Add<
      PlainAttribute<Kind::Never, NeverSpellings>>
      Never("tp_never", "");
  static ParsedAttrInfoRegistry::Add<
      PlainAttribute<Kind::Always, AlwaysSpellings>>
      Always("tp_always", "");
  static ParsedAttrInfoRegistry::Add<
      PlainAttribute<Kind::Opaque, OpaqueSpellings>>
      Opaque("tp_opaque", "");
}

} // namespace tp
