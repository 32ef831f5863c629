// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests programs of pairs of hits (tprt/control_program.h) in groups of
// aggregated hits: timed_outer starts pairs, and timed_inner ends them.
#include "aggregategroup.h"
#include "aggregateprogram.h"
#include "programs/program_check.h"

#include <thread>

namespace {

constexpr uint32_t kStarts = TPRT_PROGRAM_STARTS_PAIR,
                   kEnds = TPRT_PROGRAM_ENDS_PAIR,
                   kOpen = TPRT_PROGRAM_OPEN_PAIRS;
constexpr Operation kStart = {TPRT_PROGRAM_PAIR_START, 0, 0, 0, 0};
constexpr Operation kEnd = {TPRT_PROGRAM_PAIR_END, 1, 0, 0, 0};
constexpr Operation kTime = {TPRT_PROGRAM_VALUE, 0, 1, 0, 0};

TEST(AggregatePairs, HaveTheTimeSinceTheStart) {
  Group All("timed_outer", {kNumber, kStart}, kStarts);
  ASSERT_EQ(All.add("timed_inner", {kNumber, kEnd, kTime, kKey},
                    kEnds | TPRT_PROGRAM_HISTOGRAM),
            TPRT_STATUS_OK);
  callWith(timed_inner, 7); // without a start
  for (uint64_t I = 0; I < 100; ++I)
    callWith(timed_outer, I);
  std::thread([] {
    for (uint64_t I = 0; I < 90; ++I)
      callWith(timed_inner, I);
  }).join();
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 90u);
  int64_t Before = INT64_MAX;
  for (uint64_t I = 0; I < 90; ++I) {
    const Row &Own = Found[number(I)];
    EXPECT_EQ(Own.Hits, 1u);
    EXPECT_EQ(Own.placed(), 1u);
    EXPECT_GT(Own.Sum, 0);
    Before = std::min(Before, Own.Sum);
  }
  const PairTotals Totals = All.totals().pairs;
  EXPECT_EQ(Totals.started, 100u);
  EXPECT_EQ(Totals.ended, 90u);
  EXPECT_EQ(Totals.unpaired, 1u);
  EXPECT_EQ(Totals.replaced, 0u);
  callWith(timed_outer, 95);
  EXPECT_EQ(All.totals().pairs.replaced, 1u);
}

TEST(AggregatePairs, OpenOnesAreInTheRowOfTheirStart) {
  // The key and the value are the number.
  Group All("timed_outer", {kNumber, kKey, kValue, kStart}, kStarts | kOpen);
  ASSERT_EQ(All.add("timed_inner", {kNumber, kEnd}, kEnds | kOpen),
            TPRT_STATUS_OK);
  for (uint64_t I = 0; I < 50; ++I)
    std::thread([=] {
      callWith(timed_outer, I);
      callWith(timed_outer, I); // replaces
    }).join();
  for (uint64_t I = 0; I < 50; ++I)
    EXPECT_EQ(All.row(number(I)).Hits, 1u);
  Rows Changed;
  All.read(Changed, true, false);
  for (uint64_t I = 0; I < 30; ++I)
    callWith(timed_inner, I);
  Changed.clear();
  All.read(Changed, true);
  EXPECT_EQ(Changed.size(), 30u);
  Changed.clear();
  All.read(Changed, true);
  EXPECT_EQ(Changed.size(), 0u);
  Rows Found = All.rows();
  for (uint64_t I = 0; I < 50; ++I) {
    EXPECT_EQ(Found[number(I)].Hits, I < 30 ? 0u : 1u);
    EXPECT_EQ(Found[number(I)].Sum, static_cast<int64_t>(I < 30 ? 0 : I));
  }
  EXPECT_EQ(All.totals().pairs.replaced, 50u);
  EXPECT_EQ(All.totals().pairs.ended, 30u);
}

TEST(AggregatePairs, OpenOnesWithoutRoomForTheirKeysAreWithTheOthers) {
  Group All("timed_outer", {kNumber, kKey, kStart}, kStarts | kOpen);
  ASSERT_EQ(All.add("timed_inner", {kNumber, kEnd}, kEnds | kOpen),
            TPRT_STATUS_OK);
  constexpr uint64_t kCalls = 20'000;
  for (uint64_t I = 0; I < kCalls; ++I)
    callWith(timed_outer, I);
  EXPECT_EQ(All.row(kOthers).Hits, kCalls - 16383);
  for (uint64_t I = 0; I < kCalls; ++I)
    callWith(timed_inner, I);
  EXPECT_EQ(All.row(kOthers).Hits, 0u);
  EXPECT_EQ(All.row(number(0)).Hits, 0u);
}

TEST(AggregatePairs, FiltersAndUnknownKeysStartAndEndNothing) {
  Group All("timed_outer",
            {kNumber,
             {TPRT_PROGRAM_FILTER, 0, 0, 0, 0},
             {TPRT_PROGRAM_LOAD, 2, 0, 8, 0},
             {TPRT_PROGRAM_PAIR_START, 0, 2, 0, 0}},
            kStarts);
  ASSERT_EQ(All.add("timed_inner",
                    {kNumber,
                     {TPRT_PROGRAM_LOAD, 2, 0, 8, 0},
                     {TPRT_PROGRAM_PAIR_END, 1, 2, 0, 0}},
                    kEnds),
            TPRT_STATUS_OK);
  const uint64_t Key = 12, Same = 12;
  callWith(timed_outer, 0);
  callWith(timed_outer, 16);
  EXPECT_EQ(All.totals().unread, 1u);
  callWith(timed_inner, 16);
  EXPECT_EQ(All.totals().unread, 2u);
  EXPECT_EQ(All.totals().pairs.started, 0u);
  callWith(timed_outer, reinterpret_cast<uint64_t>(&Key));
  callWith(timed_inner, reinterpret_cast<uint64_t>(&Same));
  EXPECT_EQ(All.row("").Hits, 1u);
}

// The reader never sees more ends than starts.
TEST(AggregatePairs, AreNeverNegativeWhileThreadsGoOn) {
  Group All("timed_outer", {kNumber, kValue, kStart}, kStarts | kOpen);
  ASSERT_EQ(All.add("timed_inner", {kNumber, kEnd}, kEnds | kOpen),
            TPRT_STATUS_OK);
  std::atomic<bool> Stop = false;
  std::atomic<uint64_t> Next = 1;
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&] {
      while (!Stop) {
        const uint64_t Key = Next++;
        callWith(timed_outer, Key);
        callWith(timed_inner, Key);
      }
    });
  while (Next < 20'000) {
    const Row Own = All.row("");
    EXPECT_LE(Own.Hits, 100'000u);
    EXPECT_GE(Own.Sum, 0);
  }
  Stop = true;
  for (std::thread &Each : Threads)
    Each.join();
  EXPECT_EQ(All.row("").Hits, 0u);
  EXPECT_EQ(All.row("").Sum, 0);
}

TEST(AggregatePairs, ProgramsOfAGroupAgree) {
  Group All("timed_outer", {kNumber, kStart}, kStarts);
  EXPECT_EQ(All.add("timed_inner", {}), TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(All.add("timed_inner", {kNumber, kEnd}, kEnds | kOpen),
            TPRT_STATUS_INVALID_ARGUMENT);
  Group Plain("timed_outer", {});
  EXPECT_EQ(Plain.add("timed_inner", {kNumber, kEnd}, kEnds),
            TPRT_STATUS_INVALID_ARGUMENT);
}

class PairPrograms : public AggregateProgram {};

TEST_F(PairPrograms, ThatBreakARuleAreRefused) {
  auto fault = [&](Operations Code, uint32_t Flags) {
    return AggregateProgram::fault(source(Code, "", Flags));
  };
  EXPECT_EQ(fault({kNumber, kStart}, kStarts), "");
  EXPECT_EQ(fault({kNumber, kKey, kStart}, kStarts | kOpen), "");
  EXPECT_EQ(fault({kNumber, kEnd, kTime, kKey}, kEnds), "");
  EXPECT_EQ(fault({kNumber, kEnd}, kEnds | kOpen), "");
  EXPECT_NE(fault({kNumber, kStart}, 0), "");
  EXPECT_NE(fault({kNumber, kStart}, kEnds), "");
  EXPECT_NE(fault({kNumber, kEnd}, kStarts), "");
  EXPECT_NE(fault({kNumber}, kStarts), "");
  EXPECT_NE(fault({kNumber}, kEnds), "");
  EXPECT_NE(fault({kNumber, kStart, kStart}, kStarts), "");
  EXPECT_NE(fault({kNumber, kStart, kNumber}, kStarts), "");
  EXPECT_NE(fault({kNumber, kEnd, kEnd}, kEnds), "");
  EXPECT_NE(fault({kStart}, kStarts), "");
  EXPECT_NE(fault({kNumber, kKey, kStart}, kStarts), "");
  EXPECT_NE(fault({kNumber, kKey, kEnd}, kEnds | kOpen), "");
  EXPECT_NE(
      fault({kNumber, {TPRT_PROGRAM_JUMP_IF_ZERO, 0, 0, 0, 1}, kEnd, kNumber},
            kEnds),
      "");
  auto bytes = [](uint32_t Flags) { return bytesOfProgram({1, 0, Flags, 0}); };
  EXPECT_NE(bytes(kStarts), 0u);
  EXPECT_NE(bytes(kEnds | TPRT_PROGRAM_HISTOGRAM), 0u);
  EXPECT_NE(bytes(kEnds | kOpen), 0u);
  EXPECT_EQ(bytes(kOpen), 0u);
  EXPECT_EQ(bytes(kStarts | kEnds), 0u);
  EXPECT_EQ(bytes(kStarts | kEnds | kOpen), 0u);
  EXPECT_EQ(bytes(kStarts | kOpen | TPRT_PROGRAM_HISTOGRAM), 0u);
  EXPECT_EQ(bytes(kStarts | kOpen | TPRT_PROGRAM_FLOAT_VALUE), 0u);
  EXPECT_EQ(bytes(0x800), 0u);
}

} // namespace
