// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Measures.h.

#include "Measures.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtObjC.h"

using namespace clang;

namespace tp {
namespace {

class Counter {
public:
  explicit Counter(Measures &M) : M(M) {}

  /// Counts \p S, which is at a place where a statement is expected.
  void statement(const Stmt *S) {
    if (!S)
      return;
    if (!isa<CompoundStmt, NullStmt, SwitchCase, LabelStmt, AttributedStmt,
             CXXCatchStmt>(S))
      ++M.Statements;
    visit(S);
  }

private:
  void visit(const Stmt *S) {
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, ObjCForCollectionStmt>(
            S))
      ++M.Loops;
    else if (const auto *Call = dyn_cast<CallExpr>(S))
      M.Calls += Call->getBuiltinCallee() == 0;
    else if (const auto *Made = dyn_cast<CXXConstructExpr>(S))
      M.Calls += !Made->getConstructor()->isTrivial();

    if (isa<BlockExpr>(S))
      return;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const Expr *Init : Lambda->capture_inits())
        if (Init)
          visit(Init);
      return;
    }
    // A range-based for loop counts as it is written, without the calls of
    // begin() and end() that clang adds.
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
      if (Range->getInit())
        visit(Range->getInit());
      visit(Range->getRangeInit());
      statement(Range->getBody());
      return;
    }
    for (const Stmt *Child : S->children())
      if (Child)
        isStatementIn(*S, *Child) ? statement(Child) : visit(Child);
  }

  /// Whether \p Child of \p S is a statement rather than a condition or
  /// operand.
  static bool isStatementIn(const Stmt &S, const Stmt &Child) {
    if (isa<CompoundStmt, SwitchCase, LabelStmt, AttributedStmt, CXXTryStmt,
            CXXCatchStmt>(S))
      return &Child !=
                 (isa<CaseStmt>(S) ? cast<CaseStmt>(S).getLHS() : nullptr) &&
             &Child !=
                 (isa<CaseStmt>(S) ? cast<CaseStmt>(S).getRHS() : nullptr);
    if (const auto *If = dyn_cast<IfStmt>(&S))
      return &Child == If->getThen() || &Child == If->getElse();
    if (const auto *For = dyn_cast<ForStmt>(&S))
      return &Child == For->getBody();
    if (const auto *While = dyn_cast<WhileStmt>(&S))
      return &Child == While->getBody();
    if (const auto *Do = dyn_cast<DoStmt>(&S))
      return &Child == Do->getBody();
    if (const auto *Switch = dyn_cast<SwitchStmt>(&S))
      return &Child == Switch->getBody();
    if (const auto *In = dyn_cast<ObjCForCollectionStmt>(&S))
      return &Child == In->getBody();
    return false;
  }

  Measures &M;
};

} // namespace

Measures measure(const Decl &Function) {
  Measures M;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function))
    M.Virtual = Method->isVirtual();
  Counter C(M);
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      if (Init->isWritten())
        C.statement(Init->getInit());
  C.statement(Function.getBody());
  return M;
}

} // namespace tp
