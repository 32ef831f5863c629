// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler that follows the calls of scopes, and what programs ask about
// them; see scopes.h. Runs in hits, on any thread: async-signal-safe, without a
// lock and without vector registers.
#include "programs/follow_calls.h"
#include "modules/module.h"
#include "programs/open_calls.h"
#include "programs/read_memory.h"
#include "sites/arch.h"
#include "threads/thread_block.h"
#include "timing/missing_exits.h"

namespace tprt {

void beginThreadScopes(void *state) {
  markStale(static_cast<ThreadScopes *>(state)->of);
}

// --- lists -------------------------------------------------------------------

static ScopedCalls *makeList(ScopeSlot &slot) {
  auto *list = static_cast<ScopedCalls *>(reserveInHit(sizeof(ScopedCalls)));
  if (!list)
    return nullptr;
  list->open.init();
  addToList(slot.lists, list);
  return list;
}

static ScopedCalls *listAt(uintptr_t word) {
  return reinterpret_cast<ScopedCalls *>(word & ~(kStale | kNoList));
}

// The calling thread's list, which is made if there is none. nullptr: no
// memory.
[[gnu::noinline]] static ScopedCalls *findList(const ScopeLink &link) {
  Thread *self = blockInHit();
  if (!self)
    return nullptr;
  uintptr_t &word = stateOf<ThreadScopes>(self, scopesComponent).of[link.slot];
  ScopedCalls *list = listAt(word);
  if (!list)
    list = makeList(scopeSlots[link.slot]);
  else // calls of an ended thread, or of an earlier scope
    list->open.setTop(list->open.calls);
  if (list)
    list->round = link.scope->round;
  __atomic_store_n(&word, list ? reinterpret_cast<uintptr_t>(list) : kNoList,
                   __ATOMIC_RELEASE);
  return list;
}

static inline ScopedCalls *listOf(const ScopeLink &link) {
  const uintptr_t word =
      stateOf<ThreadScopes>(threadInHandler(), scopesComponent).of[link.slot];
  if (__builtin_expect(word && !(word & (kStale | kNoList)), 1))
    if (ScopedCalls *list = listAt(word); list->round == link.scope->round)
      return list;
  // What the thread has done without a list stays unknown.
  return word == kNoList ? nullptr : findList(link);
}

// --- calls -------------------------------------------------------------------

// Whether the end of the function's calls is seen.
static inline bool ends(const ScopeLink &link, const tprt_site *entry) {
  return __atomic_load_n(&link.attached, __ATOMIC_ACQUIRE) &&
         link.scope->ends.has(entry, [] { return true; });
}

// The word at a call's stack position, in which x86-64 has the return address
// (psABI, 3.2.2). A position may be on a stack that is gone, so it is read as
// memory of a program is.
static inline bool isOnStack(const OpenScopedCall &call) {
  const uint64_t expected = call.returnAddress;
  if (!expected)
    return true;
  const Read word = readNumber(call.stack, sizeof(uint64_t));
  return word.known && word.value == expected;
}

// Another probe's hit at the same site has done it. A call of the same function
// at the same position would be another one only after an exit.
static bool isSame(const OpenScopedCall &call, const ScopeLink &link,
                   const tprt_site &site, uint64_t stack) {
  return call.stack == stack && call.link != &link &&
         call.function == functionOf(site);
}

static void enter(const ScopeLink &link, const tprt_event *event,
                  const tprt_regs *regs) {
  if (!ends(link, event->site))
    return;
  ScopedCalls *list = listOf(link);
  if (!list)
    return;
  ShadowStack<OpenScopedCall> &open = list->open;
  const auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  if (open.top->stack <= stack) {
    if (isSame(*open.top, link, *event->site, stack))
      return;
    open.cutLeft(stack, [&] { open.setTop(open.top - 1); });
  }
  if (open.isFull())
    return;
  OpenScopedCall *call = open.top + 1;
  const uint64_t to = tprt_regs_return_address(regs);
  const auto *word = reinterpret_cast<const uint64_t *>(stack);
  call->stack = stack;
  call->function = functionOf(*event->site);
  call->link = &link;
  call->returnAddress = __atomic_load_n(word, __ATOMIC_RELAXED) == to ? to : 0;
  open.setTop(call);
}

static void leave(const ScopeLink &link, const tprt_event *event,
                  const tprt_regs *regs) {
  ScopedCalls *list = listOf(link);
  const auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  if (list) {
    ShadowStack<OpenScopedCall> &open = list->open;
    if (open.wasLeftOut(stack) ||
        isSame(open.top[1], link, *event->site, stack))
      return;
    auto isIts = [&](const OpenScopedCall &call) {
      return call.function == functionOf(*event->site);
    };
    auto cut = [&] { open.setTop(open.top - 1); };
    if (open.cutInside(stack, isIts, cut))
      return cut();
  }
  // The call began before the scope, or on another thread.
  for (ScopedCalls *l =
           __atomic_load_n(&scopeSlots[link.slot].lists, __ATOMIC_ACQUIRE);
       l; l = l->next)
    l->open.disown(stack);
}

void followCall(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto &link = *static_cast<const ScopeLink *>(data);
  if (event->kind == TPRT_KIND_ENTRY)
    enter(link, event, regs);
  else if (event->kind == TPRT_KIND_EXIT || event->kind == TPRT_KIND_TAIL_EXIT)
    leave(link, event, regs);
}

// --- questions ---------------------------------------------------------------

// The calls further out than an open one are open, too. Those that were left
// stay in the list: on a stack of the program's own, a call below may go on.
uint32_t callsAround(ScopeRef ref, uint64_t stack) {
  if (!ref.round || __atomic_load_n(&scopeSlots[ref.slot].round,
                                    __ATOMIC_ACQUIRE) != ref.round)
    return kUnknownCalls;
  const uintptr_t word =
      stateOf<ThreadScopes>(threadInHandler(), scopesComponent).of[ref.slot];
  if (!word || word & kStale)
    return 0;
  if (word & kNoList)
    return kUnknownCalls;
  const ScopedCalls *list = listAt(word);
  if (list->round != ref.round)
    return 0;
  const ShadowStack<OpenScopedCall> &open = list->open;
  const OpenScopedCall *call = open.top;
  while (call > open.calls &&
         (call->stack == stack || !isOpenAround(call->stack, stack) ||
          !isOnStack(*call)))
    --call;
  return call == open.calls + kMostOpen
             ? kManyCalls
             : static_cast<uint32_t>(call - open.calls);
}

void callsLeft(uint64_t stack) {
  Thread *self = knownThread();
  if (!self)
    return;
  ThreadScopes &scopes = stateOf<ThreadScopes>(self, scopesComponent);
  for (const uintptr_t word : scopes.of) {
    if (!word || word & (kStale | kNoList))
      continue;
    ShadowStack<OpenScopedCall> &open = listAt(word)->open;
    open.cutLeft(stack, [&] { open.setTop(open.top - 1); });
  }
}

} // namespace tprt
