// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Criteria.h.

#include "Criteria.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclObjC.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/Dynamic/Diagnostics.h"
#include "clang/ASTMatchers/Dynamic/Parser.h"

using namespace clang;
using namespace clang::ast_matchers;
using llvm::StringRef;

namespace tp {
namespace {

/// If the outermost node of an expression is not the function to select, the
/// expression binds that function to this name.
constexpr StringRef Bound = "function";
/// The outermost node is bound to this name.
constexpr StringRef Root = "tp root";

/// The expression, and below it a caret at the fault.
std::string point(StringRef Text, unsigned Line = 1, unsigned Column = 1) {
  llvm::SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  if (Line == 0 || Line > Lines.size())
    return "";
  return ("\n  " + Lines[Line - 1] + "\n  " +
          std::string(Column ? Column - 1 : 0, ' ') + "^")
      .str();
}

llvm::Expected<internal::DynTypedMatcher> parse(StringRef Text) {
  dynamic::Diagnostics Diagnostics;
  StringRef Rest = Text;
  auto Matcher = dynamic::Parser::parseMatcherExpression(Rest, &Diagnostics);
  if (!Matcher) {
    dynamic::SourceLocation At;
    if (!Diagnostics.errors().empty())
      At = Diagnostics.errors()[0].Messages[0].Range.Start;
    return llvm::createStringError("-matcher:" + Diagnostics.toString() +
                                   point(Text, At.Line, At.Column));
  }
  if (!Matcher->canConvertTo<FunctionDecl>() &&
      !Matcher->canConvertTo<ObjCMethodDecl>() &&
      !Text.contains(("bind(\"" + Bound + "\")").str()))
    return llvm::createStringError(
        "-matcher: expected a matcher of functions, or one that "
        "binds the function: functionDecl(...).bind(\"" +
        Bound + "\")" + point(Text));
  if (auto Named = Matcher->tryBind(Root))
    return *Named;
  return llvm::createStringError(
      "-matcher: this expression names no kind of node; write it "
      "inside functionDecl(...)" +
      point(Text));
}

class Collector : public MatchFinder::MatchCallback {
public:
  void run(const MatchFinder::MatchResult &Result) override {
    const Decl *D = Result.Nodes.getNodeAs<Decl>(Bound);
    if (!D)
      D = Result.Nodes.getNodeAs<Decl>(Root);
    // A mere declaration would satisfy `unless(hasDescendant(...))`.
    if (const auto *F = dyn_cast_or_null<FunctionDecl>(D);
        F && F->isThisDeclarationADefinition())
      Found.insert(F->getCanonicalDecl());
    else if (const auto *M = dyn_cast_or_null<ObjCMethodDecl>(D);
             M && M->isThisDeclarationADefinition())
      Found.insert(M->getCanonicalDecl());
  }

  llvm::DenseSet<const Decl *> Found;
};

} // namespace

bool Criteria::any() const {
  return !Matchers.empty() || !Files.empty() || Statements.isSet() ||
         Loops.isSet() || Calls.isSet() || Virtual;
}

llvm::Error Criteria::check() const {
  for (const std::string &Text : Matchers)
    if (auto Matcher = parse(Text); !Matcher)
      return Matcher.takeError();
  return llvm::Error::success();
}

llvm::DenseSet<const Decl *> Criteria::match(ASTContext &Context) const {
  Collector C;
  MatchFinder Finder;
  for (const std::string &Text : Matchers)
    Finder.addDynamicMatcher(llvm::cantFail(parse(Text)), &C);
  if (!Matchers.empty())
    Finder.matchAST(Context);
  return std::move(C.Found);
}

bool Criteria::hold(const FunctionInfo &F) const {
  if (!any())
    return true;
  if (!F.Size || (Virtual && !F.Size->Virtual) ||
      !Statements.contains(F.Size->Statements) ||
      !Loops.contains(F.Size->Loops) || !Calls.contains(F.Size->Calls))
    return false;
  return Files.empty() || llvm::any_of(Files, [&](const llvm::GlobPattern &G) {
           return G.match(F.File);
         });
}

} // namespace tp
