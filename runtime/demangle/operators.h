// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators in linked names of C++.
#ifndef TPRT_DEMANGLE_OPERATORS_H
#define TPRT_DEMANGLE_OPERATORS_H

#include <stdint.h>

namespace tprt::names {

// The operators by the two characters of their code.
struct Operator {
  char code[3];
  enum How : uint8_t {
    Binary,
    Prefix,
    Postfix,
    Index,
    Member,
    New,
    Delete,
    Call,
    Cast,
    Conditional,
    NameOnly,
    NamedCast,
    OfType,
    OfExpression
  } how;
  uint8_t prec;
  const char *name; // after "operator"
  bool isNamable() const { return how < OfType && how != NamedCast; }
};
const Operator *findOperator(char first, char second);

} // namespace tprt::names

#endif
