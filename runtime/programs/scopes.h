// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls of chosen functions are open in each thread, for programs
// (tprt/control_program.h: INSIDE, DEPTH). A scope is a group of probes at the
// entries and exits of these functions. It counts and stores nothing else.
//
// Only calls count that begin after addScoped() has returned, and calls of
// functions of which all exits are probed. A call that is left by an exception
// or longjmp is taken off by callsLeft(), or as soon as the thread begins or
// ends another call of the scope further out. On x86-64, callsAround() also
// sees that its return address is no longer on the stack.
//
// Calls for one scope come from one thread at a time. None of these functions
// but those in hits may be called in a handler.
#ifndef TPRT_PROGRAMS_SCOPES_H
#define TPRT_PROGRAMS_SCOPES_H

#include "programs/scope_ref.h"
#include "tprt/tprt.h"

#include <stddef.h>

namespace tprt {

struct Scope;

// The most scopes at a time.
constexpr unsigned kMostScopes = 8;

// Makes a scope without probes, and stores it in `place` under the lock. False:
// no memory, or kMostScopes scopes exist.
bool makeScope(Scope *&place);

// Adds the functions that `selector` finds, whatever its `kinds`. Status and
// result are those of tprt_probe_attach(). PARTIAL also means that functions
// have an entry and no exit: their calls are not followed.
tprt_status addScoped(Scope *scope, const tprt_selector *selector,
                      tprt_result &result);

// Detaches all selectors, with the statuses of tprt_probe_detach(). OK: the
// scope is gone, and `place` is nullptr. Any other status: repeat the call.
// From the first call on, callsAround() returns kUnknownCalls.
tprt_status endScope(Scope *&place, int timeoutMs);

size_t sitesOfScope(const Scope *scope);
ScopeRef refOf(const Scope *scope);

} // namespace tprt

#endif
