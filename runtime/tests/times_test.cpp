// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the timing of calls (timing/timed_groups.h), with the functions of
// timed.S. Times differ from run to run, but they add up to the tick: a
// function's total is its own time and that of the calls inside it.
// timesthreads_test.cpp tests the effect of threads and jumps on the sums.
#include "timedgroup.h"

#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace test;

TEST(Times, SelfAndInsideAreTotal) {
  Group All("timed_*er");
  for (int I = 0; I < 10; ++I)
    call(timed_outer, [] {
      call(timed_inner, [] { call(timed_other); });
      call(timed_inner);
    });
  Row Outer = All.row("timed_outer"), Inner = All.row("timed_inner"),
      Other = All.row("timed_other");
  EXPECT_EQ(Outer.Sums.calls, 10u);
  EXPECT_EQ(Inner.Sums.calls, 20u);
  EXPECT_EQ(Other.Sums.calls, 10u);
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.total);
  EXPECT_EQ(Inner.Sums.total, Inner.Sums.self + Other.Sums.total);
  EXPECT_EQ(Other.Sums.total, Other.Sums.self);
  EXPECT_GE(Outer.Sums.longest, Outer.Sums.total / 10);
  EXPECT_EQ(Outer.Sums.cut + Inner.Sums.cut + Other.Sums.cut, 0u);
  EXPECT_EQ(timedCalls(All.Made), 40u);
  EXPECT_EQ(sitesOfTimed(All.Made), 6u);
}

TEST(Times, CallsOfTwoSelectorsNest) {
  Group Both("timed_outer");
  EXPECT_EQ(Both.add("timed_inner"), TPRT_STATUS_OK);
  call(timed_outer, [] { call(timed_inner); });
  Row Outer = Both.row("timed_outer"), Inner = Both.row("timed_inner");
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.total);
}

TEST(Times, SelectorsThatOverlapTimeACallOnce) {
  Group Both("timed_*er");
  EXPECT_EQ(Both.add("timed_inner"), TPRT_STATUS_OK);
  for (int I = 0; I < 10; ++I)
    call(timed_outer, [] { call(timed_inner); });
  Row Outer = Both.row("timed_outer"), Inner = Both.row("timed_inner");
  EXPECT_EQ(Inner.Sums.calls, 10u);
  EXPECT_EQ(Inner.Sums.cut, 0u);
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.total);
}

TEST(Times, RecursionCountsOnceInTotal) {
  Group All("timed_*er");
  recurse(5);
  recurse(3);
  Row Outer = All.row("timed_outer"), Inner = All.row("timed_inner");
  EXPECT_EQ(Outer.Sums.calls, 8u);
  EXPECT_EQ(Inner.Sums.calls, 6u);
  // All time is inside the two outermost calls.
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.self);
  EXPECT_LT(Inner.Sums.total, Outer.Sums.total);
}

// The sums of rows with equal callers, in the order of calls.
std::vector<Row> byCaller(const Group &From, const char *Function,
                          size_t PageRows) {
  std::map<uint64_t, Row> Callers;
  Rows All = From.rows(kTimedBuckets | kTimedCallers, PageRows);
  for (auto [At, End] = All.equal_range(Function); At != End; ++At) {
    EXPECT_EQ(At->second.placed(), At->second.Sums.calls);
    Row &Sum = Callers[At->second.Caller];
    Sum.Sums.calls += At->second.Sums.calls;
    Sum.Sums.total += At->second.Sums.total;
    Sum.Sums.self += At->second.Sums.self;
    Sum.Sums.open += At->second.Sums.open;
  }
  std::vector<Row> Sorted;
  for (auto &[Caller, Of] : Callers)
    Sorted.push_back(Of);
  std::sort(Sorted.begin(), Sorted.end(), [](const Row &A, const Row &B) {
    return A.Sums.calls < B.Sums.calls;
  });
  return Sorted;
}

// Two call sites. An unrolled loop would contain several call sites.
__attribute__((noinline)) void callSlowly() {
  call(timed_outer, [] { call(timed_inner, [] { usleep(1); }); });
}
__attribute__((noinline)) void callQuickly() {
  call(timed_outer, [] { call(timed_inner); });
}

TEST(Times, CallersAddUpToTheirFunction) {
  Group All(makeTimedByCallers);
  EXPECT_EQ(All.add("timed_*er"), TPRT_STATUS_OK);
  auto Calls = [] {
    for (int I = 0; I < 3; ++I)
      callSlowly();
    for (int I = 0; I < 5; ++I)
      callQuickly();
    recurse(4);
  };
  Calls();
  std::thread(Calls).join();
  for (const char *Function : {"timed_outer", "timed_inner"})
    for (size_t PageRows : {SIZE_MAX, size_t{1}}) {
      Row Whole = All.row(Function);
      std::vector<Row> Callers = byCaller(All, Function, PageRows);
      ASSERT_EQ(Callers.size(), 3u);
      EXPECT_EQ(Callers[0].Sums.calls, 6u);
      uint64_t Sums = 0, Total = 0, Self = 0;
      for (const Row &Of : Callers) {
        Sums += Of.Sums.calls;
        Total += Of.Sums.total;
        Self += Of.Sums.self;
      }
      EXPECT_EQ(Whole.Sums.calls, Sums);
      EXPECT_EQ(Whole.Sums.total, Total);
      EXPECT_EQ(Whole.Sums.self, Self);
      EXPECT_EQ(Whole.placed(), Sums);
    }
  Row Outer = All.row("timed_outer"), Inner = All.row("timed_inner");
  // In `total`, recursive calls count only once.
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.self);
  EXPECT_EQ(timedCalls(All.Made), Outer.Sums.calls + Inner.Sums.calls);
}

TEST(Times, OpenCallsBelongToTheirCaller) {
  Group All(makeTimedByCallers);
  EXPECT_EQ(All.add("timed_outer"), TPRT_STATUS_OK);
  call(timed_outer, [&] {
    call(timed_outer, [&] {
      EXPECT_EQ(All.row("timed_outer").Sums.open, 2u);
      for (const Row &Of : byCaller(All, "timed_outer", SIZE_MAX))
        EXPECT_EQ(Of.Sums.open, 1u);
    });
  });
  EXPECT_EQ(byCaller(All, "timed_outer", SIZE_MAX).size(), 2u);
}

TEST(Times, CallsThatAreTooDeepAreLost) {
  Group All("timed_outer");
  for (int I = 0; I < 2; ++I) {
    recurse(5000);
    EXPECT_EQ(All.row("timed_outer").Sums.calls, (I + 1) * 4096u);
    EXPECT_EQ(All.row("timed_outer").Sums.cut, 0u);
    EXPECT_EQ(lostTimed(All.Made), (I + 1) * 904u);
  }
}

TEST(Times, BucketsHoldTheirTicks) {
  uint64_t Before = 0;
  for (uint32_t Bucket = 0; Bucket < kBuckets; ++Bucket) {
    uint64_t Start = startOfBucket(Bucket);
    EXPECT_EQ(bucketOf(Start), Bucket);
    if (Bucket) {
      EXPECT_EQ(bucketOf(Start - 1), Bucket - 1);
    }
    // The width of a bucket is at most a sixteenth of its start.
    EXPECT_LE(Start - Before, Before / 16 + 1);
    Before = Start;
  }
  EXPECT_EQ(bucketOf(UINT64_MAX), kBuckets - 1);
}

TEST(Times, HistogramHoldsEachCall) {
  Group All("timed_inner");
  for (int I = 0; I < 1000; ++I)
    call(timed_inner, [=] {
      if (I % 100 == 0)
        usleep(100);
    });
  Row Inner = All.row("timed_inner");
  EXPECT_EQ(Inner.placed(), 1000u);
  ASSERT_FALSE(Inner.Buckets.empty());
  EXPECT_EQ(Inner.Buckets.rbegin()->first, bucketOf(Inner.Sums.longest));
  uint64_t Least = 0, Most = 0;
  for (auto [Bucket, Count] : Inner.Buckets) {
    Least += startOfBucket(Bucket) * Count;
    Most += (startOfBucket(Bucket + 1) - 1) * Count;
  }
  EXPECT_LE(Least, Inner.Sums.total);
  EXPECT_GE(Most, Inner.Sums.total);
}

TEST(Times, CallsBeyondTheBoundAreCounted) {
  // Room for the pieces of one thread.
  Group All(size_t{4096});
  EXPECT_EQ(All.add("timed_inner"), TPRT_STATUS_OK);
  auto Calls = [] {
    for (int I = 0; I < 10; ++I)
      call(timed_inner);
  };
  std::thread(Calls).join();
  Row First = All.row("timed_inner");
  EXPECT_EQ(First.Sums.unplaced, 0u);
  std::thread(Calls).join();
  Row Both = All.row("timed_inner");
  EXPECT_EQ(Both.Sums.calls, 20u);
  EXPECT_EQ(Both.Sums.unplaced, 10u);
  EXPECT_EQ(Both.placed(), 10u);
}

TEST(Times, FunctionsWithoutExitsAreNamed) {
  Group All(size_t{0});
  EXPECT_EQ(All.add("timed_*"), TPRT_STATUS_PARTIAL);
  EXPECT_NE(std::string(tprt_error_string()).find("timed_endless"),
            std::string::npos);
  call(timed_outer, [] { call(timed_endless, [] { call(timed_inner); }); });
  Row Outer = All.row("timed_outer");
  EXPECT_EQ(Outer.Sums.total,
            Outer.Sums.self + All.row("timed_inner").Sums.total);
  EXPECT_TRUE(All.row("timed_endless").Sums.untimed);
  EXPECT_EQ(All.row("timed_endless").Sums.calls, 0u);
  bool Untimed = false;
  for (uint32_t I = 0; I < siteCount; ++I) {
    TimedSums Sums;
    sumTimed(All.Made, I, Sums);
    Untimed |= Sums.untimed;
  }
  EXPECT_TRUE(Untimed);
  EXPECT_EQ(All.row("timed_inner").placed(), 0u); // no histograms
}

TEST(Times, OpenCallsAreTold) {
  Group All("timed_*er");
  call(timed_outer, [&] {
    call(timed_inner);
    Row Outer = All.row("timed_outer");
    EXPECT_EQ(Outer.Sums.open, 1u);
    EXPECT_EQ(Outer.Sums.calls, 0u);
    EXPECT_EQ(All.row("timed_inner").Sums.open, 0u);
  });
  EXPECT_EQ(All.row("timed_outer").Sums.open, 0u);
}

TEST(Times, CallsUnderWayAtTheAttachAreNotTimed) {
  std::unique_ptr<Group> All;
  call(timed_outer, [&] {
    All = std::make_unique<Group>("timed_*er");
    call(timed_inner);
  });
  EXPECT_EQ(All->rows().count("timed_outer"), 0u);
  EXPECT_EQ(All->row("timed_inner").Sums.calls, 1u);
}

TEST(Times, VisitsGoOnWhereTheyStopped) {
  Group All("timed_*er");
  auto Calls = [] {
    call(timed_outer, [] { call(timed_inner, [] { call(timed_other); }); });
  };
  Calls();
  std::thread(Calls).join();
  std::thread(Calls).join();
  for (uint32_t Detail : {0u, +kTimedThreads}) {
    Rows Whole = All.rows(Detail), Paged = All.rows(Detail, 1);
    EXPECT_EQ(Whole.size(), Detail ? 9u : 3u);
    ASSERT_EQ(Paged.size(), Whole.size());
    for (auto A = Whole.begin(), B = Paged.begin(); A != Whole.end();
         ++A, ++B) {
      EXPECT_EQ(A->first, B->first);
      EXPECT_EQ(A->second.Thread, B->second.Thread);
    }
  }
}

TEST(Times, GroupsOnOneFunctionAreApart) {
  Group First("timed_inner");
  call(timed_inner);
  Group Second("timed_*er");
  call(timed_inner);
  First.end();
  call(timed_inner);
  EXPECT_EQ(Second.row("timed_inner").Sums.calls, 2u);
  Group Third("timed_inner"); // reuses the first group's slot
  EXPECT_EQ(Third.rows().size(), 0u);
}

TEST(Times, GroupsHaveABound) {
  std::vector<std::unique_ptr<Group>> Groups;
  for (unsigned I = 0; I < kMostTimed; ++I)
    Groups.push_back(std::make_unique<Group>(size_t{0}));
  TimedGroup *None = nullptr;
  EXPECT_FALSE(makeTimed(None));
  EXPECT_EQ(None, nullptr);
  tprt_result Result = {};
  EXPECT_EQ(addTimed(nullptr, nullptr, Result), TPRT_STATUS_NO_MEMORY);
}

} // namespace
