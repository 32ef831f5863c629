// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on words that C++ cannot express (sites/arch.h, "single
// instructions"). Called in hits, on any thread: async-signal-safe.
#include "sites/arch.h"

#include <cpuid.h>

namespace tprt {

uint64_t addOne(uint64_t *counter) {
  __asm__ volatile("incq %0" : "+m"(*counter));
  return *counter;
}

bool exchangeOn(uint64_t *word, uint64_t expected, uint64_t wanted) {
  bool done;
  __asm__ volatile("cmpxchgq %3, %0"
                   : "+m"(*word), "+a"(expected), "=@ccz"(done)
                   : "r"(wanted)
                   : "memory");
  return done;
}

void clearWords(uint64_t *words, size_t count) {
  __asm__ volatile("rep stosq"
                   : "+D"(words), "+c"(count)
                   : "a"(uint64_t{0})
                   : "memory");
}

// The processor may have the instructions and undo each transaction (CPUID,
// RTM_ALWAYS_ABORT). An interrupt undoes one, too.
bool haveTransactions() {
  constexpr uint32_t kRtm = 1u << 11;
  constexpr int kTries = 100;
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ebx & kRtm))
    return false;
  volatile int written = 0;
  for (int i = 0; i < kTries; ++i)
    if (inTransaction([&] { written = written + 1; }))
      return true;
  return false;
}

} // namespace tprt
