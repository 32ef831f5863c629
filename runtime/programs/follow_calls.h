// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls of a scope (scopes.h) are open in the calling thread.
// open_calls.h describes the lists of calls.
#ifndef TPRT_PROGRAMS_FOLLOW_CALLS_H
#define TPRT_PROGRAMS_FOLLOW_CALLS_H

#include "programs/scope_ref.h"
#include "tprt/tprt.h"

#include <stdint.h>

namespace tprt {

// How many calls of a scope are open in the calling thread around a call that
// begins at `stack`; that call itself does not count. kUnknownCalls: the scope
// has ended, or the thread got no memory. Async-signal-safe, without vector
// registers.
constexpr uint32_t kUnknownCalls = UINT32_MAX;
uint32_t callsAround(ScopeRef ref, uint64_t stack);
// The same, if more calls were open than the list has room for.
constexpr uint32_t kManyCalls = UINT32_MAX - 1;

// The calling thread goes on in a call whose stack pointer is `stack`: calls
// further inside were left. Not in a hit; async-signal-safe.
void callsLeft(uint64_t stack);

// Called when a thread gets its block.
void beginThreadScopes(void *state);

// The handler; `data` is a ScopeLink.
void followCall(const tprt_event *event, const tprt_regs *regs, void *data);

} // namespace tprt

#endif
