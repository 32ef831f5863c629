// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of functions in a table for reading.

#ifndef TPCTL_DISTINCT_NAMES_H
#define TPCTL_DISTINCT_NAMES_H

#include "llvm/ADT/STLExtras.h"
#include <string>
#include <vector>

namespace tpctl {

/// The names as shortName() gives them. If that would make different names
/// alike, these names are cut less, or not at all.
std::vector<std::string> distinctNames(std::vector<std::string> Names);

/// The names of a table's rows: whole, or the same.
template <class Range, class NameOf>
std::vector<std::string> namesOfRows(const Range &Rows, NameOf Name,
                                     bool WholeNames) {
  std::vector<std::string> Names;
  for (const auto &Row : Rows)
    Names.push_back(Name(Row));
  return WholeNames ? Names : distinctNames(std::move(Names));
}

} // namespace tpctl

#endif
