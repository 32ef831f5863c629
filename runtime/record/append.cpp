// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends events to the calling thread's block: the slow path of everything
// that records, where neither a stub nor recordHit() stores at once. In hits,
// also in signal handlers: async-signal-safe, without vector registers.
//
// A signal handler may interrupt the slow path at any instruction. Its events
// are stored at once, as a stub's are, or kept for the end of the slow path.
#include "record/append.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "record/blocks.h"
#include "record/processes.h"
#include "record/recording.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"

#include <signal.h>
#include <sys/syscall.h>

namespace tprt {

// Bare system calls (sigprocmask(2)): the C library's function leaves out the
// signals by which it cancels threads.
SignalsHeld::SignalsHeld() : before(0) {
  auto bit = [](int signal) { return uint64_t{1} << (signal - 1); };
  const uint64_t held = ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) |
                          bit(SIGFPE) | bit(SIGTRAP) | bit(SIGSYS));
  systemCall(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&held),
             reinterpret_cast<long>(&before), sizeof before);
}
SignalsHeld::~SignalsHeld() {
  systemCall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before),
             0, sizeof before);
}

// --- claiming words ----------------------------------------------------------

// Pairs with stop(), which sends the threads to the slow path afterwards.
static bool isEnding() {
  return __atomic_load_n(&recording.ending, __ATOMIC_RELAXED);
}

// The recording that the caller records for has ended, or is about to. What
// setEpoch() stored must not let a stub record with a cursor that leads
// nowhere.
static uint64_t *giveUp() {
  __atomic_store_n(&__tprt_record.epoch, kNoEpoch, __ATOMIC_RELAXED);
  return nullptr;
}

static uint64_t *lose(ThreadRecord &thread) {
  loseEvent(&thread);
  return nullptr;
}

enum class Held { No, Yes };

static void storeKept(ThreadRecord &thread);

// `signals`: whether the caller holds them back. It is storeKept() then. With
// Words::Left the words stay free for the next claim.
enum class Words { Claimed, Left };
template <Held signals, Words words = Words::Claimed>
static uint64_t *claim(ThreadRecord &thread, uint64_t now, unsigned count) {
  uint32_t generation = generationNow();
  if (!generation)
    return nullptr;
  if (isOfNow(thread) && thread.pause && --thread.pause)
    return lose(thread);
  while (generationNow() == generation && !isEnding()) {
    // Asked each time, because a signal handler between two steps may fork. The
    // child of a fork() becomes a process of the recording where its handler
    // has run. What the C library does there before that is no part of it.
    if (bool isCopied = isCopiedProcess(); isCopied || !enterProcess())
      return isCopied && thread.forks ? nullptr : lose(thread);
    uint64_t next = __atomic_load_n(&__tprt_record.next, __ATOMIC_RELAXED);
    if (isReady(thread, next, now, count)) {
      if (words == Words::Left ||
          exchangeOn(&__tprt_record.next, next, next + count * 8))
        return reinterpret_cast<uint64_t *>(next);
    } else if (signals == Held::Yes) {
      if (!makeReady(thread, next, now, count))
        return lose(thread);
    } else {
      SignalsHeld held;
      next = __atomic_load_n(&__tprt_record.next, __ATOMIC_RELAXED);
      if (!makeReady(thread, next, now, count))
        return lose(thread);
      // From here on stubs store again. What was kept goes before that, and
      // before this event: a signal handler's first events may have found room.
      storeKept(thread);
    }
  }
  return giveUp();
}

uint64_t *claimWords(ThreadRecord &thread, uint64_t now, unsigned count) {
  return claim<Held::No>(thread, now, count);
}

bool makeRoom(ThreadRecord &thread, uint64_t now, unsigned count) {
  return claim<Held::No, Words::Left>(thread, now, count) != nullptr;
}

// --- events inside the slow path ---------------------------------------------

// Keeps an event of one or two words. Stubs, too, take the slow path from here
// on: what they stored at once would come before it. False: there is no room.
static bool keep(ThreadRecord &thread, const uint64_t *words, unsigned count) {
  uint64_t at;
  do {
    at = __atomic_load_n(&thread.keptCount, __ATOMIC_RELAXED);
    if (at + count > kKeptWords)
      return false;
  } while (!exchangeOn(&thread.keptCount, at, at + count));
  __atomic_store_n(&__tprt_record.epoch, kNoEpoch, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  for (unsigned i = 0; i < count; ++i)
    __atomic_store_n(&thread.kept[at + i], words[i], __ATOMIC_RELAXED);
  return true;
}

// Stores an event at once, as a stub does. False: only the slow path can.
static bool storeDirectly(uint64_t now, const uint64_t *words, unsigned count) {
  RecordCursor &cursor = __tprt_record;
  uint64_t next = __atomic_load_n(&cursor.next, __ATOMIC_RELAXED);
  if (cursor.epoch != static_cast<uint32_t>(now >> 32) ||
      roomAt(next) < count * 8 || isCopiedProcess() ||
      recording.processGeneration != processGeneration ||
      !exchangeOn(&cursor.next, next, next + count * 8))
    return false;
  storeEvent(reinterpret_cast<uint64_t *>(next), words, count);
  return true;
}

// Stubs go on storing meanwhile, so a call's entry must not wait for the slow
// path's end where the stub of its exit stores at once.
bool appendNested(ThreadRecord &thread, uint64_t now, const uint64_t *words,
                  unsigned count) {
  bool waits = __atomic_load_n(&thread.keptCount, __ATOMIC_RELAXED);
  return (!waits && storeDirectly(now, words, count)) ||
         keep(thread, words, count);
}

static unsigned lengthOf(uint64_t word) {
  return word & 3 ? 1
                  : 1 + static_cast<unsigned>(word >> TPRT_TRACE_COUNT_SHIFT &
                                              0xffff);
}

// Stores what was kept, and continues until no more came. Signals are held
// back, because events of a later handler would come between.
static void storeKept(ThreadRecord &thread) {
  if (!__atomic_load_n(&thread.keptCount, __ATOMIC_RELAXED))
    return;
  SignalsHeld held;
  uint64_t at = 0, count;
  do {
    count = __atomic_load_n(&thread.keptCount, __ATOMIC_RELAXED);
    while (at < count) {
      unsigned length = 1; // of a word whose handler was left by longjmp
      if (uint64_t word = thread.kept[at]) {
        length = lengthOf(word);
        if (uint64_t *to = claim<Held::Yes>(thread, readTicks(), length))
          storeEvent(to, thread.kept + at, length);
      }
      for (uint64_t end = at + length; at < end; ++at)
        __atomic_store_n(&thread.kept[at], 0, __ATOMIC_RELAXED);
    }
  } while (count && !exchangeOn(&thread.keptCount, count, 0));
}

// --- the slow path -----------------------------------------------------------

SlowPath::~SlowPath() {
  if (!begun)
    return;
  storeKept(thread);
  thread.busy.end();
}

bool append(ThreadRecord &thread, uint64_t now, const uint64_t *words,
            unsigned count) {
  if (SlowPath path{thread}) {
    if (uint64_t *to = claimWords(thread, now, count))
      storeEvent(to, words, count);
    return true;
  }
  return appendNested(thread, now, words, count);
}

} // namespace tprt
