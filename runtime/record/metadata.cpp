// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records: the blocks that say what the numbers in events mean. Each process
// writes to one block of its own. One thread at a time does so; a thread that
// finds another one at it takes a block for its record alone, so nobody waits.
// Async-signal-safe.
#include "record/metadata.h"
#include "base/os_process.h"
#include "record/blocks.h"
#include "record/recording.h"
#include "record/recording_file.h"
#include "sites/arch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

static Block *current; // The block that records go to; nullptr: none yet.
static uint32_t isWriting;

static Block *takeRecords() {
  Block *block = takeBlock(TPRT_TRACE_BLOCK_RECORDS, readTicks());
  if (!block)
    return nullptr;
  block->depth = TPRT_TRACE_DEPTH_UNKNOWN;
  openBlock(block, TPRT_TRACE_BLOCK_RECORDS);
  return block;
}

static void closeRecords(Block *block) { leaveBlock(block, block->used); }

static void fillHead(uint8_t *at, uint32_t bytes, tprt_trace_record_type type) {
  auto *head = reinterpret_cast<tprt_trace_record *>(at);
  head->bytes = bytes;
  head->type = static_cast<uint16_t>(type);
  head->reserved = 0;
}

RecordRoom beginRecord(uint32_t bytes, tprt_trace_record_type type) {
  uint32_t nobody = 0;
  bool own = !__atomic_compare_exchange_n(&isWriting, &nobody, 1, false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  Block *block = own ? takeRecords() : current;
  if (!own && (!block || kMostRecord - block->used < bytes)) {
    Block *another = takeRecords();
    if (block && another)
      closeRecords(block);
    if (another)
      current = another;
    block = another;
  }
  if (!block) {
    if (!own)
      __atomic_store_n(&isWriting, 0, __ATOMIC_RELEASE);
    return {nullptr, nullptr, own};
  }
  auto *at = reinterpret_cast<uint8_t *>(startOf(block)) + block->used;
  fillHead(at, bytes, type);
  return {block, at, own};
}

void publishRecord(const RecordRoom &room, uint32_t bytes) {
  reinterpret_cast<tprt_trace_record *>(room.at)->bytes = bytes;
  __atomic_store_n(&room.block->used, room.block->used + bytes,
                   __ATOMIC_RELEASE);
  if (room.own)
    return closeRecords(room.block);
  __atomic_store_n(&isWriting, 0, __ATOMIC_RELEASE);
}

void forgetRecordBlock() {
  current = nullptr;
  isWriting = 0;
}

void closeRecordBlock() {
  if (current)
    closeRecords(current);
  forgetRecordBlock();
}

// Reads a file of /proc into `out`, by bare system calls, as recording_file.cpp
// says. Returns its length.
static size_t readInto(const char *path, char *out, size_t room) {
  long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  long got = file < 0 ? 0 : syscall(SYS_read, file, out, room);
  if (file >= 0)
    syscall(SYS_close, file);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

// /proc/self shows nothing once the process's first thread has ended.
static size_t readProgram(char *out, size_t room) {
  ssize_t got = readlink("/proc/self/exe", out, room);
  if (got < 0)
    got = readlink("/proc/thread-self/exe", out, room);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

static size_t readCommand(char *out, size_t room) {
  size_t got = readInto("/proc/self/cmdline", out, room);
  return got ? got : readInto("/proc/thread-self/cmdline", out, room);
}

static uint32_t padded(size_t bytes) {
  return static_cast<uint32_t>((bytes + 7) & ~size_t{7});
}

// The arguments of the command line end with zeros in /proc, and are shown with
// spaces between. The memory after `used` of a block is zero.
void writeProcess(uint32_t origin) {
  constexpr size_t kMost = 4000;
  constexpr size_t kHead = sizeof(tprt_trace_process);
  RecordRoom room =
      beginRecord(padded(kHead + 2 * kMost), TPRT_TRACE_RECORD_PROCESS);
  if (!room.at)
    return;
  auto *process = reinterpret_cast<tprt_trace_process *>(room.at);
  process->process = recording.process;
  process->pid = static_cast<uint32_t>(processId());
  process->parent_pid = static_cast<uint32_t>(getppid());
  process->origin = origin;
  process->counter = readTicks();
  auto *text = reinterpret_cast<char *>(process + 1);
  size_t path = readProgram(text, kMost - 1) + 1;
  size_t command = readCommand(text + path, kMost - 1);
  for (size_t i = path; i + 1 < path + command; ++i) {
    text[i] = text[i] ? text[i] : ' ';
    __asm__ volatile("" ::: "memory");
  }
  text[path + command] = 0;
  publishRecord(room, padded(kHead + path + command + 1));
}

uint32_t writeValueList(uint32_t rows, const void *list, uint32_t bytes) {
  const uint32_t all =
      padded(sizeof(tprt_trace_values) + static_cast<size_t>(bytes));
  RecordRoom room = beginRecord(all, TPRT_TRACE_RECORD_VALUES);
  if (!room.at)
    return 0;
  auto *values = reinterpret_cast<tprt_trace_values *>(room.at);
  values->number = static_cast<uint32_t>(addShared(kLists, 1)) + 1;
  values->rows = rows;
  values->string_bytes =
      bytes - rows * static_cast<uint32_t>(sizeof(tprt_trace_value));
  values->reserved = 0;
  memcpy(values + 1, list, bytes);
  const uint32_t number = values->number;
  publishRecord(room, all);
  return number;
}

void writeClock() {
  RecordRoom room =
      beginRecord(sizeof(tprt_trace_clock_record), TPRT_TRACE_RECORD_CLOCK);
  if (!room.at)
    return;
  auto *clock = reinterpret_cast<tprt_trace_clock_record *>(room.at);
  readMoment(clock->moment);
  publishRecord(room, sizeof *clock);
}

} // namespace tprt
