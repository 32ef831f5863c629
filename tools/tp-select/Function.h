// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of one function after its translation unit has been read. It is
// made on the thread that read the unit, and read-only afterwards.

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
  /// The file that the function is written in, or the unit's if nobody wrote
  /// it.
  std::string File;
  unsigned Line = 0; ///< 0: made by the compiler
  unsigned Column = 0;
  bool IsLocal = false; ///< the name may mean another function elsewhere
  bool IsChosen = false;
  std::optional<Measures> Size; ///< if there is a body in the source
  /// A filter file's name in it is as seen from the current folder.
  SourceDecision Decision;
  std::string Why; ///< the decision's reason()
};

} // namespace tp

#endif
