// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that ended threads hand on to new ones, so that short threads share
// blocks. In hits, on any thread: async-signal-safe, without vector registers.
// Each place is taken by one compare-and-swap or exchange.
#include "record/block_handover.h"
#include "record/blocks.h"

namespace tprt {

// The addresses of the blocks' next words; 0: the place is free. There are as
// many places as threads of a pool may end at the same time. Each further block
// stays mostly empty.
static uint64_t handed[256];

bool handOn(uint64_t next) {
  for (uint64_t &place : handed) {
    uint64_t none = 0;
    if (__atomic_compare_exchange_n(&place, &none, next, false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return true;
  }
  return false;
}

static uint64_t takeFrom(uint64_t &place) {
  return __atomic_load_n(&place, __ATOMIC_RELAXED)
             ? __atomic_exchange_n(&place, 0, __ATOMIC_ACQUIRE)
             : 0;
}

uint64_t takeHandedOn() {
  for (uint64_t &place : handed)
    if (uint64_t next = takeFrom(place))
      return next;
  return 0;
}

void forgetHandedBlocks() {
  for (uint64_t &place : handed)
    __atomic_store_n(&place, 0, __ATOMIC_RELAXED);
}

void leaveHandedBlocks() {
  while (uint64_t next = takeHandedOn())
    leaveBlock(blockAt(next), usedOf(blockAt(next), next));
}

uint64_t countHandedWords() {
  uint64_t words = 0;
  for (const uint64_t &place : handed)
    if (uint64_t next = __atomic_load_n(&place, __ATOMIC_RELAXED))
      words += usedOf(blockAt(next), next) / 8;
  return words;
}

} // namespace tprt
