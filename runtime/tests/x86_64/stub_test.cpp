// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests a stub's bytes: the targets of its jumps, and its reference to
// StubData. The test runs with the trampolines within reach of a direct jump,
// and out of reach.
#include "actions/record_hook.h"
#include "frame.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "threads/thread_block.h"
#include "trampolines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

extern "C" __attribute__((
    visibility("hidden"))) thread_local uint64_t __tprt_first_counter;

using namespace tprt;

namespace {
struct Stub : testing::Test {
  tprt_site site{};
  Module module{};
  uint8_t code[kStubBytes];
  // This test is linked with the archive, so its trampolines are within reach.
  uint64_t near = ownTrampoline(kEntry) & ~uint64_t{15};
  uint64_t far = near + (uint64_t{3} << 30);

  void SetUp() override {
    ASSERT_TRUE(initialise());
    site.moduleNumber = 500; // unused, and in the first page of moduleAt
    moduleAt[site.moduleNumber] = &module;
    place(TPRT_KIND_ENTRY, TPRT_SHAPE_SHORT);
  }
  void place(uint8_t event, uint8_t shape) {
    site.traits = TPRT_RECORD_TRAITS(event, shape);
    site.event.kind = event;
  }
  void write(uint64_t at) {
    module.origin = at + 0x10000; // of the sled
    writeStub(code, at, at - 4096, at + 4096, 0, site);
  }
  // The address that results from the displacement at code[field]. The
  // displacement is relative to code[end].
  uint64_t follow(uint64_t at, size_t field, size_t end) {
    int32_t distance;
    memcpy(&distance, code + field, sizeof distance);
    return at + end + static_cast<uint64_t>(int64_t{distance});
  }
  void expectBytes(size_t from, std::initializer_list<uint8_t> bytes) {
    EXPECT_EQ(memcmp(code + from, bytes.begin(), bytes.size()), 0)
        << "at " << from;
  }
};
} // namespace

TEST_F(Stub, JumpsToATrampolineWithinReach) {
  write(near);
  expectBytes(0, {0x4c, 0x8d, 0x1d}); // lea data(%rip), %r11
  EXPECT_EQ(follow(near, 3, 7), near + 4096);
  expectBytes(7, {0xe9});
  EXPECT_EQ(follow(near, 8, 12), ownTrampoline(kEntry));
}

TEST_F(Stub, JumpsByItsRegionsHeaderToOneThatIsFar) {
  write(far);
  EXPECT_EQ(follow(far, 3, 7), far + 4096);
  expectBytes(7, {0x3e, 0xff, 0x25}); // notrack jmp *header(%rip)
  EXPECT_EQ(follow(far, 10, 14), far - 4096 + 8 * kEntry);
  uint64_t header[kStubHeaderBytes / 8];
  ASSERT_LE(8u * kTrampolines, kStubHeaderBytes);
  writeStubHeader(reinterpret_cast<uint8_t *>(header), far - 4096, far + 4096,
                  false);
  for (int i = 0; i < kTrampolines; ++i)
    EXPECT_EQ(header[i], ownTrampoline(static_cast<Trampoline>(i))) << i;
}

// The stub is a call, followed by a jump back. It has 16 bytes, and its end is
// the same for all kinds.
TEST_F(Stub, CallsWhereEverythingIsLive) {
  place(TPRT_KIND_TAIL_EXIT, TPRT_SHAPE_LONG);
  for (uint64_t at : {near, far}) {
    write(at);
    if (at == near) {
      expectBytes(2, {0xe8});
      EXPECT_EQ(follow(at, 3, 7), ownTrampoline(kFull));
    } else {
      expectBytes(0, {0x3e, 0xff, 0x15}); // notrack call *header(%rip)
      EXPECT_EQ(follow(at, 3, 7), at - 4096 + 8 * kFull);
    }
    expectBytes(7, {0xe9});
    EXPECT_EQ(follow(at, 8, 12), at + 0x10000 + 5);
    EXPECT_EQ(follow(at, 7 + FULL_STUB_DATA, 7), at + 4096);
  }
}

TEST_F(Stub, ReachesTwoGibibytesAndNoMore) {
  uint64_t code = ownTrampoline(kExit);
  EXPECT_EQ(trampolineWithin(kExit, code + (uint64_t{1} << 31)), code);
  EXPECT_EQ(trampolineWithin(kExit, code + (uint64_t{1} << 31) + 1), 0u);
  EXPECT_EQ(trampolineWithin(kExit, code - (uint64_t{1} << 31) + 1), code);
  EXPECT_EQ(trampolineWithin(kExit, code - (uint64_t{1} << 31)), 0u);
}

// The targets of the fields of a recording stub. Frames differ in the registers
// that they save.
struct RecordStub : Stub {
  uint8_t record[kRecordStubBytes];
  static constexpr uint64_t word = 0x4000, usual = 0x8000;

  void write(uint8_t event, uint8_t shape, uint8_t needs = 0) {
    place(event, shape);
    site.needs = needs;
    module.origin = near + 0x10000;
    writeRecordStub(record, near, near + word, near + usual, site);
  }
  uint64_t field(size_t at) {
    uint32_t value;
    memcpy(&value, record + at, sizeof value);
    return static_cast<uint64_t>(static_cast<int32_t>(value));
  }
  // The address that results from the displacement at record[at].
  uint64_t to(size_t at) { return near + at + 4 + field(at); }
  uint64_t offsetOf(const void *variable) {
    return reinterpret_cast<uint64_t>(variable) -
           reinterpret_cast<uint64_t>(__builtin_thread_pointer());
  }
  void expectCode(size_t frame, size_t restore) {
    const size_t code = frame, end = frame + 83;
    EXPECT_EQ(field(code + 5), offsetOf(&__tprt_record.next));
    EXPECT_EQ(to(code + 12), near + word);
    EXPECT_EQ(field(code + 39), offsetOf(&__tprt_record.epoch));
    EXPECT_EQ(field(code + 74), offsetOf(&__tprt_record.next));
    // Three jumps to the alternative path, one back.
    for (size_t jump : {code + 25, code + 32, code + 44})
      EXPECT_EQ(jump + 1 + record[jump], end + restore + 5);
    EXPECT_EQ(code + 80 +
                  static_cast<uint64_t>(static_cast<int8_t>(record[code + 79])),
              code);
    EXPECT_EQ(memcmp(record + end, record + end + restore + 5, restore), 0);
    EXPECT_EQ(record[end + 2 * restore + 5], 0xe9);
    EXPECT_EQ(to(end + 2 * restore + 6), near + usual);
  }
};

TEST_F(RecordStub, RecordsAtAnEntry) {
  ASSERT_TRUE(canRecordInStub(site));
  write(TPRT_KIND_ENTRY, TPRT_SHAPE_SHORT);
  expectCode(10, 10);
  EXPECT_EQ(record[103], 0xe9);
  EXPECT_EQ(to(104), near + 0x10000 + 2);
}

TEST_F(RecordStub, EndsInTheRetThatWasThere) {
  write(TPRT_KIND_EXIT, TPRT_SHAPE_RET);
  expectCode(6, 6);
  EXPECT_EQ(record[95], 0xc3);
}

TEST_F(RecordStub, KeepsEverythingWhereEverythingIsLive) {
  write(TPRT_KIND_TAIL_EXIT, TPRT_SHAPE_LONG);
  expectCode(24, 23);
  EXPECT_EQ(to(131), near + 0x10000 + 5);
  write(TPRT_KIND_EXIT, TPRT_SHAPE_RET, TPRT_NEEDS_OTHER);
  expectCode(24, 23);
  EXPECT_EQ(record[130], 0xc3);
}

TEST_F(RecordStub, IsNotForPointsAndBranches) {
  for (uint32_t kind : {uint32_t{TPRT_KIND_POINT}, uint32_t{kStaticBranch},
                        uint32_t{kLoneTest}}) {
    site.event.kind = static_cast<uint8_t>(kind);
    EXPECT_FALSE(canRecordInStub(site)) << kind;
  }
}

// A thread may be registered before there are sites, and is not notified of
// later sites. If a counting stub cannot count for the thread, the trampoline
// counts, using only the thread's block.
TEST_F(Stub, CountsForAThreadThatWasKnownBeforeThereWereSites) {
  tprt_site *made = sites;
  sites = nullptr;
  uint64_t word = 0;
  const tprt_site *shown = nullptr, *reserved = nullptr;
  std::thread([&] {
    if (const Thread *self = currentThread()) {
      countHit(0); // before its first count, a thread has no counters
      word = __tprt_first_counter;
      shown = self->sites;
    }
    reserved = sites;
  }).join();
  sites = made;
  EXPECT_NE(word, 0u);
  EXPECT_NE(shown, nullptr);
  EXPECT_EQ(shown, reserved);
}
