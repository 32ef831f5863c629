// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on words that C++ cannot express (sites/arch.h, "single
// instructions"). Called in hits, on any thread: async-signal-safe.
#include "sites/arch.h"

namespace tprt {

uint64_t addOne(uint64_t *counter) {
  // A signal on this thread comes before or after the complete addition: an
  // exception return clears the monitor, and then the store fails (Arm ARM,
  // "Synchronization and semaphores").
  uint64_t value;
  uint32_t failed;
  __asm__ volatile(
      "1: ldxr %0, %2\n\tadd %0, %0, #1\n\tstxr %w1, %0, %2\n\tcbnz %w1, 1b"
      : "=&r"(value), "=&r"(failed), "+Q"(*counter));
  return value;
}

bool exchangeOn(uint64_t *word, uint64_t expected, uint64_t wanted) {
  // As in addOne(), a signal in between makes the store fail.
  uint64_t value;
  uint32_t failed;
  __asm__ volatile("1: ldxr %0, %2\n\tcmp %0, %3\n\tb.ne 2f\n\t"
                   "stxr %w1, %4, %2\n\tcbnz %w1, 1b\n2:"
                   : "=&r"(value), "=&r"(failed), "+Q"(*word)
                   : "r"(expected), "r"(wanted)
                   : "cc", "memory");
  return value == expected;
}

void clearWords(uint64_t *words, size_t count) {
  for (; count >= 2; count -= 2, words += 2)
    __asm__ volatile("stp xzr, xzr, %0" : "=Q"(*words)::"memory");
  if (count)
    __asm__ volatile("str xzr, %0" : "=Q"(*words));
}

bool haveTransactions() { return false; }

} // namespace tprt
