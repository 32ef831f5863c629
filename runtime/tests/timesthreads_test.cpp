// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the timing of calls on threads that end, receive signals, jump out of
// calls or continue on another thread. Also tests the memory use of groups that
// are attached and detached repeatedly.
#include "busycallers.h"
#include "timedgroup.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace test;

TEST(Times, EndedThreadsKeepTheirRows) {
  Group All("timed_inner");
  std::set<int32_t> Threads;
  for (int Calls : {3, 2}) // the second thread reuses the first one's block
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
  // When they ended is not known. Their time is part of their caller's own.
  EXPECT_EQ(Inner.Sums.total + Inner.Sums.self + Inner.Sums.longest, 0u);
  EXPECT_EQ(Inner.placed(), 0u);
  EXPECT_GT(Outer.Sums.total, 0u);
  EXPECT_EQ(Outer.Sums.total, Outer.Sums.self);
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

// A thread that repeats the same calls, and receives signals in the meantime.
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
  // If a signal interrupts the thread inside a probe's handler, the signal
  // handler holds the thread there.
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
  // The next hit notices the abandoned call. An abandoned handler may have
  // added to one sum but not to the next.
  EXPECT_LE(Outer.Sums.open + Inner.Sums.open, 5u);
  EXPECT_LE(Outer.placed(), Outer.Sums.calls);
  EXPECT_GE(Outer.placed() + Outer.Sums.cut + 500, Outer.Sums.calls);
}

// The size of the process's mappings, in pages. The size is read from the maps,
// because an emulator shows its own size in statm.
int64_t mappedPages() {
  int64_t Bytes = 0;
  unsigned long long Begin, End;
  FILE *Maps = fopen("/proc/self/maps", "r");
  while (fscanf(Maps, "%llx-%llx%*[^\n]", &Begin, &End) == 2)
    Bytes += End - Begin;
  fclose(Maps);
  return Bytes / 4096;
}

// The number of rounds that is enough for the test. An emulator, which is used
// to test AArch64, needs a hundred times as long for a round as a processor.
#ifdef __aarch64__
constexpr int kRounds = 400;
constexpr unsigned kGroupRounds = 40;
#else
constexpr int kRounds = 2000;
constexpr unsigned kGroupRounds = 500;
#endif

TEST(Times, RoundsDoNotGrow) {
  auto Rounds = [](int Count) {
    for (int I = 0; I < Count; ++I) {
      Group All("timed_*er");
      recurse(3);
      // Some rounds use threads that end. An emulator needs much time for these
      // threads.
      int Threads = I % 8 == 0 ? 2 : 0;
      for (int J = 0; J < Threads; ++J)
        std::thread([] { recurse(2); }).join();
      EXPECT_EQ(All.row("timed_outer").Sums.calls, Threads ? 7u : 3u);
    }
  };
  Rounds(100);
  int64_t Before = mappedPages();
  Rounds(kRounds);
  EXPECT_LT(mappedPages() - Before, 64);
}

TEST(Times, GroupsComeAndGoWhileThreadsCall) {
  BusyCallers Threads(3);
  unsigned Seen = 0;
  for (unsigned Round = 0; Round < kGroupRounds; ++Round) {
    Group First("timed_*er"), Second("timed_inner");
    if (Round % 4 == 0)
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
}

} // namespace
