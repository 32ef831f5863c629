// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow way of a hit, called by the architecture's trampoline with all state
// of the program kept but errno: a thread's first hit, a guard that is set, a
// stack that is not aligned, wide vectors, a redirection among others. Runs
// inside hits, also in signal handlers: async-signal-safe. And the dispatcher
// of chains, which is called like a handler.
#include "core/hit.h"
#include "core/arch.h"
#include "core/chain.h"
#include "core/threads.h"

#include <errno.h>

namespace tprt {

namespace {
// What tprt_event_time() reads.
struct TimedEvent {
  tprt_event event;
  uint64_t time;
};
static_assert(sizeof(TimedEvent) == 24 && sizeof(tprt_event) == 16);
} // namespace

void dispatch(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto *chain = static_cast<const Chain *>(data);
  // A site has one counter, however many probes read it.
  uint64_t hits = chain->counts ? countHit(indexOf(event->site)) : 0;
  for (uint32_t i = 0; i < chain->count; ++i) {
    const ChainEntry &entry = chain->entries[i];
    if (!entry.handler || (entry.every > 1 && hits % entry.every != 0))
      continue;
    TimedEvent own = {*event, 0};
    own.event.flags |= entry.flags;
    if (entry.flags & TPRT_EVENT_TIMED)
      own.time = readTicks();
    entry.handler(&own.event, regs, entry.data);
  }
}

const void *deliver(const StubData *data, tprt_regs *regs) {
  int savedErrno = errno;
  auto position = reinterpret_cast<uint64_t>(regs);
  Thread *self = currentThread();
  const void *redirect = nullptr;
  if (self && self->guard && guardStands(self->guard, position)) {
    // The chain stays: whoever takes it off waits for the handler we are
    // inside.
    const Chain *chain = __atomic_load_n(&data->chain, __ATOMIC_ACQUIRE);
    if (chain->calls)
      ++self->missed;
    // Counting and redirecting need no call, so they are never missed.
    if (chain->counts)
      countHit(indexOf(siteOf(*data)));
    redirect = chain->redirect;
  } else if (self) {
    // Guard before chain, as in the trampoline; the detacher's membarrier is
    // the hardware's side of it.
    __atomic_store_n(&self->guard, position, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const Chain *chain = __atomic_load_n(&data->chain, __ATOMIC_ACQUIRE);
    chain->handler(&siteOf(*data)->event, regs, chain->data);
    redirect = chain->redirect;
    __atomic_store_n(&self->guard, 0, __ATOMIC_RELEASE);
  }
  errno = savedErrno;
  return redirect;
}

} // namespace tprt
