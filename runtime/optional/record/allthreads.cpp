// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread does to the records of all threads: it sends them to the slow
// path and leaves their blocks when a recording stops, and counts their words.
// The threads go on recording. Under the lock and not in hits, except
// countOpenWords(): any thread, without the lock, also inside a handler.
#include "core/lock.h"
#include "core/os.h"
#include "core/threads.h"
#include "optional/record/recording.h"

namespace tprt {

// Another thread's cursor may be gone with that thread at any time, unless the
// thread waits for us in endThreadRecord().
static uint64_t sendToSlowPath(Thread *owner, ThreadRecord &thread) {
  uint64_t next = 0;
  __atomic_store_n(&thread.writing, 1, __ATOMIC_SEQ_CST);
  RecordCursor *cursor = __atomic_load_n(&thread.cursor, __ATOMIC_SEQ_CST);
  if (cursor && !hasEnded(owner)) {
    __atomic_store_n(&cursor->epoch, kNoEpoch, __ATOMIC_SEQ_CST);
    next = __atomic_load_n(&cursor->next, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&thread.writing, 0, __ATOMIC_SEQ_CST);
  return next;
}

void sendAllToSlowPath() {
  // Pairs with setEpoch().
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (Thread *t = firstThread(); t; t = t->next)
    if (ThreadRecord *thread = recordIn(t))
      sendToSlowPath(t, *thread);
}

static bool hasOpenBlock(const ThreadRecord &thread, uint32_t generation) {
  return thread.generation == generation &&
         thread.process == recording.processGeneration && thread.block &&
         !thread.left;
}

static bool someoneIsStoring(uint32_t generation) {
  for (Thread *t = firstThread(); t; t = t->next) {
    ThreadRecord *thread = recordIn(t);
    if (!thread)
      continue;
    uint64_t next = sendToSlowPath(t, *thread);
    if (hasOpenBlock(*thread, generation) &&
        next - startOf(thread->block) <= kBlockWords * 8 &&
        isPending(thread->block, usedOf(thread->block, next)))
      return true;
  }
  return false;
}

// A thread may have lost its processor between claiming words and storing to
// them. Nearly always it has stored a moment later. It never does where a
// signal handler was left by longjmp.
static void awaitStores(uint32_t generation) {
  constexpr unsigned kMostTries = 250;
  constexpr uint64_t kPauseNs = 1'000'000;
  for (unsigned tries = 0; tries < kMostTries && someoneIsStoring(generation);
       ++tries)
    sleepFor(kPauseNs);
}

void leaveAllBlocks(uint32_t generation) {
  // Pairs with setEpoch().
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  awaitStores(generation);
  for (Thread *t = firstThread(); t; t = t->next) {
    ThreadRecord *thread = recordIn(t);
    if (!thread)
      continue;
    uint64_t next = sendToSlowPath(t, *thread);
    if (!hasOpenBlock(*thread, generation))
      continue;
    leaveHeld(*thread, true);
    // A cursor that leads elsewhere is that of a thread that ended, or of one
    // that is inside tprt_record_mark().
    leaveBlock(thread->block, usedOf(thread->block, next));
  }
  leaveHandedBlocks();
}

uint64_t countOpenWords() {
  uint64_t words = 0;
  for (Thread *t = firstThread(); t; t = t->next) {
    ThreadRecord *thread = recordIn(t);
    if (!thread || hasEnded(t))
      continue;
    __atomic_store_n(&thread->writing, 1, __ATOMIC_SEQ_CST);
    RecordCursor *cursor = __atomic_load_n(&thread->cursor, __ATOMIC_SEQ_CST);
    Block *block = thread->block;
    uint64_t next =
        cursor ? __atomic_load_n(&cursor->next, __ATOMIC_RELAXED) : 0;
    __atomic_store_n(&thread->writing, 0, __ATOMIC_SEQ_CST);
    if (block && next && isOfNow(*thread) &&
        next - startOf(block) <= kBlockWords * 8)
      words += usedOf(block, next) / 8;
  }
  return words + countHandedWords();
}

} // namespace tprt
