// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The criteria by which the user chooses functions: AST matchers, measures,
// files. After the check, the criteria are read-only. Each thread creates its
// own matchers from the expressions.

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

/// The range of a measure, including both ends.
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
  /// Parses the matchers. An error shows the place, as clang's errors do.
  llvm::Error check() const;
  /// The functions in \p Context that the matchers find, or none if there are
  /// no matchers.
  llvm::DenseSet<const clang::Decl *> match(clang::ASTContext &Context) const;
  /// Whether the measures and the file of \p F meet the criteria.
  bool hold(const FunctionInfo &F) const;
};

} // namespace tp

#endif
