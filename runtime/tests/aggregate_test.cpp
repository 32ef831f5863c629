// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests groups of aggregated hits (aggregate/aggregations.h), with the
// functions of timed.S: rows by keys, and calls that are left in all ways.
#include "aggregategroup.h"
#include "threads/thread_block.h"

#include <chrono>
#include <csetjmp>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

namespace {

// --- rows --------------------------------------------------------------------

TEST(Aggregate, HitsAreCountedByKeyOnAllThreads) {
  Group All("timed_inner", {kNumber, kKey});
  auto Calls = [](unsigned Seed) {
    for (unsigned I = 0; I < 3000; ++I)
      callWith(timed_inner, (I + Seed) % 100);
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 4; ++I)
    Threads.emplace_back(Calls, I);
  for (std::thread &Each : Threads)
    Each.join();
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 100u);
  for (uint64_t I = 0; I < 100; ++I) {
    const Row &Own = Found[number(I)];
    EXPECT_EQ(Own.Hits, 120u);
    EXPECT_EQ(Own.Sum, 120); // the value is 1
    EXPECT_TRUE(Own.Buckets.empty());
  }
  EXPECT_EQ(hitsOf(All.Made), 12000u);
  EXPECT_EQ(sitesOfAggregation(All.Made), 1u);
  EXPECT_EQ(All.totals().unread + All.totals().lost, 0u);
}

TEST(Aggregate, ProgramsWithoutKeysHaveOneRow) {
  Group All("timed_inner", {});
  for (int I = 0; I < 5; ++I)
    call(timed_inner);
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[""].Hits, 5u);
}

TEST(Aggregate, SumsAndBucketsAreExact) {
  Group All("timed_inner", {kNumber, kValue}, TPRT_PROGRAM_HISTOGRAM);
  std::map<uint32_t, uint64_t> Buckets;
  uint64_t Sum = 0, Negative = 0;
  int64_t Least = INT64_MAX, Greatest = INT64_MIN;
  std::mt19937_64 Random(7);
  for (int I = 0; I < 2000; ++I) {
    const uint64_t Value = Random() >> (I % 64);
    const auto Signed = static_cast<int64_t>(Value);
    callWith(timed_inner, Value);
    Sum += Value;
    Least = std::min(Least, Signed);
    Greatest = std::max(Greatest, Signed);
    if (Signed < 0)
      ++Negative;
    else
      ++Buckets[bucketOf(Value)];
  }
  const Row Own = All.row("");
  EXPECT_EQ(Own.Hits, 2000u);
  EXPECT_EQ(Own.Sum, static_cast<int64_t>(Sum));
  EXPECT_EQ(Own.Least, Least);
  EXPECT_EQ(Own.Greatest, Greatest);
  EXPECT_EQ(Own.Negative, Negative);
  EXPECT_EQ(Own.Unplaced, 0u);
  EXPECT_EQ(Own.Buckets, Buckets);
}

TEST(Aggregate, UnknownValuesCountAndAddNothing) {
  // The value is what the second argument points to.
  Group All("timed_inner",
            {kNumber,
             {TPRT_PROGRAM_LOAD, 1, 0, 8, 0},
             {TPRT_PROGRAM_VALUE, 0, 1, 0, 0}},
            TPRT_PROGRAM_HISTOGRAM);
  const int64_t Own = 5;
  callWith(timed_inner, 0);
  EXPECT_EQ(All.row("").Sum, 0);
  callWith(timed_inner, reinterpret_cast<uint64_t>(&Own));
  callWith(timed_inner, 1);
  const Row Found = All.row("");
  EXPECT_EQ(Found.Hits, 3u);
  EXPECT_EQ(Found.Unknown, 2u);
  EXPECT_EQ(Found.Sum, 5);
  EXPECT_EQ(Found.Least, 5);
  EXPECT_EQ(Found.Greatest, 5);
  EXPECT_EQ(Found.placed(), 1u);
}

TEST(Aggregate, UnknownConditionsAndFilteredHitsAreInNoRow) {
  Group All("timed_inner", {kNumber,
                            {TPRT_PROGRAM_LOAD, 1, 0, 8, 0},
                            {TPRT_PROGRAM_FILTER, 0, 1, 0, 0}});
  const uint64_t No = 0, Yes = 1;
  for (uint64_t Address : {uint64_t{0}, reinterpret_cast<uint64_t>(&No),
                           reinterpret_cast<uint64_t>(&Yes), uint64_t{16}})
    callWith(timed_inner, Address);
  EXPECT_EQ(All.row("").Hits, 1u);
  EXPECT_EQ(All.totals().unread, 2u);
}

TEST(Aggregate, KeysOfAllKindsAreTold) {
  Group All("timed_inner", {kNumber,
                            {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 10},
                            {TPRT_PROGRAM_LOAD, 1, 0, 8, 0},
                            {TPRT_PROGRAM_KEY, 0, 1, 0, 0},
                            {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 3}});
  const char Text[] = "abcd\0..", Long[] = "0123456789ab";
  auto text = [](const char *Of, bool Cut) {
    return std::string(1, Cut ? TPRT_PROGRAM_KEY_CUT_TEXT
                              : TPRT_PROGRAM_KEY_TEXT) +
           std::string(1, static_cast<char>(strlen(Of))) + Of;
  };
  auto word = [](const char *Of) {
    uint64_t Word;
    memcpy(&Word, Of, 8);
    return number(Word);
  };
  for (const char *Each : {Text, Long, static_cast<const char *>(nullptr)})
    callWith(timed_inner, reinterpret_cast<uint64_t>(Each));
  Rows Found = All.rows();
  EXPECT_EQ(Found.size(), 3u);
  EXPECT_EQ(Found[text("abcd", false) + word(Text) + text("abc", true)].Hits,
            1u);
  EXPECT_EQ(
      Found[text("0123456789", true) + word(Long) + text("012", true)].Hits,
      1u);
  EXPECT_EQ(Found[unknown() + unknown() + unknown()].Hits, 1u);
}

TEST(Aggregate, HitsWithoutRoomAreInTheRowForOthers) {
  Group All("timed_inner", {kNumber, kKey, kValue});
  constexpr uint64_t kCalls = 20'000;
  uint64_t Sum = 0;
  for (uint64_t I = 0; I < kCalls; ++I) {
    callWith(timed_inner, I << 48 | I); // keys that differ in high bits
    Sum += I << 48 | I;
  }
  callWith(timed_inner, 0); // known keys keep their row
  Rows Found = All.rows();
  EXPECT_EQ(Found.size(), 16384u);
  EXPECT_EQ(Found[number(0)].Hits, 2u);
  EXPECT_EQ(Found[kOthers].Hits, kCalls - 16383);
  uint64_t Hits = 0, Told = 0;
  for (const auto &[Keys, Own] : Found) {
    Hits += Own.Hits;
    Told += static_cast<uint64_t>(Own.Sum);
  }
  EXPECT_EQ(Hits, kCalls + 1);
  EXPECT_EQ(Told, Sum);
  // Another thread has a table of its own.
  std::thread([] { callWith(timed_inner, kCalls); }).join();
  EXPECT_EQ(All.row(number(kCalls)).Hits + All.row(kOthers).Hits,
            kCalls - 16383 + 1);
}

TEST(Aggregate, PagesTellEachRowOnce) {
  Group All("timed_inner", {kNumber, kKey});
  auto Calls = [] {
    for (uint64_t I = 0; I < 50; ++I)
      callWith(timed_inner, I);
  };
  Calls();
  std::thread(Calls).join();
  for (size_t PageRows : {1, 7, 100}) {
    Rows Found;
    All.read(Found, false, true, PageRows);
    EXPECT_EQ(Found.size(), 50u);
    for (const auto &[Keys, Own] : Found)
      EXPECT_EQ(Own.Hits, 2u);
  }
}

TEST(Aggregate, ChangedRowsAreTold) {
  Group All("timed_inner", {kNumber, kKey});
  auto changed = [&] {
    Rows Found;
    All.read(Found, true);
    return Found;
  };
  EXPECT_EQ(changed().size(), 0u);
  for (uint64_t I = 0; I < 5; ++I)
    callWith(timed_inner, I);
  EXPECT_EQ(changed().size(), 5u);
  EXPECT_EQ(changed().size(), 0u);
  callWith(timed_inner, 3);
  Rows Found = changed();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[number(3)].Hits, 2u);
  EXPECT_EQ(All.rows().size(), 5u);
}

// --- the ends of calls -------------------------------------------------------

constexpr uint32_t kAtEnd = TPRT_PROGRAM_AT_END;

TEST(Aggregate, EndsHaveTheArgumentsOfTheEntry) {
  Group All("timed_*er",
            {kNumber, kKey, read(TPRT_PROGRAM_FUNCTION), kKey,
             read(TPRT_PROGRAM_DURATION), kValue},
            kAtEnd | TPRT_PROGRAM_HISTOGRAM);
  for (int I = 0; I < 10; ++I)
    callWith(timed_outer, 4, [] { callWith(timed_inner, 9); });
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found.begin()->first.substr(0, 9), number(4));
  EXPECT_EQ(Found.rbegin()->first.substr(0, 9), number(9));
  const Row &Outer = Found.begin()->second, &Inner = Found.rbegin()->second;
  EXPECT_EQ(Outer.Hits, 10u);
  EXPECT_EQ(Inner.Hits, 10u);
  EXPECT_EQ(Outer.placed(), 10u);
  EXPECT_GE(Outer.Sum, Inner.Sum); // durations
  EXPECT_GE(Inner.Least, 0);
}

// The functions of timed.S return what their body does.
extern "C" using Returning = uint64_t(uint64_t (*Body)(void *), void *Data);
uint64_t callForResult(Timed &Function, uint64_t Result) {
  return reinterpret_cast<Returning *>(&Function)(
      [](void *Data) { return reinterpret_cast<uint64_t>(Data); },
      reinterpret_cast<void *>(Result));
}

TEST(Aggregate, EndsHaveTheResult) {
  Group All("timed_inner", {read(TPRT_PROGRAM_RESULT), kKey, kValue}, kAtEnd);
  for (uint64_t I = 0; I < 6; ++I)
    EXPECT_EQ(callForResult(timed_inner, I % 3), I % 3);
  for (uint64_t I = 0; I < 3; ++I) {
    EXPECT_EQ(All.row(number(I)).Hits, 2u);
    EXPECT_EQ(All.row(number(I)).Sum, static_cast<int64_t>(2 * I));
  }
}

const Operations kByResult = {kNumber, kKey, read(TPRT_PROGRAM_RESULT), kKey};

TEST(Aggregate, RecursiveCallsEndInnermostFirst) {
  Group All("timed_*er", {read(TPRT_PROGRAM_FUNCTION), kKey}, kAtEnd);
  test::recurse(5);
  test::recurse(3);
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found.begin()->second.Hits + Found.rbegin()->second.Hits, 14u);
  EXPECT_EQ(std::max(Found.begin()->second.Hits, Found.rbegin()->second.Hits),
            8u);
}

TEST(Aggregate, CallsLeftByLongjmpHaveNoResult) {
  Group All("timed_*er", kByResult, kAtEnd);
  static jmp_buf Back;
  for (int I = 0; I < 3; ++I)
    callWith(timed_outer, 1, [] {
      if (setjmp(Back) == 0)
        callWith(timed_inner, 2,
                 [] { callWith(timed_other, 3, [] { longjmp(Back, 1); }); });
    });
  Rows Found = All.rows();
  EXPECT_EQ(Found[number(2) + unknown()].Hits, 3u);
  EXPECT_EQ(Found[number(3) + unknown()].Hits, 3u);
  uint64_t Outer = 0;
  for (const auto &[Keys, Own] : Found)
    if (Keys.substr(0, 9) == number(1) && Keys.size() == 18)
      Outer += Own.Hits;
  EXPECT_EQ(Outer, 3u);
  EXPECT_EQ(hitsOf(All.Made), 9u);
}

TEST(Aggregate, CallsLeftByExceptionsHaveNoResult) {
  Group All("timed_*er", kByResult, kAtEnd);
  for (int I = 0; I < 3; ++I)
    callWith(timed_outer, 1, [] {
      try {
        callWith(timed_inner, 2, [] {
          callWith(timed_other, 3, [] { throw std::runtime_error("left"); });
        });
      } catch (const std::runtime_error &) {
      }
      callWith(timed_other,
               4); // a call further up ends the calls that were left
    });
  Rows Found = All.rows();
  EXPECT_EQ(Found[number(2) + unknown()].Hits, 3u);
  EXPECT_EQ(Found[number(3) + unknown()].Hits, 3u);
  EXPECT_EQ(Found.count(number(4) + unknown()), 0u);
  EXPECT_EQ(hitsOf(All.Made), 12u);
}

TEST(Aggregate, CallsThatAreTooDeepAreLost) {
  Group All("timed_outer", {}, kAtEnd);
  for (uint64_t I = 1; I <= 2; ++I) {
    test::recurse(5000);
    EXPECT_EQ(All.row("").Hits, I * 4096);
    EXPECT_EQ(All.totals().lost, I * 904);
  }
}

TEST(Aggregate, FunctionsWithoutExitsAreNotCountedAtTheirEnd) {
  Group All;
  EXPECT_EQ(All.add("timed_*", kByResult, kAtEnd), TPRT_STATUS_PARTIAL);
  EXPECT_NE(
      std::string(tprt_error_string()).find("their calls are not counted"),
      std::string::npos);
  for (int I = 0; I < 3; ++I)
    callWith(timed_outer, 1, [] {
      callWith(timed_endless, 2, [] { callWith(timed_inner, 3); });
    });
  uint64_t Hits = 0;
  for (const auto &[Keys, Own] : All.rows()) {
    EXPECT_NE(Keys.substr(0, 9), number(2));
    Hits += Own.Hits;
  }
  EXPECT_EQ(Hits, 6u);
  // At entries they are.
  Group Entries("timed_*", {kNumber, kKey});
  callWith(timed_endless, 2);
  EXPECT_EQ(Entries.row(number(2)).Hits, 1u);
}

TEST(Aggregate, CallsUnderWayAtTheAttachAreNotCounted) {
  std::unique_ptr<Group> All;
  callWith(timed_outer, 1, [&] {
    All =
        std::make_unique<Group>("timed_*er", Operations{kNumber, kKey}, kAtEnd);
    callWith(timed_inner, 2);
  });
  EXPECT_EQ(All->rows().size(), 1u);
  EXPECT_EQ(All->row(number(2)).Hits, 1u);
}

TEST(Aggregate, ProgramsOfOneGroupNest) {
  Group Both("timed_outer", {kNumber, kKey}, kAtEnd);
  EXPECT_EQ(Both.add("timed_inner", {kNumber, kKey, kValue}, kAtEnd),
            TPRT_STATUS_OK);
  EXPECT_EQ(Both.add("timed_other", {kNumber, kKey}), TPRT_STATUS_OK);
  for (int I = 0; I < 4; ++I)
    callWith(timed_outer, 1, [] {
      callWith(timed_inner, 2, [] {
        callWith(timed_other, 3);
        callWith(timed_outer, 1);
      });
    });
  EXPECT_EQ(Both.row(number(1)).Hits, 8u);
  EXPECT_EQ(Both.row(number(2)).Hits, 4u);
  EXPECT_EQ(Both.row(number(2)).Sum, 8);
  EXPECT_EQ(Both.row(number(3)).Hits, 4u);
}

const Operations kDurations = {kNumber, kKey, read(TPRT_PROGRAM_DURATION),
                               kValue};
constexpr uint32_t kSelf = kAtEnd | TPRT_PROGRAM_SELF;

// Each call's own time is its duration without the calls inside of it.
TEST(Aggregate, OwnTimesAddUpToTheOutermostCalls) {
  Group All("timed_*er", kDurations, kSelf);
  constexpr int Calls = 50;
  for (int I = 0; I < Calls; ++I)
    callWith(timed_outer, 1, [] {
      callWith(timed_inner, 2, [] { callWith(timed_outer, 3); });
      callWith(timed_inner, 2);
    });
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 3u);
  const Row &Outer = Found[number(1)], &Last = Found[number(3)];
  const uint64_t Own = Outer.Self + Found[number(2)].Self + Last.Self;
  // A nanosecond may be lost for each call and each conversion of ticks.
  EXPECT_NEAR(static_cast<double>(Own), static_cast<double>(Outer.Sum),
              8 * Calls);
  EXPECT_EQ(Last.Self, static_cast<uint64_t>(Last.Sum));
  EXPECT_GT(Last.Self, 0u);
}

TEST(Aggregate, OwnTimesLeaveOutCallsThatDoNotCount) {
  Operations OnlyOuter = {kNumber, read(TPRT_PROGRAM_ARGUMENT, 1)};
  OnlyOuter[1].number = 1;
  OnlyOuter.push_back(
      {TPRT_PROGRAM_EQUAL | TPRT_PROGRAM_IMMEDIATE, 1, 1, 0, 1});
  OnlyOuter.push_back({TPRT_PROGRAM_FILTER, 0, 1, 0, 0});
  OnlyOuter.insert(OnlyOuter.end(), kDurations.begin(), kDurations.end());
  Group All("timed_*er", OnlyOuter, kSelf);
  using Clock = std::chrono::steady_clock;
  callWith(timed_outer, 1, [] {
    callWith(timed_inner, 2, [] {
      for (auto Begin = Clock::now();
           Clock::now() - Begin < std::chrono::milliseconds(2);) {
      }
    });
  });
  Rows Found = All.rows();
  ASSERT_EQ(Found.size(), 1u);
  const Row &Outer = Found[number(1)];
  EXPECT_EQ(Outer.Hits, 1u);
  EXPECT_GE(static_cast<uint64_t>(Outer.Sum), Outer.Self + 1'900'000);
}

TEST(Aggregate, AllProgramsOfAGroupHaveOwnTimesOrNone) {
  Group All("timed_outer", kDurations, kSelf);
  EXPECT_EQ(All.add("timed_inner", kDurations, kAtEnd),
            TPRT_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(bytesOfProgram({0, 0, TPRT_PROGRAM_SELF, 0}), 0u);
  EXPECT_EQ(bytesOfProgram({0, 0, kSelf | TPRT_PROGRAM_STARTS_PAIR, 0}), 0u);
  EXPECT_NE(bytesOfProgram({0, 0, kSelf, 0}), 0u);
}

TEST(Aggregate, EndsThatTwoSelectorsFindAreCountedOnce) {
  Group Both("timed_inner", {kNumber, kKey}, kAtEnd);
  EXPECT_EQ(Both.add("timed_*er", {kNumber, kKey}, kAtEnd), TPRT_STATUS_OK);
  for (int I = 0; I < 4; ++I)
    callWith(timed_inner, 2, [] { callWith(timed_inner, 2); });
  EXPECT_EQ(Both.row(number(2)).Hits, 8u);
}

TEST(Aggregate, GroupsOnOneFunctionAreApart) {
  Group First("timed_inner", {}, kAtEnd);
  call(timed_inner);
  Group Second("timed_*er", {});
  call(timed_inner);
  First.end();
  call(timed_inner);
  EXPECT_EQ(Second.row("").Hits, 2u);
  Group Third("timed_inner", {}); // reuses the first group's slot
  EXPECT_EQ(Third.rows().size(), 0u);
}

TEST(Aggregate, FunctionsLeaveAGroup) {
  Group All("timed_*er", {kNumber, kKey}, kAtEnd);
  auto Calls = [] {
    callWith(timed_outer, 1, [] { callWith(timed_inner, 2); });
  };
  Calls();
  size_t Count = 0;
  EXPECT_EQ(dropAggregated(
                All.Made,
                [](const tprt_site &Site, void *) {
                  return Site.function() ==
                         reinterpret_cast<const uint8_t *>(&timed_inner);
                },
                nullptr, &Count),
            TPRT_STATUS_OK);
  EXPECT_EQ(Count, 2u);
  Calls();
  EXPECT_EQ(All.row(number(1)).Hits, 2u);
  EXPECT_EQ(All.row(number(2)).Hits, 1u);
}

TEST(Aggregate, GroupsHaveABound) {
  std::vector<std::unique_ptr<Group>> Groups;
  for (unsigned I = 0; I < kMostAggregations; ++I)
    Groups.push_back(std::make_unique<Group>());
  Aggregation *None = nullptr;
  EXPECT_FALSE(makeAggregation(None));
  EXPECT_EQ(None, nullptr);
}

} // namespace
