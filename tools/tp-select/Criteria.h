// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user chooses functions by: AST matchers, measures, files. The
// criteria are read-only once they are checked. Each thread makes its own
// matchers out of the expressions.

#ifndef TP_SELECT_CRITERIA_H
#define TP_SELECT_CRITERIA_H

#include "Function.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <limits>
#include <vector>

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace tp {

/// The range that a measure must lie in, both ends included.
struct Bounds {
  unsigned Min = 0;
  unsigned Max = std::numeric_limits<unsigned>::max();

  bool contains(unsigned N) const { return Min <= N && N <= Max; }
  bool isSet() const {
    return Min > 0 || Max != std::numeric_limits<unsigned>::max();
  }
};

struct Criteria {
  std::vector<std::string> Matchers; ///< a function needs one of them
  std::vector<llvm::GlobPattern> Files;
  Bounds Statements, Loops, Calls;
  bool Virtual = false;
  std::string Text; ///< as the user wrote them

  bool any() const;
  /// Parses the matchers. The error shows the place, as clang's do.
  llvm::Error check() const;
  /// The functions in \p Context that the matchers find. Without matchers there
  /// are none.
  llvm::DenseSet<const clang::Decl *> match(clang::ASTContext &Context) const;
  /// Whether measures and file of \p F are as asked for.
  bool hold(const FunctionInfo &F) const;
};

} // namespace tp

#endif
