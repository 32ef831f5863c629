// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The callers of a hit's function, by the tables of stacks/stack_tables.h. In
// hits: async-signal-safe, without vector registers. beginStacks() was called.
#ifndef TPRT_PROGRAMS_WALK_STACK_H
#define TPRT_PROGRAMS_WALK_STACK_H

#include "programs/program.h"

namespace tprt {

struct WalkedStack {
  unsigned count;
  tprt_program_stack_end end;
};

// Stores the return addresses of at most `most` calls, the innermost first.
// Only addresses that are certain are stored.
WalkedStack walkStack(const StackPlace &place, unsigned most, uint64_t *to);

} // namespace tprt

#endif
