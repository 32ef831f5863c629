// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A critical section is a thread's time inside a handler. The critical section
// begins with the store that raises the thread's guard, and ends when the guard
// is lowered, or when the handler is left without a return. A detach waits only
// for the critical sections in its probe's handler. Memory of the runtime that
// a critical section may read is not freed before the critical section ends.
//
// What another thread can know of a critical section:
// - its position on the stack, which is the guard's value
// - which probe's handler runs, if the dispatcher calls it (kDispatched)
// - else its site, to which the trampoline's frame at that position leads, and
//   by the site the probes whose handler it may be in
// - that it is over: the guard has another value, or its thread has ended, or
//   its frame is overwritten. A frame is overwritten when the handler was left
//   by longjmp, or finished on another thread, and the stack was used again
// A detach waits for a critical section unless this shows that the critical
// section is over, or that it is not in the handler of the detached probe.
#ifndef TPRT_HITS_QUIESCE_H
#define TPRT_HITS_QUIESCE_H

#include "sites/hit_layout.h"

#include <stdint.h>

struct tprt_probe;

namespace tprt {

struct Thread;

// Whether a guard, or an item of a block's `left`, is the critical section at
// `position`.
constexpr bool isSectionAt(uint64_t section, uint64_t position) {
  return section && !((section ^ position) & ~uint64_t{kSectionBits});
}

// The position of the hit whose registers are at `regs`, in the form that a
// guard has.
inline uint64_t positionAt(const void *regs) {
  auto position = reinterpret_cast<uint64_t>(regs);
  return position & kSectionBits ? (position & ~uint64_t{kSectionBits}) | kOdd
                                 : position;
}

// Notes that the calling thread's critical section at `position` is over:
// afterwards, no thread's block shows that critical section. Async-signal-safe.
void forgetSection(uint64_t position);

// Called when a hit at `position` is about to raise a guard that is set but no
// longer in use. Keeps the old critical section in `left`. This thread uses its
// stack from `low` up to the hit's own frame. So if a critical section's frame
// overlaps that part, the critical section is over. Called in hits.
void keepSection(Thread *self, uint64_t low, uint64_t position);

// With these functions, the dispatcher shows which probe's handler runs in the
// critical section at `position`. After each call of noteHandler(), the caller
// checks whether the probe is over.
void beginDispatch(Thread *self, uint64_t position);
inline void noteHandler(Thread *self, const tprt_probe *probe);
// Called before each handler. The previous handler may have switched to another
// coroutine and back, perhaps on another thread. In that case, this function
// makes the calling thread's block show the critical section again, and sets
// *moved. The former block also still shows the critical section, so the caller
// must then call forgetSection() at the end. Returns the calling thread's
// block, or nullptr if there is no memory for one.
Thread *resumeSection(uint64_t position, bool *moved);

// Waits until no thread is in the handler of this probe. Before the call, the
// caller has marked the probe as over, and has then issued a barrier. Called
// without the lock. Returns false
// - if a thread is still in the handler after timeoutMs milliseconds (-1: no
//   limit), or
// - if a critical section may be on a stack that the calling thread has left;
//   waiting would not help.
//
// If the calling thread itself has left a handler, its stack from `caller` down
// to this call is in use again, which shows that the critical section is over.
bool waitForHandlers(const tprt_probe *probe, uint64_t caller, int timeoutMs);

// A hit inside a handler reads an action list, and calls the recorder, without
// raising a guard. This function waits for all such hits that began before the
// call. Afterwards, no thread reads an action list that was replaced before the
// last barrier. Called without the lock. Returns false if a thread is still in
// such a hit after timeoutMs milliseconds.
bool waitForReaders(int timeoutMs);

// Marks all present critical sections. Returns the time, in actionListTime, at
// which the oldest of them was marked; UINT64_MAX if there is none; 0 if the
// time is unknown. Called under the lock.
uint64_t oldestSection();
} // namespace tprt

#include "threads/thread_block.h"

inline void tprt::noteHandler(Thread *self, const tprt_probe *probe) {
  __atomic_store_n(&self->running, probe, __ATOMIC_RELAXED);
  // The detacher's membarrier acts as the hardware fence here.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
