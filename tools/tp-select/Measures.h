// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simple measures of a function's body as it is written (for a template: as it
// is instantiated). No state.

#ifndef TP_SELECT_MEASURES_H
#define TP_SELECT_MEASURES_H

namespace clang {
class Decl;
}

namespace tp {

struct Measures {
  unsigned Statements = 0; ///< without blocks and empty statements
  unsigned Loops = 0;
  unsigned Calls = 0; ///< calls, and constructors that do something
  bool Virtual = false;
};

/// Lambdas and blocks inside are separate functions and are not counted.
Measures measure(const clang::Decl &Function);

} // namespace tp

#endif
