// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on words that C++ cannot express (sites/arch.h, "single
// instructions"). Called in hits, on any thread: async-signal-safe.
#include "sites/arch.h"

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

} // namespace tprt
