// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small recorder for tests of recording stubs: it implements
// actions/record_hook.h without a file. All processes of the test share its
// blocks, so that a child's store to its parent's block would be noticed. An
// event's site number is the site's index. The handler runs in hits:
// async-signal-safe.
#pragma once

#include "actions/record_hook.h"

#include <cstddef>
#include <cstdint>

namespace record {

// A block: its header, then the words. `process` is stored first.
struct Block {
  uint32_t process; // The pid; 0 means that the block is free.
  uint32_t first;   // The index of the first usable word.
  tprt::RecordCursor *cursor;
  uint64_t unused[6];
  static constexpr size_t Words =
      (tprt::kRecordBlockBytes - tprt::kRecordHeaderBytes) / 8;
  uint64_t words[Words];
};
static_assert(sizeof(Block) == tprt::kRecordBlockBytes);

// Sets `tprt::recorder`, and maps the blocks if they are not mapped yet. Starts
// again with empty blocks. Each block gives a thread `WordsEach` words. All
// other threads that have recorded have ended.
void begin(size_t WordsEach = Block::Words);
// The handler of recording probes.
tprt_handler handler();

// The contents of the recording. Must be called while no thread records. It
// reports two kinds of faults (in `Fault`): words that no thread can have
// stored, and times that decrease.
struct Found {
  uint64_t Events;   // All events,
  uint64_t Unstored; // The number of words between events that no thread has
                     // stored.
  uint64_t Blocks;
  const char *Fault; // nullptr if there is no fault
};
// The events of one process, by default of this process.
Found found(uint32_t Process = 0);
// The number of events of a site, in all processes.
uint64_t eventsOf(uint32_t Site);

// How often the core called the recorder.
struct Calls {
  uint64_t Handler, Nested, Described, Unloaded;
};
extern Calls calls;

// If this is true, wordOf() returns 0 for all sites: no stub may record.
extern bool stubsMayNot;
// Sends all recording threads to the slow path. May be called on any thread,
// while none of the recording threads ends.
void changeEpochs();

} // namespace record
