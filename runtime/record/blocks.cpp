// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks: how they are taken, used again and left;
// docs/reference/trace-format.md has the order of the stores. In hits, on any
// thread: async-signal-safe, without vector registers. Threads do not wait for
// one another: a block is taken by an addition, or by one compare-and-swap of
// its first eight bytes.
#include "record/blocks.h"
#include "base/os_file.h"
#include "base/os_process.h"
#include "record/recording.h"
#include "record/recording_file.h"
#include "sites/arch.h"
#include "threads/status.h"

namespace tprt {

// The first eight bytes of a block's header: magic, kind and state.
static uint64_t &headOf(Block *block) {
  return *reinterpret_cast<uint64_t *>(block);
}
static constexpr uint64_t head(uint16_t kind, uint16_t state) {
  return uint64_t{state} << 48 | uint64_t{kind} << 32 | TPRT_TRACE_BLOCK_MAGIC;
}
static constexpr uint64_t kFullEvents =
    head(TPRT_TRACE_BLOCK_EVENTS, TPRT_TRACE_BLOCK_FULL);

// Stops the recording for want of blocks. The first thread that calls this sets
// the reason.
static void stopTaking(tprt_trace_end reason) {
  uint64_t none = 0;
  if (__atomic_compare_exchange_n(&recording.shared(kFull), &none,
                                  uint64_t{reason}, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    sayFull();
}

// The text is put together here, because a hit may call neither snprintf nor
// strlen.
void sayFull() {
  char line[1400];
  size_t used = 0;
  auto put = [&](const char *text) {
    for (; *text && used < sizeof line; ++text) {
      line[used++] = *text;
      __asm__ volatile("" ::: "memory");
    }
  };
  put("tprt: ");
  put(recording.path);
  put(readShared(kFull) == TPRT_TRACE_END_NO_SPACE
          ? ": no more space (disk full, or a limit): the recording has ended, "
            "further events are counted as lost\n"
          : ": the recording's size is reached: further events are counted as "
            "lost\n");
  if (int file = verbosity >= 1 ? standardError() : -1; file >= 0)
    writeOnce(file, line, used);
}

// The next block that was never used. nullptr: there is none.
static Block *takeNew() {
  uint64_t most = recording.mode == TPRT_TRACE_MODE_ALL
                      ? recording.room
                      : recording.header().blocks;
  if (readShared(kTaken) >= most)
    return nullptr;
  uint64_t number = addShared(kTaken, 1);
  if (number >= most)
    return nullptr;
  if (!makeSpace(number)) {
    stopTaking(TPRT_TRACE_END_NO_SPACE);
    return nullptr;
  }
  return recording.block(number);
}

// Takes the next full block of the ring. Blocks that are open stay, and blocks
// with records as well. nullptr: there is no full one.
static Block *takeAgain() {
  uint64_t blocks = recording.header().blocks;
  for (uint64_t tries = 0; tries < 2 * blocks; ++tries) {
    Block *block = recording.block(addShared(kHand, 1) % blocks);
    uint64_t expected = kFullEvents;
    if (__atomic_load_n(&headOf(block), __ATOMIC_RELAXED) == expected &&
        __atomic_compare_exchange_n(
            &headOf(block), &expected,
            head(TPRT_TRACE_BLOCK_EVENTS, TPRT_TRACE_BLOCK_CLEARING), false,
            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return block;
  }
  return nullptr;
}

// All but the first word, which says who may use the block.
static void clear(Block *block) {
  clearWords(reinterpret_cast<uint64_t *>(block) + 1,
             kRecordBlockBytes / 8 - 1);
}

// In mode NEWEST, records may take half of the blocks.
static bool mayTakeRecords() {
  return recording.mode != TPRT_TRACE_MODE_NEWEST ||
         addShared(kRecords, 1) < recording.header().blocks / 2;
}

static void noteNone() {
  if (recording.mode == TPRT_TRACE_MODE_NEWEST)
    return; // each block is open: some will be left
  stopTaking(recording.mode == TPRT_TRACE_MODE_UNTIL_FULL ||
                     recording.room < (uint64_t{1} << 20)
                 ? TPRT_TRACE_END_FULL
                 : TPRT_TRACE_END_NO_SPACE);
}

Block *takeBlock(uint16_t kind, uint64_t counter) {
  if (readShared(kFull) ||
      (kind == TPRT_TRACE_BLOCK_RECORDS && !mayTakeRecords()))
    return nullptr;
  Block *block = takeNew();
  if (block) {
    __atomic_store_n(&headOf(block), head(kind, TPRT_TRACE_BLOCK_CLEARING),
                     __ATOMIC_RELAXED);
  } else if (recording.mode == TPRT_TRACE_MODE_NEWEST &&
             (block = takeAgain())) {
    clear(block);
  }
  if (!block) {
    if (!readShared(kFull))
      noteNone();
    return nullptr;
  }
  block->sequence = addShared(kSequence, 1) + 1;
  block->counter = counter;
  block->process = recording.process;
  block->pid = static_cast<uint32_t>(processId());
  return block;
}

void openBlock(Block *block, uint16_t kind) {
  __atomic_store_n(&headOf(block), head(kind, TPRT_TRACE_BLOCK_OPEN),
                   __ATOMIC_RELEASE);
}

void leaveBlock(Block *block, uint64_t used) {
  block->used = static_cast<uint32_t>(used);
  addShared(kWords, used / 8);
  __atomic_store_n(&headOf(block), head(block->kind, TPRT_TRACE_BLOCK_FULL),
                   __ATOMIC_RELEASE);
}

// A zero where an event would begin was claimed, as all words of the block
// were.
bool isPending(const Block *block, uint64_t used) {
  const auto *words = reinterpret_cast<const uint64_t *>(block + 1);
  for (uint64_t at = 0; at < used / 8;) {
    uint64_t word = words[at++];
    if (word & 3)
      continue;
    uint64_t type = word >> TPRT_TRACE_TYPE_SHIFT & 63;
    if (type == TPRT_TRACE_EXTENSION || type == TPRT_TRACE_RESERVED)
      return true;
    at += word >> TPRT_TRACE_COUNT_SHIFT & 0xffff;
  }
  return false;
}

} // namespace tprt
