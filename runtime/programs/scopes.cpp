// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins and ends scopes; see scopes.h and open_calls.h. Not in hits.
#include "programs/scopes.h"
#include "base/cancel.h"
#include "base/small_alloc.h"
#include "probes/api.h"
#include "programs/lasting_memory.h"
#include "programs/open_calls.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "timing/missing_exits.h"

namespace tprt {

ScopeSlot scopeSlots[kMostScopes];

// The last round. Under the lock. The numbers have 24 bits (ScopeRef).
static uint32_t rounds;

bool makeScope(Scope *&place) {
  CancelDisabled uncancelled;
  SeenEnds ends;
  if (!ends.reserve())
    return false;
  Lock lock;
  unsigned slot = 0;
  while (slot < kMostScopes && scopeSlots[slot].scope)
    ++slot;
  auto *scope = slot == kMostScopes
                    ? nullptr
                    : static_cast<Scope *>(allocateSmall(sizeof(Scope)));
  if (!scope) {
    ends.release();
    return false;
  }
  rounds = (rounds + 1) & 0xffffff;
  rounds += !rounds;
  *scope = {slot, rounds, nullptr, ends};
  scopeSlots[slot].scope = place = scope;
  __atomic_store_n(&scopeSlots[slot].round, rounds, __ATOMIC_RELEASE);
  return true;
}

static ScopeLink *addLink(Scope &scope) {
  Lock lock;
  auto *link = static_cast<ScopeLink *>(allocateSmall(sizeof(ScopeLink)));
  if (!link)
    return nullptr;
  *link = {{scope.links, nullptr}, &scope, scope.slot, false};
  scope.links = link;
  return link;
}

static void dropLink(Scope &scope) {
  Lock lock;
  auto *link = static_cast<ScopeLink *>(scope.links);
  scope.links = link->next;
  freeSmall(link, sizeof(ScopeLink));
}

tprt_status addScoped(Scope *scope, const tprt_selector *selector,
                      tprt_result &result) {
  CancelDisabled uncancelled;
  if (selector->kinds & (TPRT_KIND_SET_POINT | TPRT_KIND_SET_INSTRUCTION))
    return fail(TPRT_STATUS_INVALID_ARGUMENT,
                "a call is inside of calls of functions, not of points or "
                "single instructions");
  findLastingMemory();
  ScopeLink *link = addLink(*scope);
  if (!link)
    return fail(TPRT_STATUS_NO_MEMORY, "no memory for a group of functions");
  tprt_selector which = *selector;
  which.kinds = TPRT_KIND_SET_ALL;
  tprt_action action{};
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  action.handler = followCall;
  action.data = link;
  const tprt_status status = attach(&which, &action, &link->probe, result,
                                    false, Handler::KeepsVectors);
  __atomic_store_n(&link->attached, true, __ATOMIC_RELEASE);
  if (!link->probe) { // so no thread has ever seen the link
    dropLink(*scope);
    return status;
  }
  return status == TPRT_STATUS_OK
             ? explainWithoutExits(link->probe, "are not followed")
             : status;
}

static void freeScope(Scope *&place) {
  Scope *scope = place;
  scope->ends.release();
  Lock lock;
  while (scope->links) {
    auto *link = static_cast<ScopeLink *>(scope->links);
    scope->links = link->next;
    freeSmall(link, sizeof(ScopeLink));
  }
  scopeSlots[scope->slot].scope = nullptr;
  place = nullptr;
  freeSmall(scope, sizeof(Scope));
}

tprt_status endScope(Scope *&place, int timeoutMs) {
  CancelDisabled uncancelled;
  auto caller = reinterpret_cast<uint64_t>(__builtin_dwarf_cfa());
  __atomic_store_n(&scopeSlots[place->slot].round, 0, __ATOMIC_RELEASE);
  const tprt_status status =
      detachLinks(place->links, timeoutMs, caller, insideHandler());
  if (status == TPRT_STATUS_OK)
    freeScope(place);
  return status;
}

size_t sitesOfScope(const Scope *scope) {
  Lock lock;
  return sitesOfLinks(scope->links);
}

ScopeRef refOf(const Scope *scope) { return {scope->round, scope->slot}; }

} // namespace tprt
