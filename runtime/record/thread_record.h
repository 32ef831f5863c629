// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has of the recording.
#ifndef TPRT_RECORD_THREAD_RECORD_H
#define TPRT_RECORD_THREAD_RECORD_H

#include "record/recording.h"
#include "sites/record_cursor.h"
#include "threads/thread_block.h"

namespace tprt {

constexpr unsigned kKeptWords = 32;
constexpr unsigned kHeldBlocks = 4;
constexpr unsigned kStringBytes = 256;
constexpr unsigned kMostForks = 4;

// The number that the child of a fork under way will have.
struct ChildNumber {
  uint32_t generation; // Recording::generation
  uint32_t process;    // 0: none.
};

struct FollowedCalls; // record_program.cpp

// What a thread has of the recording. A page, which stays with the thread's
// block (threads/thread_block.h).
struct ThreadRecord {
  // The thread's cursor; nullptr once the thread has ended.
  RecordCursor *cursor;
  uint32_t visitors; // How many threads use it now. The thread's end waits.
  // The recording and the process that the members below belong to.
  uint32_t generation, process;
  uint32_t number, tid, order; // in the file
  // The block that the cursor leads to, or the one that was left last.
  Block *block;
  bool shared;   // The block's header is another thread's.
  bool left;     // The block is not open any more.
  bool named;    // `name` was stored.
  uint64_t lost; // This thread's losses, as its blocks say.
  uint64_t name[2];
  OwnWork busy; // The thread is in the slow path.
  // Events of signal handlers in the slow path, which stores them at its end.
  uint64_t keptCount;
  uint64_t kept[kKeptWords];
  // Blocks with words that interrupted code has yet to store to.
  Block *held[kHeldBlocks];
  uint64_t heldUsed[kHeldBlocks];
  // So many events are lost before the thread looks for a block again. For a
  // ring all of whose blocks are open.
  uint32_t pause;
  // How many forks of this thread are under way. One is inside of another where
  // a handler of pthread_atfork() or a signal handler forks. Children of forks
  // that are further inside than kMostForks get no number from their parents.
  uint32_t forks;
  ChildNumber children[kMostForks];
  // For programs; nullptr: none has run here. Of a thread that had the page
  // before if `callsStale`.
  FollowedCalls *calls;
  bool callsStale;
  // Strings of the event that is being recorded. readString() reads one byte
  // more, to see whether the string is longer.
  char strings[TPRT_ARGUMENT_REGISTERS][kStringBytes + 1];
};
static_assert(sizeof(ThreadRecord) <= 4096);

struct ThreadRecordState {
  ThreadRecord *record;
};

} // namespace tprt

#endif
