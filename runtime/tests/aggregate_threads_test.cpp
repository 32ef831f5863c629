// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests groups of aggregated hits (aggregate/aggregations.h) on threads that
// come and go, while rows are read and groups end, and after fork().
#include "aggregategroup.h"
#include "busycallers.h"
#include "programs/program_check.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr uint32_t kAtEnd = TPRT_PROGRAM_AT_END;

#ifdef __aarch64__ // under an emulator
constexpr int kThreads = 30, kRounds = 20;
#else
constexpr int kThreads = 300, kRounds = 150;
#endif

TEST(Aggregate, EndedThreadsKeepTheirRows) {
  Group All("timed_*er", {read(TPRT_PROGRAM_THREAD), kKey}, kAtEnd);
  for (int I = 0; I < kThreads; ++I)
    std::thread([=] {
      test::recurse(3);
      // A call that the thread never ends.
      if (I % 3 == 0)
        call(timed_outer, [] { pthread_exit(nullptr); });
    }).join();
  EXPECT_EQ(All.rows().size(), static_cast<size_t>(kThreads));
  for (const auto &[Keys, Own] : All.rows())
    EXPECT_EQ(Own.Hits, 5u);
}

TEST(Aggregate, RowsAreExactWhileTheyAreRead) {
  Group All("timed_inner", {kNumber, kKey, kValue}, TPRT_PROGRAM_HISTOGRAM);
  std::atomic<int> Running = 3;
  std::vector<std::thread> Threads;
  constexpr uint64_t kCalls = 4000;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back([&] {
      for (uint64_t J = 0; J < kCalls; ++J)
        callWith(timed_inner, J % 40);
      --Running;
    });
  uint64_t Before = 0;
  while (Running) {
    Rows Found = All.rows();
    uint64_t Hits = 0;
    for (const auto &[Keys, Own] : Found) {
      Hits += Own.Hits;
      EXPECT_GE(static_cast<uint64_t>(Own.placed()), Own.Hits);
    }
    EXPECT_GE(Hits, Before);
    Before = Hits;
  }
  for (std::thread &Each : Threads)
    Each.join();
  Rows Found = All.rows();
  EXPECT_EQ(Found.size(), 40u);
  for (uint64_t I = 0; I < 40; ++I) {
    const Row &Own = Found[number(I)];
    EXPECT_EQ(Own.Hits, 3 * kCalls / 40);
    EXPECT_EQ(Own.Sum, static_cast<int64_t>(I * Own.Hits));
    EXPECT_EQ(Own.placed(), Own.Hits);
  }
}

TEST(Aggregate, SumsBelongToTheirHits) {
  Group All("timed_inner", {kNumber, kKey, kValue}, TPRT_PROGRAM_HISTOGRAM);
  std::atomic<int> Running = 3;
  std::vector<std::thread> Threads;
  for (int I = 0; I < 3; ++I)
    Threads.emplace_back([&] {
      for (int J = 0; J < 100000; ++J)
        callWith(timed_inner, 7);
      --Running;
    });
  // A hit under way may have added its value already.
  auto Check = [](const AggregateRow &Own, void *) {
    const int64_t Ahead = Own.sum - static_cast<int64_t>(7 * Own.hits);
    EXPECT_TRUE(Ahead == 0 || Ahead == 7) << Ahead;
    return true;
  };
  while (Running) {
    AggregatePlace Place = {};
    visitAggregated(All.Made, &Place, false, Check, nullptr);
  }
  for (std::thread &Each : Threads)
    Each.join();
}

TEST(Aggregate, ChangesAddUpToTheRows) {
  Group All("timed_inner", {kNumber, kKey, kValue}, TPRT_PROGRAM_HISTOGRAM);
  std::atomic<bool> Running = true;
  std::thread Thread([&] {
    for (uint64_t J = 0; J < 20'000; ++J)
      callWith(timed_inner, J % 40);
    Running = false;
  });
  Rows Told;
  for (bool Last = false; !Last;) {
    Last = !Running;
    All.read(Told, true, false, 16);
  }
  Thread.join();
  Rows Found = All.rows();
  EXPECT_EQ(Told.size(), Found.size());
  for (const auto &[Keys, Own] : Found) {
    EXPECT_EQ(Told[Keys].Hits, Own.Hits);
    EXPECT_EQ(Told[Keys].Sum, Own.Sum);
    EXPECT_EQ(Told[Keys].Buckets, Own.Buckets);
  }
}

TEST(Aggregate, GroupsComeAndGoWhileThreadsCall) {
  test::BusyCallers Threads(3);
  uint64_t Seen = 0;
  for (int Round = 0; Round < kRounds; ++Round) {
    Group First("timed_*er",
                {read(TPRT_PROGRAM_CALLER), kKey, read(TPRT_PROGRAM_FUNCTION),
                 kKey, read(TPRT_PROGRAM_DURATION), kValue},
                kAtEnd | TPRT_PROGRAM_HISTOGRAM),
        Second("timed_inner", {kNumber, kKey});
    if (Round % 4 == 0)
      Threads.awaitRound();
    for (const auto &[Keys, Own] : First.rows()) {
      EXPECT_EQ(Keys.size(), 18u);
      EXPECT_EQ(Own.Unplaced, 0u);
      Seen += Own.Hits;
    }
    Second.end();
    First.rows();
  }
  EXPECT_GT(Seen, 0u);
}

// A thread that repeats calls. Signal handlers leave the calls, and the hits in
// them, by siglongjmp.
TEST(Aggregate, HandlersLeftByLongjmpLeaveTheRowsWhole) {
  static std::atomic<bool> Begun, Stop;
  static sigjmp_buf Start;
  Begun = Stop = false;
  Group All("timed_*er",
            {read(TPRT_PROGRAM_FUNCTION), kKey, kNumber, kKey, kValue},
            kAtEnd | TPRT_PROGRAM_HISTOGRAM);
  signal(SIGUSR1, [](int) { siglongjmp(Start, 1); });
  static std::atomic<uint64_t> Calls;
  Calls = 0;
  std::thread Runner([] {
    call(timed_inner);
    sigsetjmp(Start, 1);
    Begun = true;
    while (!Stop) {
      // New keys and new buckets all the time.
      const uint64_t Number = Calls % 4000;
      callWith(timed_outer, Number * Number,
               [&] { callWith(timed_inner, Number, [] {}); });
      ++Calls;
    }
  });
  while (!Begun)
    std::this_thread::yield();
  for (int I = 0; I < 400; ++I) {
    pthread_kill(Runner.native_handle(), SIGUSR1);
    usleep(100);
  }
  Stop = true;
  Runner.join();
  signal(SIGUSR1, SIG_DFL);
  uint64_t Hits = 0;
  for (const auto &[Keys, Own] : All.rows()) {
    if (Keys == kOthers)
      continue;
    ASSERT_EQ(Keys.size(), 18u);
    int64_t Number;
    memcpy(&Number, Keys.data() + 10, 8);
    Hits += Own.Hits;
    // A handler that was left may have added to the sum and not to the hits.
    EXPECT_EQ(Own.Least, Number);
    EXPECT_EQ(Own.Greatest, Number);
    EXPECT_GE(Own.placed(), Own.Hits);
    EXPECT_LE(Own.placed(), Own.Hits + 400);
  }
  EXPECT_GE(Hits, Calls);
}

TEST(Aggregate, ChildrenOfForkGoOnAndEndTheGroup) {
  Group All("timed_*er", {kNumber, kKey}, kAtEnd);
  callWith(timed_inner, 1);
  std::atomic<bool> Stop = false;
  std::thread Other([&] { // its block is free in the child
    while (!Stop)
      callWith(timed_outer, 2, [] { callWith(timed_inner, 3); });
  });
  for (int I = 0; I < 10; ++I) {
    pid_t Child;
    callWith(timed_outer, 7, [&] {
      Child = fork();
      if (!Child)
        callWith(timed_inner, 4);
    });
    if (!Child) {
      uint64_t Own = 1;
#ifndef __aarch64__ // the emulator starts no thread in such a child
      std::thread([] { callWith(timed_inner, 4); }).join();
      ++Own;
#endif
      bool Right = All.row(number(4)).Hits == Own &&
                   All.row(number(1)).Hits == 1 &&
                   All.row(number(7)).Hits == static_cast<uint64_t>(I) + 1;
      Right = Right && endAggregation(All.Made, 1000) == TPRT_STATUS_OK;
      _exit(Right ? 0 : 1);
    }
    int Status;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  }
  Stop = true;
  Other.join();
  EXPECT_EQ(All.row(number(4)).Hits, 0u);
}

// The general registers alone are saved for the handlers.
#ifdef __x86_64__
TEST(Aggregate, HitsKeepVectorRegisters) {
  const char *Text = "a string that is a key, and longer than a register";
  alignas(8) static const Operation Code[] = {
      kNumber,
      {TPRT_PROGRAM_KEY_STRING, 0, 0, 0, 128},
      {TPRT_PROGRAM_MATCH, 1, 0, 0, 0},
  };
  Group All;
  std::vector<char> Room(sizeof(Program) + sizeof Code + 4);
  auto &Of = *reinterpret_cast<Program *>(Room.data());
  Of = {3, 4, kAtEnd, 1};
  memcpy(&Of + 1, Code, sizeof Code);
  memcpy(Room.data() + sizeof(Program) + sizeof Code, "*k*", 4);
  ASSERT_EQ(programFault(Of), nullptr);
  tprt_selector Selector = {};
  Selector.function = "timed_inner";
  tprt_result Result = {};
  ASSERT_EQ(addAggregated(All.Made, &Selector, Of, Result), TPRT_STATUS_OK);
  using Vector = double __attribute__((vector_size(16)));
  const Vector Before = {1.5, 2.5};
  for (int I = 0; I < 3; ++I) {
    Vector Own[4] = {Before, Before, Before, Before};
    // The body does nothing, so only a hit can change the registers.
    asm volatile("movapd %4, %%xmm0\n\tmovapd %4, %%xmm1\n\t"
                 "movapd %4, %%xmm7\n\tmovapd %4, %%xmm15\n\t"
                 "call *%5\n\t"
                 "movapd %%xmm0, %0\n\tmovapd %%xmm1, %1\n\t"
                 "movapd %%xmm7, %2\n\tmovapd %%xmm15, %3"
                 : "=m"(Own[0]), "=m"(Own[1]), "=m"(Own[2]), "=m"(Own[3])
                 : "m"(Before), "r"(&timed_inner),
                   "D"(static_cast<void (*)(void *)>([](void *) {})), "S"(Text)
                 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0",
                   "xmm1", "xmm7", "xmm15", "memory", "cc");
    for (const Vector &Each : Own) {
      EXPECT_EQ(Each[0], 1.5);
      EXPECT_EQ(Each[1], 2.5);
    }
  }
  EXPECT_EQ(hitsOf(All.Made), 3u);
}
#endif

} // namespace
