// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words by which the threads of the control wait for each other.
// Async-signal-safe.
#ifndef TPRT_CONTROL_FUTEX_WORD_H
#define TPRT_CONTROL_FUTEX_WORD_H

#include "base/os_thread.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

inline void wakeWaiters(uint32_t &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// Stores the value and wakes all threads that wait for a change of the word.
inline void setWord(uint32_t &word, uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
  wakeWaiters(word);
}

inline uint32_t readWord(const uint32_t &word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

// Waits until the word has another value than `value`, for at most `limit`
// nanoseconds (0 means without limit). Returns the word's value.
inline uint32_t awaitChange(const uint32_t &word, uint32_t value,
                            uint64_t limit = 0) {
  const uint64_t end = nanoseconds() + limit;
  for (;;) {
    const uint32_t now = readWord(word);
    const uint64_t time = limit ? nanoseconds() : 0;
    if (now != value || (limit && time >= end))
      return now;
    timespec left = {static_cast<time_t>((end - time) / 1'000'000'000),
                     static_cast<long>((end - time) % 1'000'000'000)};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value,
            limit ? &left : nullptr, nullptr, 0);
  }
}

} // namespace tprt

#endif
