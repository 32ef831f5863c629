// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small recorder for tests of recording stubs: it implements
// actions/record_hook.h without a file. All processes of the test share its
// blocks, so that a child's store to its parent's block would be seen. An
// event's site number is the site's index. The handler runs in hits:
// async-signal-safe.
#pragma once

#include "actions/record_hook.h"

#include <cstddef>
#include <cstdint>

namespace record {

// A block: its header, then the words. `process` is stored first.
struct Block {
  uint32_t process; // The pid; 0: nobody has taken the block.
  uint32_t first;   // The index of its first word that may be used.
  tprt::RecordCursor *cursor;
  uint64_t unused[6];
  static constexpr size_t Words =
      (tprt::kRecordBlockBytes - tprt::kRecordHeaderBytes) / 8;
  uint64_t words[Words];
};
static_assert(sizeof(Block) == tprt::kRecordBlockBytes);

// Sets `tprt::recorder`, and maps the blocks if they are not there yet. Begins
// anew, with empty blocks, each of which gives a thread `WordsEach` words. All
// other threads that have recorded have ended.
void begin(size_t WordsEach = Block::Words);
// The handler of recording probes.
tprt_handler handler();

// What is recorded. Call it while no thread records. It reports as faults (in
// `Fault`) words that nobody can have stored, and times that step back.
struct Found {
  uint64_t Events;   // All events,
  uint64_t Unstored; // and words between them that nobody has stored.
  uint64_t Blocks;
  const char *Fault; // nullptr: none
};
// Of one process: by default of this one.
Found found(uint32_t Process = 0);
// How many events of a site there are, in all processes.
uint64_t eventsOf(uint32_t Site);

// How often the core called the recorder.
struct Calls {
  uint64_t Handler, Nested, Described, Unloaded;
};
extern Calls calls;

// Makes wordOf() say 0 for all sites: no stub may record.
extern bool stubsMayNot;
// Sends all threads that record to the slow path. Called on any thread, while
// none of them ends.
void changeEpochs();

} // namespace record
