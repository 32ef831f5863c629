// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread has of the recording: its block, and where it stores there.
// In hits, also in signal handlers: async-signal-safe, without vector
// registers.
//
// The thread alone writes to its cursor's `next`. A recording stub in a signal
// handler may do so between any two instructions here; the handler's calls of
// recordHit() do not get here, as `busy` says.
#include "record/thread_cursor.h"
#include "actions/record_hook.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/page_size.h"
#include "record/block_handover.h"
#include "record/blocks.h"
#include "record/record_component.h"
#include "record/recording.h"
#include "record/recording_file.h"
#include "record/thread_record.h"
#include "sites/arch.h"
#include "threads/lock.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

namespace tprt {

// A search through a ring takes as long as so many events.
static constexpr uint32_t kPause = 256;

ThreadRecord *&recordIn(Thread *thread) {
  return stateOf<ThreadRecordState>(thread, recordComponent).record;
}

ThreadRecord *currentRecord() {
  Thread *self = currentThread();
  if (!self)
    return nullptr;
  ThreadRecord *&record = recordIn(self);
  if (!record) {
    KeptErrno kept;
    auto *made = static_cast<ThreadRecord *>(
        allocatePages(roundToPages(sizeof(ThreadRecord))));
    if (!made)
      return record;
    // A signal handler may have made the thread's record meanwhile.
    if (!exchangeOn(reinterpret_cast<uint64_t *>(&record), 0,
                    reinterpret_cast<uint64_t>(made)))
      freePages(made, roundToPages(sizeof(ThreadRecord)));
  }
  if (!record->cursor)
    __atomic_store_n(&record->cursor, &__tprt_record, __ATOMIC_RELEASE);
  return record;
}

// --- losses ------------------------------------------------------------------

void loseEvent(ThreadRecord *thread) {
  bool own = thread && thread->block && !thread->shared &&
             thread->generation == recording.generation &&
             thread->process == recording.processGeneration &&
             (!thread->left || recording.mode != TPRT_TRACE_MODE_NEWEST);
  addShared(kLost, 1);
  if (own)
    thread->block->lost = ++thread->lost;
  else
    __atomic_fetch_add(&recording.header().lost, 1, __ATOMIC_RELAXED);
}

// --- leaving a block ---------------------------------------------------------

void leaveHeld(ThreadRecord &thread, bool all) {
  for (unsigned i = 0; i < kHeldBlocks; ++i)
    if (Block *held = thread.held[i];
        held && (all || !isPending(held, thread.heldUsed[i]))) {
      leaveBlock(held, thread.heldUsed[i]);
      thread.held[i] = nullptr;
    }
}

// A ring may take a full block again at once. So a block to which interrupted
// code has yet to store stays open, until it is found whole. If there are too
// many such blocks, one stays open for good.
static void hold(ThreadRecord &thread, Block *block, uint64_t used) {
  for (unsigned i = 0; i < kHeldBlocks; ++i)
    if (!thread.held[i]) {
      thread.held[i] = block;
      thread.heldUsed[i] = used;
      return;
    }
}

static void leaveOwn(ThreadRecord &thread, uint64_t next) {
  if (!thread.block || thread.left)
    return;
  thread.left = true;
  uint64_t used = usedOf(thread.block, next);
  if (recording.mode != TPRT_TRACE_MODE_NEWEST)
    return leaveBlock(thread.block, used);
  leaveHeld(thread, false);
  if (isPending(thread.block, used))
    hold(thread, thread.block, used);
  else
    leaveBlock(thread.block, used);
}

// --- taking a block ----------------------------------------------------------

void forgetKept(ThreadRecord &thread) {
  thread.keptCount = 0;
  for (uint64_t &word : thread.kept) {
    word = 0;
    __asm__ volatile("" ::: "memory"); // no memset
  }
}

// The thread has nothing of this recording yet, or is a copy in the child of a
// fork, whose blocks are its parent's.
static void renew(ThreadRecord &thread) {
  if (thread.generation != recording.generation)
    forgetKept(thread);
  thread.generation = recording.generation;
  thread.process = recording.processGeneration;
  thread.number = static_cast<uint32_t>(addShared(kThreads, 1)) + 1;
  thread.tid = static_cast<uint32_t>(knownThreadId());
  thread.order = 0;
  thread.block = nullptr;
  thread.shared = thread.left = thread.named = false;
  thread.lost = 0;
  thread.pause = 0;
  for (Block *&held : thread.held) {
    held = nullptr;
    __asm__ volatile("" ::: "memory");
  }
}

bool isOfNow(const ThreadRecord &thread) {
  return thread.generation == recording.generation &&
         thread.process == recording.processGeneration &&
         recording.processGeneration == processGeneration && !isCopiedProcess();
}

uint64_t moveCursor(uint64_t next) {
  uint64_t now;
  do
    now = __atomic_load_n(&__tprt_record.next, __ATOMIC_RELAXED);
  while (!exchangeOn(&__tprt_record.next, now, next));
  return now;
}

// Begins in a block that another thread has handed on. Only a thread's first
// block can be one: a reader takes a thread's blocks in the order of their
// sequence numbers, and this block got its number long ago.
static bool takeHanded(ThreadRecord &thread, uint64_t counter) {
  if (thread.order)
    return false;
  uint64_t next = takeHandedOn();
  if (!next)
    return false;
  Block *block = blockAt(next);
  __atomic_store_n(&block->flags, TPRT_TRACE_BLOCK_SHARED, __ATOMIC_RELEASE);
  const uint64_t words[] = {extensionWord(TPRT_TRACE_SEGMENT, 4, 0),
                            uint64_t{thread.tid} << 32 | thread.number,
                            uint64_t{thread.order++} << 32 | recording.process,
                            counter, thread.lost};
  storeEvent(reinterpret_cast<uint64_t *>(next), words, 5);
  uint64_t before = moveCursor(next + 5 * 8);
  leaveOwn(thread, before);
  thread.block = block;
  thread.shared = true;
  thread.left = false;
  return true;
}

static bool takeFresh(ThreadRecord &thread, uint64_t counter) {
  Block *block = takeBlock(TPRT_TRACE_BLOCK_EVENTS, counter);
  if (!block)
    return false;
  block->thread = thread.number;
  block->tid = thread.tid;
  block->order = thread.order++;
  block->lost = thread.lost;
  block->depth = TPRT_TRACE_DEPTH_UNKNOWN;
  openBlock(block, TPRT_TRACE_BLOCK_EVENTS);
  uint64_t before = moveCursor(startOf(block));
  leaveOwn(thread, before);
  thread.block = block;
  thread.shared = thread.left = false;
  return true;
}

// Stores the name at a thread's first block, and where it has changed since.
void storeName(ThreadRecord &thread) {
  uint64_t name[2] = {0, 0};
  if (systemCall(SYS_prctl, PR_GET_NAME, reinterpret_cast<long>(name)) != 0 ||
      (thread.named && thread.name[0] == name[0] && thread.name[1] == name[1]))
    return;
  uint64_t next = __tprt_record.next;
  if (roomAt(next) < 3 * 8 ||
      !exchangeOn(&__tprt_record.next, next, next + 3 * 8))
    return;
  const uint64_t words[] = {extensionWord(TPRT_TRACE_THREAD_NAME, 2, 0),
                            name[0], name[1]};
  storeEvent(reinterpret_cast<uint64_t *>(next), words, 3);
  thread.name[0] = name[0];
  thread.name[1] = name[1];
  thread.named = true;
}

// Moments are stored more often at first, so that the counter's rate is soon
// known: each pause is four times what has passed. Later there is one a second,
// as it takes two system calls where there is no vDSO. The
// counter tells when the next one is due, because this is checked at each
// block, and the C library's clock may be recorded itself.
static void storeMoment() {
  const tprt_trace_moment &start = recording.header().start;
  uint64_t due = __atomic_load_n(&recording.nextClock, __ATOMIC_RELAXED);
  uint64_t now = readTicks(), then = now + 4 * (now - start.counter);
  if (now < due ||
      !__atomic_compare_exchange_n(&recording.nextClock, &due, then, false,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  uint64_t next = __tprt_record.next;
  if (roomAt(next) < 4 * 8 ||
      !exchangeOn(&__tprt_record.next, next, next + 4 * 8))
    return;
  tprt_trace_moment moment;
  readMoment(moment);
  constexpr uint64_t kMostMs = 1000;
  uint64_t ms = (moment.monotonic - start.monotonic) / 1'000'000;
  if (4 * ms > kMostMs)
    __atomic_store_n(&recording.nextClock,
                     now + (now - start.counter) / ms * kMostMs,
                     __ATOMIC_RELAXED);
  const uint64_t words[] = {extensionWord(TPRT_TRACE_CLOCK, 3, 0),
                            moment.counter, moment.monotonic, moment.realtime};
  storeEvent(reinterpret_cast<uint64_t *>(next), words, 4);
}

static void setEpoch(uint32_t epoch) {
  __atomic_store_n(&__tprt_record.epoch, epoch, __ATOMIC_RELAXED);
  // Pairs with sendToSlowPath(): either it finds this epoch and replaces it, or
  // the caller finds that the recording has ended.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Leaves the thread's block and takes another. Under SignalsHeld. False: there
// is none.
static bool exchangeBlock(ThreadRecord &thread) {
  if (!isOfNow(thread)) {
    moveCursor(0);
    renew(thread);
  }
  uint64_t counter = readTicks();
  if (readShared(kFull) ||
      (!takeHanded(thread, counter) && !takeFresh(thread, counter))) {
    leaveOwn(thread, moveCursor(0));
    // A full recording stays full. Otherwise each further event would hold back
    // signals, by two system calls, to find that out again.
    thread.pause = recording.mode == TPRT_TRACE_MODE_NEWEST ? kPause
                   : readShared(kFull)                      ? UINT32_MAX
                                                            : 0;
    return false;
  }
  setEpoch(static_cast<uint32_t>(counter >> 32));
  storeName(thread);
  storeMoment();
  return true;
}

// --- storing -----------------------------------------------------------------

void storeEvent(uint64_t *to, const uint64_t *words, unsigned count) {
  if (count > 1) {
    __atomic_store_n(to, extensionWord(TPRT_TRACE_RESERVED, count - 1, 0),
                     __ATOMIC_RELEASE);
    for (unsigned i = 1; i < count; ++i) {
      to[i] = words[i];
      __asm__ volatile("" ::: "memory"); // no memcpy
    }
  }
  __atomic_store_n(to, words[0], __ATOMIC_RELEASE);
}

// A word's low 40 bits of the counter are ambiguous after minutes, so the whole
// counter is stored whenever its high half has changed. Under SignalsHeld.
static bool storeTime(ThreadRecord &thread, uint64_t now, uint64_t next) {
  if (roomAt(next) < 2 * 8)
    return exchangeBlock(thread);
  if (exchangeOn(&__tprt_record.next, next, next + 2 * 8)) {
    const uint64_t words[] = {extensionWord(TPRT_TRACE_TIME, 1, 0), now};
    storeEvent(reinterpret_cast<uint64_t *>(next), words, 2);
    setEpoch(static_cast<uint32_t>(now >> 32));
    storeMoment();
  }
  return true;
}

bool isReady(const ThreadRecord &thread, uint64_t next, uint64_t now,
             unsigned count) {
  return isOfNow(thread) && roomAt(next) >= count * 8 &&
         __tprt_record.epoch == static_cast<uint32_t>(now >> 32);
}

bool makeReady(ThreadRecord &thread, uint64_t next, uint64_t now,
               unsigned count) {
  return !isOfNow(thread) || roomAt(next) < count * 8
             ? exchangeBlock(thread)
             : storeTime(thread, now, next);
}

} // namespace tprt
