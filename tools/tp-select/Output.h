// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three formats that tp-select writes. The functions are sorted, so the
// same input gives the same output.

#ifndef TP_SELECT_OUTPUT_H
#define TP_SELECT_OUTPUT_H

#include "FilterList.h"
#include "Function.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace tp {

/// One function in several units, with the same decision in each.
struct Entry {
  FunctionInfo Function;
  std::vector<std::string> Units;
};

struct Results {
  std::vector<Entry> Entries;       ///< the chosen ones
  std::vector<FunctionInfo> Others; ///< the rest
  std::vector<std::string> Failed;  ///< units with errors
  /// Entries of filter files that match no function of any unit.
  std::vector<FilterList::Entry> Unmatched;
  size_t UnitCount = 0;
};

void writeText(llvm::raw_ostream &OS, const Results &R);
void writeJson(llvm::raw_ostream &OS, const Results &R);
/// \p Section is "always" or "never"; \p Criteria is quoted in a comment.
void writeFilter(llvm::raw_ostream &OS, const Results &R,
                 llvm::StringRef Section, llvm::StringRef Criteria);
/// One message for each chosen function that a filter file cannot distinguish
/// from others.
std::vector<std::string> findAmbiguities(const Results &R);

/// Replaces a file in one step, through a temporary file in the same folder. So
/// a full disk leaves the old file unchanged. "-" is standard output.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text);

} // namespace tp

#endif
