// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See awaited_tools.h.
#include "control/awaited_tools.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "control/futex_word.h"
#include "control/server_start.h"
#include "control/work_thread.h"

namespace tprt {

// How many threads of the program wait for tools.
static uint32_t waiters;
// When a tool last got an answer, when it last got one to something new, and
// how long all tools have worked. The control thread stores them.
static uint64_t lastAnswer, lastNews, toolsWorked;
static uint32_t beginnings; // see isNew()

ToolWait::ToolWait() { __atomic_fetch_add(&waiters, 1, __ATOMIC_RELAXED); }
ToolWait::~ToolWait() { __atomic_fetch_sub(&waiters, 1, __ATOMIC_RELAXED); }

bool areToolsAwaited() { return readWord(waiters); }

void forgetToolWaits() { waiters = 0; }

ToolsSeen seeTools() {
  return {nanoseconds(), __atomic_load_n(&toolsWorked, __ATOMIC_RELAXED),
          __atomic_load_n(&lastAnswer, __ATOMIC_RELAXED),
          __atomic_load_n(&lastNews, __ATOMIC_RELAXED), isAnswering()};
}

void noteTimeOfTools(uint64_t nanoseconds) {
  __atomic_store_n(&toolsWorked, nanoseconds, __ATOMIC_RELAXED);
}

// Whether a request is progress for its tool. Later pages are progress;
// beginning the same reading repeatedly is not.
static bool isNew(const char *request, size_t bytes) {
  constexpr uint32_t kMostBeginnings = 100;
  return isLaterPage(request, bytes) ||
         __atomic_fetch_add(&beginnings, 1, __ATOMIC_RELAXED) < kMostBeginnings;
}

void noteAnswered(const char *request, size_t bytes) {
  const uint64_t now = nanoseconds();
  __atomic_store_n(&lastAnswer, now, __ATOMIC_RELAXED);
  if (isNew(request, bytes))
    __atomic_store_n(&lastNews, now, __ATOMIC_RELAXED);
}

void awaitTools(const uint32_t &word, bool (*isOver)(), uint64_t silence,
                uint64_t most) {
  constexpr uint64_t kLook = 100'000'000;
  __atomic_store_n(&beginnings, 0, __ATOMIC_RELAXED);
  ToolWait wait;
  Patience patience(seeTools(), silence, most);
  for (;;) {
    const uint32_t seen = readWord(word);
    if (isOver() || isControlBroken() || !patience.lasts(seeTools()))
      break;
    awaitChange(word, seen, kLook);
  }
}

} // namespace tprt
