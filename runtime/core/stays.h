// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stays: a thread is in one from the store that raises its guard until its
// guard is lowered, or until the handler was left some other way. Whoever
// detaches a probe waits for the stays in that probe's handler, and for no
// others; and what a stay may read of ours is not freed before its end.
//
// What is known of a stay, from another thread:
//   - its position on the stack, which is the guard's value
//   - whose handler runs, where the dispatcher runs it (kDispatched)
//   - else its site, which the trampoline's frame at that position leads to,
//     and so the probes whose handler it may be in
//   - that it is over: the guard has another value; or its thread has ended;
//     or the frame is overwritten, which happens when the handler was left by
//     longjmp, or finished on another thread, and the stack was used again
// What is none of these is waited for.
#ifndef TPRT_CORE_STAYS_H
#define TPRT_CORE_STAYS_H

#include "core/plain/hit.h"

#include <stdint.h>

struct tprt_probe;

namespace tprt {

struct Thread;

// Whether a guard, or what a block's `left` shows, is the stay at `position`.
constexpr bool isStayAt(uint64_t stay, uint64_t position) {
  return stay && !((stay ^ position) & ~uint64_t{kStayBits});
}

// The position of the hit whose registers are there, as a guard says it.
inline uint64_t positionAt(const void *regs) {
  auto position = reinterpret_cast<uint64_t>(regs);
  return position & kStayBits ? (position & ~uint64_t{kStayBits}) | kOdd
                              : position;
}

// The stay at `position`, which is the calling thread's own, is over: no thread
// shows it any longer. Async-signal-safe.
void forgetStay(uint64_t position);

// A hit at `position` is about to raise a guard that is set, but does not
// stand: keeps what it says. `low`: from there up to the hit's own frame this
// thread uses the stack, so a stay there is over. In hits.
void keepStay(Thread *self, uint64_t low, uint64_t position);

// The dispatcher's way to say whose handler runs, in the stay at `position`.
// The caller looks whether the probe is over after each call of noteHandler().
void beginDispatch(Thread *self, uint64_t position);
inline void noteHandler(Thread *self, const tprt_probe *probe);
// Before each handler: a handler before it may have handed over to another
// coroutine and come back, also on another thread. Then the calling thread
// shows the stay again, *moved is set, and forgetStay() is due at the end, as
// the stay is still shown where it was before. Returns the calling thread's
// block; nullptr: there is no memory for one.
Thread *resumeStay(uint64_t position, bool *moved);

// Returns when no thread is in the handler of this probe, which is over, and a
// barrier has been issued since; false if one still is after timeoutMs
// milliseconds (-1: no limit), or may be on a stack that the calling thread has
// left, which no waiting would change. Called without the lock.
//
// Where the calling thread itself left a handler, its stack from `caller` down
// to here is in use again.
bool waitForHandlers(const tprt_probe *probe, uint64_t caller, int timeoutMs);

// Marks all stays there are, and returns when the oldest of them was marked, in
// numbers of chainTime; UINT64_MAX: there is none; 0: that can't be known.
// Under the lock.
uint64_t oldestStay();
// Counts looks at stays and retirements of chains. Under the lock.
extern uint64_t chainTime;

} // namespace tprt

#include "core/threads.h"

inline void tprt::noteHandler(Thread *self, const tprt_probe *probe) {
  __atomic_store_n(&self->running, probe, __ATOMIC_RELAXED);
  // The hardware's side is the detacher's membarrier.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
