// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's cursor: where its next event goes, and what has to happen before.
// In hits: async-signal-safe; the functions take no lock, and call neither
// malloc nor functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_THREAD_CURSOR_H
#define TPRT_RECORD_THREAD_CURSOR_H

#include "record/thread_record.h"

namespace tprt {

// The calling thread's record. nullptr: no memory.
ThreadRecord *currentRecord();
void loseEvent(ThreadRecord *thread);
// Stores events of several words in the order that the format asks for.
void storeEvent(uint64_t *to, const uint64_t *words, unsigned count);
// Whether words may be claimed at `next` for an event at `now`; and one step
// towards that, under SignalsHeld. False: the event is lost.
bool isReady(const ThreadRecord &thread, uint64_t next, uint64_t now,
             unsigned count);
bool makeReady(ThreadRecord &thread, uint64_t next, uint64_t now,
               unsigned count);
// Lets the cursor lead to `next`. Returns where it led at that moment.
uint64_t moveCursor(uint64_t next);
// Stores the thread's name if it is not known yet, or has changed.
void storeName(ThreadRecord &thread);

constexpr uint64_t extensionWord(unsigned type, uint64_t count, uint64_t high) {
  return high << TPRT_TRACE_TIME_SHIFT | count << TPRT_TRACE_COUNT_SHIFT |
         type << TPRT_TRACE_TYPE_SHIFT;
}

// A thread's record, which it may not have yet: nullptr.
ThreadRecord *&recordIn(Thread *thread);
// Whether the record is of this recording and process. False also in a child of
// fork() before its first event: what the thread has is its parent's.
bool isOfNow(const ThreadRecord &thread);
// Forgets what signal handlers kept.
void forgetKept(ThreadRecord &thread);
// Leaves the blocks that the thread holds, if nothing is to be stored to them
// any more. `all`: in any case.
void leaveHeld(ThreadRecord &thread, bool all);

} // namespace tprt

#endif
