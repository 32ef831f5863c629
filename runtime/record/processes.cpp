// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a recording: children of fork(), exec, and the end. A child
// becomes a process of the recording at its first event, and takes blocks of
// its own then. A child of vfork runs on its parent's thread and memory, and so
// records into its parent's blocks.
#include "record/processes.h"
#include "actions/record_hook.h"
#include "base/os_process.h"
#include "base/process_ends.h"
#include "record/append.h"
#include "record/block_handover.h"
#include "record/metadata.h"
#include "record/recording.h"
#include "record/recording_calls.h"
#include "record/recording_file.h"
#include "record/thread_cursor.h"
#include "record/thread_record.h"
#include "sites/arch.h"

#include <errno.h>

namespace tprt {

// A thread is about to make this process one of the recording.
static uint32_t entering;
// One more than processGeneration when this process's end was recorded.
static uint32_t endedFor;

static bool isEntered() {
  return __atomic_load_n(&recording.processGeneration, __ATOMIC_ACQUIRE) ==
         processGeneration;
}

static uint32_t nextProcess() {
  return static_cast<uint32_t>(addShared(kProcesses, 1)) + 1;
}

static void becomeProcess() {
  uint32_t given = recording.givenProcess;
  recording.process = given ? given : nextProcess();
  recording.givenProcess = 0;
  forgetRecordBlock();
  forgetHandedBlocks();
  addShared(kLive, 1);
  __atomic_store_n(&recording.header().state, TPRT_TRACE_STATE_OPEN,
                   __ATOMIC_RELEASE);
  __atomic_store_n(&recording.processGeneration, processGeneration,
                   __ATOMIC_RELEASE);
  writeProcess(TPRT_TRACE_ORIGIN_FORK);
}

bool enterProcess() {
  if (isEntered())
    return true;
  // A signal handler might fork in between, and its child would go on here.
  SignalsHeld held;
  uint32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&entering, &nobody, 1, false,
                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  if (!isEntered())
    becomeProcess();
  __atomic_store_n(&entering, 0, __ATOMIC_RELEASE);
  return true;
}

static void writeEnd(tprt_trace_end reason) {
  RecordRoom room = beginRecord(sizeof(tprt_trace_process_end),
                                TPRT_TRACE_RECORD_PROCESS_END);
  if (!room.at)
    return;
  auto *end = reinterpret_cast<tprt_trace_process_end *>(room.at);
  end->process = recording.process;
  end->reason = reason;
  end->counter = readTicks();
  publishRecord(room, sizeof *end);
}

void endProcess(tprt_trace_end reason) {
  if (generationNow())
    finishProcess(reason);
}

void finishProcess(tprt_trace_end reason) {
  if (!isEntered() || endedFor == processGeneration + 1)
    return;
  endedFor = processGeneration + 1;
  uint64_t full = readShared(kFull);
  if (full)
    reason = static_cast<tprt_trace_end>(full);
  writeEnd(reason);
  writeClock();
  tprt_trace_header &header = recording.header();
  if (__atomic_sub_fetch(&recording.shared(kLive), 1, __ATOMIC_ACQ_REL))
    return;
  readMoment(header.end);
  header.end_reason = reason;
  __atomic_store_n(&header.state, TPRT_TRACE_STATE_CLOSED, __ATOMIC_RELEASE);
}

void forgetEnd() { endedFor = 0; }

// --- fork --------------------------------------------------------------------

// The calling thread's record, if it has one already.
static ThreadRecord *knownRecord() {
  Thread *self = knownThread();
  return self ? recordIn(self) : nullptr;
}

// The number is the thread's, as other threads may fork meanwhile. The fork
// counts before it gets its number: a signal handler may fork in between.
static void beforeFork() {
  const uint32_t generation = generationNow();
  ThreadRecord *thread = generation ? currentRecord() : knownRecord();
  if (!thread)
    return;
  const uint32_t place = thread->forks++;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (place < kMostForks)
    thread->children[place] = {generation, generation ? nextProcess() : 0};
}

// Ends the thread's innermost fork, and returns the number of its child. 0: it
// has none, or one of another recording.
static uint32_t takeChild(ThreadRecord &thread) {
  if (!thread.forks)
    return 0; // its record is newer than the fork
  const uint32_t place = thread.forks - 1, generation = generationNow();
  const ChildNumber child =
      place < kMostForks ? thread.children[place] : ChildNumber{};
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.forks = place;
  return generation && child.generation == generation ? child.process : 0;
}

// The child's pid is not known here. Its number leads to its PROCESS record.
static void afterForkInParent() {
  ThreadRecord *thread = knownRecord();
  uint32_t child = thread ? takeChild(*thread) : 0;
  if (!child || thread->generation != recording.generation)
    return;
  int saved = errno;
  uint64_t now = readTicks();
  const uint64_t words[] = {extensionWord(TPRT_TRACE_FORK, 1, now),
                            uint64_t{child} << 32};
  append(*thread, now, words, 2);
  errno = saved;
}

// A fork inside of another makes a process that goes on with the outer one, as
// its parent does. Each of the two has a child of its own then.
static void renumberChildren(ThreadRecord &thread) {
  const uint32_t generation = generationNow();
  for (unsigned i = 0; i < thread.forks && i < kMostForks; ++i)
    if (generation && thread.children[i].generation == generation)
      thread.children[i].process = nextProcess();
}

// What a signal handler kept before it forked is the parent's to store. The
// thread's cursor leads to a block of the parent. The thread must not store
// there when another thread of the child has turned recording stubs on. So its
// next event takes the slow path, which finds a block of the child's.
static void afterForkInChild() {
  entering = 0;
  recording.givenProcess = 0;
  forgetOtherThreads();
  __atomic_store_n(&__tprt_record.epoch, kNoEpoch, __ATOMIC_RELAXED);
  if (ThreadRecord *thread = knownRecord()) {
    forgetKept(*thread);
    thread->visitors = 0; // other threads of the parent
    recording.givenProcess = takeChild(*thread);
    renumberChildren(*thread);
  }
}

// --- exec and exit -----------------------------------------------------------

// A child of vfork has its parent's memory, but is none of its threads.
static bool isOwn() { return generationNow() && isOwnProcess(); }

void recordLeave() {
  if (isOwn())
    endProcess(TPRT_TRACE_END_EXIT);
}

static void storeExec(ThreadRecord &thread, const char *path) {
  uint64_t words[kKeptWords];
  unsigned count = 1;
  for (bool ends = !path; !ends && count < kKeptWords; ++count) {
    words[count] = 0;
    for (unsigned i = 0; i < 8 && !(ends = !*path); ++i)
      words[count] |= uint64_t{static_cast<uint8_t>(*path++)} << 8 * i;
  }
  const uint64_t now = readTicks();
  words[0] = extensionWord(TPRT_TRACE_EXEC, count - 1, now);
  append(thread, now, words, count);
}

void recordExec(const char *path) {
  if (!isOwn() || !isEntered())
    return;
  int saved = errno;
  ThreadRecord *thread = currentRecord();
  if (thread && thread->generation == recording.generation)
    storeExec(*thread, path);
  endProcess(TPRT_TRACE_END_EXEC);
  errno = saved;
}

void recordExecFailed() {
  if (!isOwn() || endedFor != processGeneration + 1)
    return;
  endedFor = 0;
  addShared(kLive, 1);
  __atomic_store_n(&recording.header().state, TPRT_TRACE_STATE_OPEN,
                   __ATOMIC_RELEASE);
}

// Runs when the program ends by exit(), after the program's own destructors.
__attribute__((destructor)) static void atExit() { recordLeave(); }

void startProcesses() {
  watchForks(beforeFork, afterForkInParent, afterForkInChild);
  // Runs when the program ends by quick_exit(), after its own functions.
  watchQuickExit(recordLeave);
}

} // namespace tprt
