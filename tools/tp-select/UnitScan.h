// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one translation unit. clang makes IR from the unit as in a compilation,
// the compiler plugin's code decides about each function, and the criteria
// select functions. Several threads may scan different units at once.

#ifndef TP_SELECT_UNITSCAN_H
#define TP_SELECT_UNITSCAN_H

#include "Criteria.h"
#include "FilterList.h"
#include "clang/Tooling/CompilationDatabase.h"

namespace tp {

struct UnitResult {
  std::vector<FunctionInfo> Functions;
  /// The entries of the unit's filter files.
  std::vector<FilterList::Entry> FilterEntries;
  std::string Diagnostics; ///< clang's errors
  bool Failed = false;
};

/// \p Command is complete: it has the options of the build and those given to
/// tp-select.
UnitResult scanUnit(const clang::tooling::CompileCommand &Command,
                    const Criteria &Wanted);

/// If \p Path is below the current folder, returns it relative to that folder.
std::string displayPath(llvm::StringRef Path, llvm::StringRef Directory);

} // namespace tp

#endif
