// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recorder for tests; see recorder.h.
#include "recorder.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "text/inline_stubs.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tprt;

namespace record {

Calls calls;
bool stubsMayNot;

static constexpr size_t Most = 1024; // blocks
static Block *Blocks;
// Shared with children, like the blocks.
static struct Shared {
  uint64_t Taken; // The number of claimed blocks.
} *All;
static size_t First; // The index of a block's first used word.
// The process in which this thread's cursor was set.
static thread_local uint32_t Owner;

static uint32_t process() { return static_cast<uint32_t>(syscall(SYS_getpid)); }

static void count(uint64_t &Counter) {
  __atomic_fetch_add(&Counter, 1, __ATOMIC_RELAXED);
}

static uint32_t wordOf(const tprt_site &Site, void *) {
  return stubsMayNot ? 0
                     : indexOf(&Site) << 2 |
                           (Site.event.kind == TPRT_KIND_ENTRY ? 1u : 2u);
}

// Claims a block. A signal handler may also claim one in between, through
// `nested`. In that case this thread has two blocks, and one remains empty.
static void takeBlock(RecordCursor &Cursor, uint64_t Seen) {
  uint64_t Number = __atomic_fetch_add(&All->Taken, 1, __ATOMIC_RELAXED);
  if (Number >= Most)
    _exit(99);
  Block &Taken = Blocks[Number];
  Taken.process = process();
  Taken.first = static_cast<uint32_t>(First);
  Taken.cursor = &Cursor;
  exchangeOn(&Cursor.next, Seen,
             reinterpret_cast<uint64_t>(&Taken.words[First]));
}

static void store(uint32_t Word) {
  RecordCursor &Cursor = __tprt_record;
  if (Owner != process()) { // a new thread, or a copy of the process
    Cursor.next = 0;
    Owner = process();
  }
  for (;;) {
    uint64_t Next = __atomic_load_n(&Cursor.next, __ATOMIC_RELAXED);
    if (!hasRoom(Next)) {
      takeBlock(Cursor, Next);
      continue;
    }
    uint64_t Now = readTicks();
    // The real recorder stores a TIME word here.
    __atomic_store_n(&Cursor.epoch, static_cast<uint32_t>(Now >> 32),
                     __ATOMIC_RELAXED);
    if (!exchangeOn(&Cursor.next, Next, Next + 8))
      continue;
    *reinterpret_cast<uint64_t *>(Next) = Now << 24 | Word;
    return;
  }
}

static uint32_t eventOf(const tprt_event *Event) {
  return indexOf(Event->site) << 2 | (Event->kind == TPRT_KIND_ENTRY ? 1u : 2u);
}

static void hit(const tprt_event *Event, const tprt_regs *, void *) {
  count(calls.Handler);
  store(eventOf(Event));
  if (!stubsMayNot)
    letRecord(*Event->site, eventOf(Event));
}

// Called while the guard is raised. The slow path of this recorder may be
// interrupted at any instruction, so it may be entered again.
static void nested(const tprt_event *Event, const tprt_regs *, void *) {
  count(calls.Nested);
  store(eventOf(Event));
}

static void describe(const Module *, const uint32_t *, size_t Count, void *) {
  calls.Described += Count;
}

static void unloaded(const Module *) { ++calls.Unloaded; }

static constexpr Recorder Own = {hit, wordOf, describe, unloaded, nested};

tprt_handler handler() { return hit; }

static void *map(size_t Bytes) {
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Memory == MAP_FAILED ? nullptr : Memory;
}

void begin(size_t WordsEach) {
  if (!Blocks) {
    auto At = reinterpret_cast<uint64_t>(map((Most + 1) * sizeof(Block)));
    Blocks = reinterpret_cast<Block *>((At + sizeof(Block) - 1) &
                                       ~(sizeof(Block) - 1));
    All = static_cast<Shared *>(map(4096));
  }
  for (uint64_t I = 0; I < All->Taken; ++I)
    memset(static_cast<void *>(&Blocks[I]), 0, sizeof(Block));
  All->Taken = 0;
  __tprt_record.next = 0;
  calls = {};
  stubsMayNot = false;
  First = Block::Words - WordsEach;
  recorder = &Own;
}

void changeEpochs() {
  for (uint64_t I = 0; I < __atomic_load_n(&All->Taken, __ATOMIC_RELAXED); ++I)
    if (RecordCursor *Cursor =
            __atomic_load_n(&Blocks[I].cursor, __ATOMIC_RELAXED))
      __atomic_store_n(&Cursor->epoch, kNoEpoch, __ATOMIC_RELAXED);
}

// Reads one block's words. Times have 40 bits.
static void readBlock(const Block &Block, Found &Sum) {
  constexpr uint64_t Half = uint64_t{1} << 39;
  uint64_t Before = 0, Gap = 0;
  for (size_t I = 0; I < Block::Words; ++I) {
    const uint64_t Word = Block.words[I];
    if (!Word) {
      Gap += I >= Block.first;
      continue;
    }
    if (I < Block.first)
      Sum.Fault = "a word in front of the block's first";
    else if (Before && Word - Before >= Half << 24)
      Sum.Fault = "a time that is before an earlier word's";
    else if ((Word >> 2 & 0x3fffff) >= siteCount || !(Word & 3))
      Sum.Fault = "a word that is nobody's";
    Sum.Unstored += Gap;
    Gap = 0;
    Before = Word & ~uint64_t{0xffffff};
    ++Sum.Events;
  }
}

Found found(uint32_t Process) {
  Found Sum{};
  if (!Process)
    Process = process();
  for (uint64_t I = 0; I < All->Taken; ++I)
    if (Blocks[I].process == Process) {
      ++Sum.Blocks;
      readBlock(Blocks[I], Sum);
    }
  for (uint64_t I = All->Taken; I < All->Taken + 8 && I < Most; ++I)
    for (uint64_t Word : Blocks[I].words)
      if (Word)
        Sum.Fault = "a word in a block that nobody has";
  return Sum;
}

uint64_t eventsOf(uint32_t Site) {
  uint64_t Sum = 0;
  for (uint64_t I = 0; I < All->Taken; ++I)
    for (uint64_t Word : Blocks[I].words)
      Sum += Word && (Word >> 2 & 0x3fffff) == Site;
  return Sum;
}

} // namespace record
