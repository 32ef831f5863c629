// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread does to the records of all threads: it sends them to the slow
// path and leaves their blocks when a recording stops, and counts their words.
// The threads go on recording. Under the lock and not in hits, except
// countOpenWords(): any thread, without the lock, also inside a handler.
#include "record/stop_threads.h"
#include "base/os_thread.h"
#include "record/append.h"
#include "record/block_handover.h"
#include "record/blocks.h"
#include "record/recording.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "threads/lock.h"
#include "threads/thread_block.h"

namespace tprt {

namespace {
// Another thread's cursor may be gone with that thread at any time, unless the
// thread waits for this in endThreadRecord().
class CursorVisit {
public:
  explicit CursorVisit(ThreadRecord &thread) : thread(thread) {
    __atomic_fetch_add(&thread.visitors, 1, __ATOMIC_SEQ_CST);
  }
  ~CursorVisit() { __atomic_fetch_sub(&thread.visitors, 1, __ATOMIC_SEQ_CST); }
  RecordCursor *cursor() const {
    return __atomic_load_n(&thread.cursor, __ATOMIC_SEQ_CST);
  }

private:
  ThreadRecord &thread;
};
} // namespace

static uint64_t sendToSlowPath(Thread *owner, ThreadRecord &thread) {
  CursorVisit visit(thread);
  RecordCursor *cursor = visit.cursor();
  if (!cursor || hasEnded(owner))
    return 0;
  __atomic_store_n(&cursor->epoch, kNoEpoch, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&cursor->next, __ATOMIC_RELAXED);
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

// A signal handler that interrupted a visit might leave it by siglongjmp, and
// the visited thread could never end. So signals wait.
uint64_t countOpenWords() {
  SignalsHeld held;
  uint64_t words = 0;
  for (Thread *t = firstThread(); t; t = t->next) {
    ThreadRecord *thread = recordIn(t);
    if (!thread || hasEnded(t))
      continue;
    CursorVisit visit(*thread);
    RecordCursor *cursor = visit.cursor();
    Block *block = thread->block;
    uint64_t next =
        cursor ? __atomic_load_n(&cursor->next, __ATOMIC_RELAXED) : 0;
    if (block && next && isOfNow(*thread) &&
        next - startOf(block) <= kBlockWords * 8)
      words += usedOf(block, next) / 8;
  }
  return words + countHandedWords();
}

} // namespace tprt
