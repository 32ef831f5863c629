// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about one function after its translation unit has been read. The
// thread that reads the unit creates this structure. After that, the structure
// is read-only.

#ifndef TP_SELECT_FUNCTION_H
#define TP_SELECT_FUNCTION_H

#include "Measures.h"
#include "SourceDecision.h"
#include <optional>
#include <string>

namespace tp {

struct FunctionInfo {
  std::string Name;     ///< as in the object file
  std::string Readable; ///< the same demangled
  std::string Unit;     ///< the source file of the translation unit
  /// The file that the function is written in, or the unit's file if the
  /// compiler made the function.
  std::string File;
  unsigned Line = 0; ///< 0: made by the compiler
  unsigned Column = 0;
  bool IsLocal = false; ///< the name may mean another function elsewhere
  bool IsChosen = false;
  std::optional<Measures> Size; ///< if there is a body in the source
  /// If a filter file has decided, its path is relative to the current folder.
  SourceDecision Decision;
  std::string Why; ///< the decision's reason()
};

} // namespace tp

#endif
