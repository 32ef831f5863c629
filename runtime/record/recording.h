// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recording of this process. docs/reference/trace-format.md describes its
// file.
#ifndef TPRT_RECORD_RECORDING_H
#define TPRT_RECORD_RECORDING_H

#include "actions/record_hook.h"
#include "modules/module.h"
#include "sites/record_cursor.h"
#include "tprt/record.h"
#include "tprt/trace_file.h"

namespace tprt {

using Block = tprt_trace_block;

// Numbers in the header's private words, which all processes of a recording
// share. Each is changed by atomic additions.
enum SharedWord : unsigned {
  kSequence,  // the last sequence number given
  kTaken,     // blocks taken that were never used before
  kThreads,   // the last thread's number
  kProcesses, // the last process's number
  kModules,   // the last module's number
  kSites,     // the first site number that is free
  kPoints,    // the first point number that is free
  kLive,      // processes that have not ended
  kFull,    // a tprt_trace_end: why no block can be taken any more; 0: they can
  kHand,    // where the search for a block to use again continues
  kWords,   // words in blocks that were left
  kZeroes,  // 1: the file system has no fallocate, so zeros are written
  kRecords, // blocks with records
  kLost,    // events lost, by all threads
  kLists,   // the last VALUES record's number
};

// A file that is mapped.
struct Recording {
  // Increases with each recording; 0 means that there is no recording. Hits
  // read it without a lock.
  uint32_t generation;
  // 1: a stop is under way, and threads store nothing more. Hits read it, too.
  uint32_t ending;
  uint32_t mode; // enum tprt_trace_mode
  int file;
  uint64_t device, inode; // of the file
  // The header's address, which is a multiple of a block's size. The first
  // block is kRecordBlockBytes after it.
  uint64_t memory;
  uint64_t room; // Blocks that there are addresses for.
  // This process's number in the file, and processGeneration when it got it.
  uint32_t process, processGeneration;
  // processGeneration when the recording began.
  uint32_t begunIn;
  // The number that this process, a child of fork(), got from its parent and
  // takes at its first event. 0: none.
  uint32_t givenProcess;
  uint64_t began;     // The counter.
  uint64_t nextClock; // When to store a moment again, as readTicks() tells.
  char path[1024];

  tprt_trace_header &header() const {
    return *reinterpret_cast<tprt_trace_header *>(memory);
  }
  uint64_t &shared(SharedWord word) const {
    return header().private_words[word];
  }
  Block *block(uint64_t number) const {
    return reinterpret_cast<Block *>(memory + (number + 1) * kRecordBlockBytes);
  }
};
extern Recording recording TPRT_HIDDEN;

inline uint64_t addShared(SharedWord word, uint64_t count) {
  return __atomic_fetch_add(&recording.shared(word), count, __ATOMIC_RELAXED);
}
inline uint64_t readShared(SharedWord word) {
  return __atomic_load_n(&recording.shared(word), __ATOMIC_RELAXED);
}
inline uint32_t generationNow() {
  return __atomic_load_n(&recording.generation, __ATOMIC_ACQUIRE);
}

} // namespace tprt

#endif
