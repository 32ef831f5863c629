// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of a scope's open calls, one for each thread. Only the thread
// writes to its list, but for ShadowStack::disown().
//
// A list is never freed: programs of other groups read it, and need not end
// with the scope. The next scope in the slot uses it again, which its round
// tells.
#ifndef TPRT_PROGRAMS_OPEN_CALLS_H
#define TPRT_PROGRAMS_OPEN_CALLS_H

#include "probes/probe_links.h"
#include "programs/follow_calls.h"
#include "programs/scopes.h"
#include "programs/seen_ends.h"
#include "threads/component.h"
#include "timing/shadow_stack.h"
#include "timing/thread_sums.h"

namespace tprt {

// The lists' addresses by the scope's slot. Low bits: kStale, the list is of a
// thread that had the block before; kNoList, the thread got no memory.
struct ThreadScopes {
  uintptr_t of[kMostScopes];
};
constexpr uintptr_t kNoList = 2;

inline constexpr Component scopesComponent{.stateAt = timesComponent.stateAt +
                                                      timesComponent.stateBytes,
                                           .stateBytes = sizeof(ThreadScopes),
                                           .beginThread = beginThreadScopes};

struct ScopeLink;

struct OpenScopedCall {
  uint64_t stack; // See ShadowStack.
  uint64_t function;
  const ScopeLink *link;
  // 0: it is not on the stack.
  uint64_t returnAddress;
};

struct ScopedCalls {
  ScopedCalls *next; // Of the slot. Written before the list is published.
  uint32_t round;    // Of the scope whose calls these are.
  ShadowStack<OpenScopedCall> open;
};

// One selector of a scope: what the handler gets as its data.
struct ScopeLink : ProbeLink {
  Scope *scope;
  unsigned slot;
  // The attach has ended: all exits are probed.
  bool attached;
};

struct Scope {
  unsigned slot;
  uint32_t round;
  ProbeLink *links; // Each is a ScopeLink.
  SeenEnds ends;
};

// What a slot keeps.
struct ScopeSlot {
  Scope *scope;   // Under the lock.
  uint32_t round; // Of the scope; 0: there is none, or it is ending.
  ScopedCalls *lists;
};
extern ScopeSlot scopeSlots[kMostScopes] TPRT_HIDDEN;

} // namespace tprt

#endif
