// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how calls are timed (optional/control/times.h), with the functions of
// timed.S. Times differ from run to run, but they add up to the tick: a
// function's total is its own time and that of the calls inside it.
#include "core/plain/site.h"
#include "core/threads.h"
#include "optional/control/times.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

using Timed = void(void (*Body)(void *), void *Data);
extern "C" Timed timed_outer, timed_inner, timed_other, timed_endless;

namespace {

using namespace tprt;

// Calls a function of timed.S, which calls Body.
template <class F> void call(Timed &Function, F Body) {
  Function([](void *Data) { (*static_cast<F *>(Data))(); }, &Body);
}
void call(Timed &Function) {
  call(Function, [] {});
}

struct Row {
  TimedSums Sums;
  int32_t Thread;
  uint64_t Caller;
  std::map<uint32_t, uint64_t> Buckets;

  uint64_t placed() const {
    uint64_t Sum = 0;
    for (auto [Bucket, Count] : Buckets)
      Sum += Count;
    return Sum;
  }
};
using Rows = std::multimap<std::string, Row>;

// A group that ends with its test.
struct Group {
  TimedGroup *Made;

  explicit Group(TimedGroup *Made) : Made(Made) { EXPECT_TRUE(Made); }
  explicit Group(size_t HistogramBytes = kHistogramBytes)
      : Group(makeTimed(HistogramBytes)) {}
  explicit Group(const char *Function) : Group() {
    EXPECT_EQ(add(Function), TPRT_STATUS_OK) << tprt_error_string();
  }
  Group(const Group &) = delete;
  ~Group() { end(); }

  tprt_status add(const char *Function) {
    tprt_selector Selector = {};
    Selector.function = Function;
    tprt_result Result = {};
    return addTimed(Made, &Selector, Result);
  }
  void end() {
    if (Made)
      EXPECT_EQ(endTimed(Made, -1), TPRT_STATUS_OK) << tprt_error_string();
    Made = nullptr;
  }

  // The rows, in pages of at most `PageRows`.
  Rows rows(uint32_t Detail = kTimedBuckets, size_t PageRows = SIZE_MAX) const {
    struct Page {
      Rows All;
      size_t Most, Left;
    } Pages{{}, PageRows, 0};
    auto Take = [](const TimedRow &From, void *Data) {
      auto &To = *static_cast<Page *>(Data);
      if (!To.Left)
        return false;
      --To.Left;
      tprt_site_info Info = {};
      tprt_site_describe(&sites[From.site], &Info);
      Row Own = {From.sums, From.thread, From.returnAddress, {}};
      for (uint32_t I = 0; I < From.bucketCount; ++I)
        Own.Buckets[From.buckets[I] >> kBucketShift] =
            From.buckets[I] & ((uint64_t{1} << kBucketShift) - 1);
      To.All.emplace(Info.name, Own);
      return true;
    };
    TimedPlace Place = {};
    do
      Pages.Left = Pages.Most;
    while (!visitTimed(Made, &Place, Detail, Take, &Pages));
    return Pages.All;
  }
  Row row(const char *Function) const {
    Rows All = rows();
    auto At = All.find(Function);
    return At == All.end() ? Row{} : At->second;
  }
};

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

// Not inlined, so that it calls from one place.
__attribute__((noinline)) void recurse(unsigned Depth) {
  call(timed_outer, [=] {
    if (Depth > 1)
      call(timed_inner, [=] { recurse(Depth - 1); });
  });
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

// What rows of equal callers have together, in the order of calls.
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

// Two places to call from. An unrolled loop would be several.
__attribute__((noinline)) void callSlowly() {
  call(timed_outer, [] { call(timed_inner, [] { usleep(1); }); });
}
__attribute__((noinline)) void callQuickly() {
  call(timed_outer, [] { call(timed_inner); });
}

TEST(Times, CallersAddUpToTheirFunction) {
  Group All(makeTimedByCallers());
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
  // Recursion counts once in total.
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.self);
  EXPECT_EQ(timedCalls(All.Made), Outer.Sums.calls + Inner.Sums.calls);
}

TEST(Times, OpenCallsBelongToTheirCaller) {
  Group All(makeTimedByCallers());
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
    // A bucket is at most a sixteenth of its start wide.
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
  EXPECT_EQ(All.rows().count("timed_endless"), 0u);
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

TEST(Times, EndedThreadsKeepTheirRows) {
  Group All("timed_inner");
  std::set<int32_t> Threads;
  for (int Calls : {3, 2}) // the second thread takes over the first one's block
    std::thread([&, Calls] {
      Threads.insert(gettid());
      for (int I = 0; I < Calls; ++I)
        call(timed_inner);
    }).join();
  std::map<int32_t, uint64_t> Counts;
  for (const auto &[Name, Each] : All.rows(kTimedThreads))
    Counts[Each.Thread] += Each.Sums.calls;
  ASSERT_EQ(Counts.size(), 2u);
  uint64_t Sum = 0;
  for (auto [Thread, Calls] : Counts) {
    EXPECT_TRUE(Threads.count(Thread));
    Sum += Calls;
  }
  EXPECT_EQ(Sum, 5u);
  EXPECT_EQ(All.row("timed_inner").Sums.calls, 5u);
}

TEST(Times, ManyEndedThreadsShareRows) {
  Group All("timed_inner");
  auto Calls = [](int Threads) {
    for (int I = 0; I < Threads; ++I)
      std::thread([] { call(timed_inner); }).join();
  };
  auto countOwn = [&] {
    size_t Own = 0;
    for (const auto &[Name, Of] : All.rows(kTimedThreads)) {
      Own += Of.Thread != 0;
      if (Of.Thread)
        EXPECT_EQ(Of.Sums.calls, 1u);
    }
    return Own;
  };
  Calls(65);
  size_t Own = countOwn();
  EXPECT_EQ(Own, 65u);
  Calls(135);
  // No thread loses its row to others.
  EXPECT_EQ(countOwn(), Own);
  EXPECT_EQ(All.row("timed_inner").Sums.calls, 200u);
  EXPECT_LE(All.rows(kTimedThreads).size(), 67u);
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
  Group Third("timed_inner"); // has the first one's slot
  EXPECT_EQ(Third.rows().size(), 0u);
}

TEST(Times, GroupsHaveABound) {
  std::vector<std::unique_ptr<Group>> Groups;
  for (unsigned I = 0; I < kMostTimed; ++I)
    Groups.push_back(std::make_unique<Group>(size_t{0}));
  EXPECT_EQ(makeTimed(), nullptr);
  tprt_result Result = {};
  EXPECT_EQ(addTimed(nullptr, nullptr, Result), TPRT_STATUS_NO_MEMORY);
}

jmp_buf Back;

TEST(Times, CallsLeftByLongjmpAreCut) {
  Group All("timed_*er");
  for (int I = 0; I < 3; ++I)
    call(timed_outer, [] {
      if (setjmp(Back) == 0)
        call(timed_inner, [] { call(timed_other, [] { longjmp(Back, 1); }); });
    });
  Row Outer = All.row("timed_outer"), Inner = All.row("timed_inner"),
      Other = All.row("timed_other");
  EXPECT_EQ(Outer.Sums.cut, 0u);
  EXPECT_EQ(Inner.Sums.cut, 3u);
  EXPECT_EQ(Inner.Sums.calls, 3u);
  EXPECT_EQ(Other.Sums.cut, 3u);
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self + Inner.Sums.total);
}

// A call that begins on one thread and ends on another.
ucontext_t Caller, Coroutine;

TEST(Times, CallsThatChangeThreadsAreCut) {
  Group All("timed_outer");
  std::vector<char> Stack(256 * 1024);
  getcontext(&Coroutine);
  Coroutine.uc_stack.ss_sp = Stack.data();
  Coroutine.uc_stack.ss_size = Stack.size();
  Coroutine.uc_link = nullptr;
  makecontext(
      &Coroutine,
      [] {
        call(timed_outer, [] { swapcontext(&Coroutine, &Caller); });
        swapcontext(&Coroutine, &Caller);
      },
      0);
  swapcontext(&Caller, &Coroutine);
  EXPECT_EQ(All.row("timed_outer").Sums.open, 1u);
  std::thread([] { swapcontext(&Caller, &Coroutine); }).join();
  EXPECT_EQ(All.row("timed_outer").Sums.open, 0u);
  call(timed_outer);
  Row Outer = All.row("timed_outer");
  EXPECT_EQ(Outer.Sums.calls, 2u);
  EXPECT_EQ(Outer.Sums.cut, 1u);
}

// A thread that makes the same calls again and again, and gets signals
// meanwhile.
struct Interrupted {
  static inline std::atomic<bool> Begun, Stop, Caught, Release;
  static inline sigjmp_buf Start;
  std::thread Runner;

  template <class F> Interrupted(void (*OnSignal)(int), F Calls) {
    Begun = Stop = Caught = Release = false;
    signal(SIGUSR1, OnSignal);
    Runner = std::thread([Calls] {
      call(timed_inner);
      sigsetjmp(Start, 1);
      Begun = true;
      while (!Stop)
        Calls();
    });
    while (!Begun)
      std::this_thread::yield();
  }
  void interrupt() { pthread_kill(Runner.native_handle(), SIGUSR1); }
  void end() {
    Stop = true;
    Runner.join();
    signal(SIGUSR1, SIG_DFL);
  }
};

TEST(Times, EndIsPendingWhileAThreadIsInTheHandler) {
  Group All("timed_*er");
  // The thread is held where a signal finds it in the handler.
  Interrupted Calls(
      [](int) {
        if (!threadInHandler()->guard)
          return;
        Interrupted::Caught = true;
        while (!Interrupted::Release)
          ;
        Interrupted::Caught = false;
      },
      [] { call(timed_inner); });
  while (!Interrupted::Caught) {
    Calls.interrupt();
    usleep(100);
  }
  EXPECT_EQ(endTimed(All.Made, 5), TPRT_STATUS_PENDING);
  EXPECT_GT(All.row("timed_inner").Sums.calls, 0u);
  EXPECT_EQ(endTimed(All.Made, 0), TPRT_STATUS_PENDING);
  Interrupted::Release = true;
  All.end();
  Calls.end();
}

TEST(Times, HandlersLeftByLongjmpLeaveTheCallsWhole) {
  Group All("timed_*er");
  Interrupted Calls([](int) { siglongjmp(Interrupted::Start, 1); },
                    [] { recurse(3); });
  for (int I = 0; I < 500; ++I) {
    Calls.interrupt();
    usleep(100);
  }
  Calls.end();
  Row Outer = All.row("timed_outer"), Inner = All.row("timed_inner");
  EXPECT_GT(Outer.Sums.calls, Inner.Sums.calls);
  EXPECT_LE(Outer.Sums.cut, 1500u);
  // What was left is seen at the next hit. A handler that was left may have
  // added to one sum and not to the next.
  EXPECT_LE(Outer.Sums.open + Inner.Sums.open, 5u);
  EXPECT_LE(Outer.placed(), Outer.Sums.calls);
  EXPECT_GE(Outer.placed() + 500, Outer.Sums.calls);
}

// The size of the process's mappings, in pages. From the maps, as an emulator
// shows its own size in statm.
int64_t mappedPages() {
  int64_t Bytes = 0;
  unsigned long long Begin, End;
  FILE *Maps = fopen("/proc/self/maps", "r");
  while (fscanf(Maps, "%llx-%llx%*[^\n]", &Begin, &End) == 2)
    Bytes += End - Begin;
  fclose(Maps);
  return Bytes / 4096;
}

// Keeps threads calling until the end of the object's life.
class Callers {
public:
  explicit Callers(unsigned Count) {
    for (unsigned I = 0; I < Count; ++I)
      Threads.emplace_back([this, I] {
        for (unsigned J = I; !Stop; ++J) {
          if (J % 64 == 0) // a thread that ends
            std::thread([] { call(timed_other); }).join();
          recurse(J % 7 + 1);
          call(timed_outer, [] {
            jmp_buf Here;
            if (setjmp(Here) == 0)
              call(timed_inner, [&] { longjmp(Here, 1); });
          });
          Rounds.fetch_add(1);
        }
      });
  }
  ~Callers() {
    Stop = true;
    for (std::thread &Each : Threads)
      Each.join();
  }
  void awaitRound() const {
    for (unsigned Before = Rounds; Rounds - Before < Threads.size() + 1;)
      std::this_thread::yield();
  }

private:
  std::atomic<bool> Stop = false;
  std::atomic<unsigned> Rounds = 0;
  std::vector<std::thread> Threads;
};

TEST(Times, RoundsDoNotGrow) {
  auto Rounds = [](int Count) {
    for (int I = 0; I < Count; ++I) {
      Group All("timed_*er");
      recurse(3);
      // Threads that end, in some rounds: an emulator takes long for them.
      int Threads = I % 8 == 0 ? 2 : 0;
      for (int J = 0; J < Threads; ++J)
        std::thread([] { recurse(2); }).join();
      EXPECT_EQ(All.row("timed_outer").Sums.calls, Threads ? 7u : 3u);
    }
  };
  Rounds(100);
  int64_t Before = mappedPages();
  Rounds(2000);
  EXPECT_LT(mappedPages() - Before, 64);
}

TEST(Times, GroupsComeAndGoWhileThreadsCall) {
  Callers Threads(3);
  auto End = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  unsigned Rounds = 0, Seen = 0;
  while (std::chrono::steady_clock::now() < End) {
    Group First("timed_*er"), Second("timed_inner");
    if (Rounds++ % 4 == 0)
      Threads.awaitRound();
    for (const auto &[Name, Each] : First.rows()) {
      Seen += Each.Sums.calls > 0;
      EXPECT_LE(Each.Sums.cut, Each.Sums.calls + 8);
      EXPECT_EQ(Each.Sums.unplaced, 0u);
    }
    Second.end();
    First.rows(kTimedThreads | kTimedBuckets);
  }
  EXPECT_GT(Seen, 0u);
  EXPECT_GT(Rounds, 10u);
}

} // namespace
