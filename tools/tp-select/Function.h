// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of one function after its translation unit has been read. Made
// on the thread that read the unit, read-only afterwards.

#ifndef TP_SELECT_FUNCTION_H
#define TP_SELECT_FUNCTION_H

#include "DecidePass.h"
#include "Measures.h"
#include <optional>
#include <string>

namespace tp {

struct FunctionInfo {
  std::string Name;     ///< as in the object file
  std::string Readable; ///< the same demangled
  std::string Unit;     ///< the source file of the translation unit
  std::string File;     ///< where it is written; the unit where nobody wrote it
  unsigned Line = 0;    ///< 0: made by the compiler
  unsigned Column = 0;
  bool IsLocal = false; ///< its name may mean another function elsewhere
  bool IsChosen = false;
  std::optional<Measures> Size; ///< if there is a body in the source

  Rule By = Rule::NoFlag;
  std::optional<EntrySpec> Entry;
  bool Exit = false;
  unsigned Threshold = 0;
  std::string Why;        ///< the rule in words
  std::string FilterFile; ///< for Rule::Filter
  unsigned FilterLine = 0;

  bool hasSled() const { return Entry || Exit; }
};

/// The word for a rule in JSON.
llvm::StringRef ruleName(Rule R);

} // namespace tp

#endif
