// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ends.h. A thread that ends the process waits here. A filter of the
// program (seccomp) may end the process for any system call but futex, so what
// needs another call is asked of the work thread.
#include "control/ends.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/process_ends.h"
#include "control/awaited_tools.h"
#include "control/futex_word.h"
#include "control/server_start.h"
#include "control/work_thread.h"
#include "tprt/control_wire.h"

#include <errno.h>
#include <unistd.h>

namespace tprt {

// What a thread that ends the process asks of the work thread: to remove the
// socket's file, and whether there are filters.
enum Question : uint32_t { NotAsked, Asked, Yes, No };
static uint32_t removal, filtering;
// What the process is about to do: enum tprt_control_read_flags.
static uint32_t ending;
// A thread waits for tools at an end, or has waited at the last one.
static bool entered;
// `endNumber` counts the ends that the process has reached: after a failed
// exec, for example, it continues. `awaited` is the number of tools for which
// it waits. `goneWord` says how many of them have sent GO at this end.
static uint32_t endNumber, awaited, goneWord;

// How long the process waits for tools at an end: see Patience.
static constexpr uint64_t kSilenceAtEnd = 4'000'000'000,
                          kMostAtEnd = 60'000'000'000;

void forgetQuestions() { removal = filtering = NotAsked; }

void forgetEnds() {
  forgetQuestions();
  forgetToolWaits();
  goneWord = awaited = 0;
  ending = 0;
  entered = false;
}

// Each question is stored before the work thread is woken, and read after it
// was.
void answerEnds(const char *socketPath) {
  if (__atomic_load_n(&removal, __ATOMIC_SEQ_CST) == Asked) {
    unlink(socketPath);
    setWord(removal, Yes);
  }
  if (__atomic_load_n(&filtering, __ATOMIC_SEQ_CST) == Asked)
    setWord(filtering, haveFilters() ? Yes : No);
}

// The work thread answers at once, unless processors are busy. Returns the
// answer, or Asked if there is none.
static uint32_t ask(uint32_t &question) {
  constexpr uint64_t kLook = 100'000'000;
  const uint64_t end = nanoseconds() + kSilenceAtEnd;
  __atomic_store_n(&question, Asked, __ATOMIC_SEQ_CST);
  do
    wakeToLook();
  while (awaitChange(question, Asked, kLook) == Asked && !isControlBroken() &&
         nanoseconds() < end);
  return readWord(question);
}

static bool areAllGone() { return readWord(goneWord) >= readWord(awaited); }

// Returns false if another thread is already ending the process.
static bool beginEnd(uint32_t flags) {
  if (__atomic_exchange_n(&entered, true, __ATOMIC_ACQ_REL))
    return false;
  __atomic_store_n(&goneWord, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&endNumber, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&ending, flags, __ATOMIC_RELEASE);
  return true;
}

// No other thread can be ending the process now, but a thread that has since
// ended may have begun to.
void awaitToolsAtLastEnd(bool (*attend)(int), int listener) {
  __atomic_store_n(&entered, false, __ATOMIC_RELAXED);
  beginEnd(TPRT_CONTROL_READ_ENDING);
  ToolWait wait;
  Patience patience(seeTools(), kSilenceAtEnd, kMostAtEnd);
  while (!areAllGone() && patience.lasts(seeTools()) && attend(listener)) {
  }
}

void beginAwaiting(Client &client) {
  if (!client.awaits)
    __atomic_fetch_add(&awaited, 1, __ATOMIC_RELEASE);
  client.awaits = true;
}

void noteGone(Client &client) {
  uint32_t now = readWord(endNumber);
  if (!endFlags() || !client.awaits || client.went == now)
    return;
  client.went = now;
  setWord(goneWord, goneWord + 1);
}

void endAwaiting(Client &client) {
  noteGone(client); // wakes the thread that waits
  if (endFlags() && client.awaits && client.went == readWord(endNumber))
    setWord(goneWord, goneWord - 1);
  if (client.awaits)
    __atomic_fetch_sub(&awaited, 1, __ATOMIC_RELEASE);
  client.awaits = false;
}

uint32_t endFlags() { return readWord(ending); }

// Waits for the tools that asked to see the end; `flags` describe the end.
// Returns false if there is no control, or if another thread is already ending
// the process.
static bool awaitLastReadings(uint32_t flags) {
  if (!isControlOn())
    return false;
  // A child of vfork() or clone(CLONE_VM) has its parent's memory.
  if (!isOwnProcess() || (ask(filtering) == No && !isOwnProcessBySystem()) ||
      !beginEnd(flags))
    return false;
  awaitTools(goneWord, areAllGone, kSilenceAtEnd, kMostAtEnd);
  return true;
}

void controlLeave() {
  int saved = errno;
  if (awaitLastReadings(TPRT_CONTROL_READ_ENDING))
    ask(removal);
  errno = saved;
}

void controlPause() {
  int saved = errno;
  if (readWord(awaited) &&
      awaitLastReadings(TPRT_CONTROL_READ_ENDING | TPRT_CONTROL_READ_EXEC)) {
    __atomic_store_n(&ending, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&entered, false, __ATOMIC_RELEASE);
  }
  errno = saved;
}

__attribute__((destructor)) static void leave() { controlLeave(); }

} // namespace tprt
