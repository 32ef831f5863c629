// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program refers to a scope (programs/scopes.h), which may end before it.
#ifndef TPRT_PROGRAMS_SCOPE_REF_H
#define TPRT_PROGRAMS_SCOPE_REF_H

#include <stdint.h>

namespace tprt {

// A slot is used by one scope after the other, each in a round of its own. 0:
// this refers to no scope.
struct ScopeRef {
  uint32_t round : 24, slot : 8;
};

} // namespace tprt

#endif
