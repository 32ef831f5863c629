// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks as keys: what glibc's backtrace() finds in the same call is what a hit
// finds. Where a hit cannot be certain, its stack ends there, and says so.
#include "aggregategroup.h"
#include "stacks/stack_tables.h"

#include <alloca.h>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>

namespace {

using Frames = std::vector<uint64_t>;

struct Found {
  Frames All;
  unsigned End = 0;
};

constexpr unsigned kMost = TPRT_PROGRAM_MOST_FRAMES;
Operations stackOf(int32_t Most) {
  return {{TPRT_PROGRAM_KEY_STACK, 0, 0, 0, Most}};
}

Found foundIn(const std::string &Keys) {
  EXPECT_GE(Keys.size(), 3u);
  EXPECT_EQ(Keys[0], TPRT_PROGRAM_KEY_STACK_FRAMES);
  Found Out;
  Out.End = static_cast<uint8_t>(Keys[2]);
  Out.All.resize(static_cast<uint8_t>(Keys[1]));
  EXPECT_EQ(Keys.size(), 3 + Out.All.size() * 8);
  memcpy(Out.All.data(), Keys.data() + 3, Out.All.size() * 8);
  return Out;
}

// The callers of timed_outer(), found inside of its call.
thread_local Frames Wanted;
[[gnu::noinline]] void noteWanted(void *) {
  void *All[256];
  const int Count = backtrace(All, 256);
  Wanted.clear();
  for (int I = 2; I < Count; ++I)
    Wanted.push_back(reinterpret_cast<uint64_t>(All[I]));
}
[[gnu::noinline]] void hit() {
  timed_outer(noteWanted, nullptr);
  asm volatile("" ::: "memory"); // no tail call
}

class Stacks : public testing::Test {
protected:
  Stacks() {
    void *Loaded[1];
    backtrace(Loaded, 1); // loads libgcc
  }
  // The only stack of all hits in Call().
  template <class F>
  Found stack(F Call, int32_t Most = kMost, uint32_t Flags = 0) {
    Group All("timed_outer", stackOf(Most), Flags);
    Call();
    const Rows Seen = All.rows();
    EXPECT_EQ(Seen.size(), 1u);
    return Seen.empty() ? Found{} : foundIn(Seen.begin()->first);
  }
  // In the frame that a signal has interrupted, a hit has the address after
  // the instruction's first byte.
  template <class F> void isAsBacktrace(F Call, size_t Interrupted = SIZE_MAX) {
    for (uint32_t Flags : {uint32_t{0}, uint32_t{TPRT_PROGRAM_AT_END}}) {
      const Found Seen = stack(Call, kMost, Flags);
      EXPECT_FALSE(Wanted.empty());
      if (Interrupted < Wanted.size())
        ++Wanted[Interrupted];
      EXPECT_EQ(Seen.All, Wanted);
      EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_WHOLE});
    }
  }
};

// --- as backtrace() ----------------------------------------------------------

TEST_F(Stacks, OfAPlainCall) { isAsBacktrace(hit); }

[[gnu::noinline]] void withAlloca(size_t Bytes) {
  auto *Room = static_cast<volatile char *>(alloca(Bytes));
  Room[0] = 1;
  hit();
  Room[Bytes - 1] = 2;
}
// Its frame is found by the frame pointer, which a hit does not save.
TEST_F(Stacks, OfFunctionsWithFramePointers) {
  isAsBacktrace([] { withAlloca(1000); });
}

[[gnu::noinline]] void aligned() {
  alignas(128) volatile char Room[512];
  Room[0] = 1;
  hit();
  Room[1] = 2;
}
TEST_F(Stacks, OfFunctionsThatAlignTheirStack) {
  isAsBacktrace([] { aligned(); });
}

[[gnu::noinline]] void large() {
  volatile char Room[300000];
  Room[0] = 1;
  hit();
  Room[1] = 2;
}
TEST_F(Stacks, OfFunctionsWithLargeFrames) {
  isAsBacktrace([] { large(); });
}

[[gnu::noinline]] void deep(int Depth) {
  if (Depth)
    deep(Depth - 1);
  else
    hit();
  asm volatile("" ::: "memory");
}
TEST_F(Stacks, OfARecursion) {
  isAsBacktrace([] { deep(5); });
}

TEST_F(Stacks, EndAfterTheirNumberOfFrames) {
  for (const int32_t Most : {1, 2, 16, 64}) {
    const Found Seen = stack([] { deep(100); }, Most);
    ASSERT_GT(Wanted.size(), 64u);
    EXPECT_EQ(Seen.All, Frames(Wanted.begin(), Wanted.begin() + Most));
    EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_MORE});
  }
  const Found Seen =
      stack(hit, static_cast<int32_t>((stack(hit), Wanted.size())));
  EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_WHOLE});
}

int compare(const void *A, const void *B) {
  hit();
  return *static_cast<const int *>(A) - *static_cast<const int *>(B);
}
TEST_F(Stacks, OfACallbackOfTheCLibrary) {
  isAsBacktrace([] {
    int Numbers[] = {2, 1};
    qsort(Numbers, 2, sizeof *Numbers, compare);
  });
}

TEST_F(Stacks, OfCallsThroughObjects) {
  std::function<void()> Call = hit;
  isAsBacktrace([&] { Call(); });
}

// Only the end of a thread's stack is known to be its own.
[[gnu::noinline]] void farDown(size_t Depth) {
  volatile char Room[1000];
  Room[0] = 1;
  Depth ? farDown(Depth - 1) : withAlloca(100);
  Room[1] = 2;
}
TEST_F(Stacks, OfOtherThreads) {
  for (const size_t Depth : {0, 5, 40})
    isAsBacktrace([=] {
      Frames Inside;
      std::thread([&] {
        farDown(Depth);
        Inside = Wanted;
      }).join();
      Wanted = Inside;
    });
}

#ifdef __x86_64__
// After onSignal() and the code to which it returns.
constexpr size_t kInterrupted = 2;
void onSignal(int) { hit(); }
TEST_F(Stacks, OfSignalHandlers) {
  signal(SIGUSR1, onSignal);
  isAsBacktrace([] { raise(SIGUSR1); }, kInterrupted);
  stack_t Alternate = {};
  std::vector<char> Room(1 << 18);
  Alternate.ss_sp = Room.data();
  Alternate.ss_size = Room.size();
  ASSERT_EQ(sigaltstack(&Alternate, nullptr), 0);
  struct sigaction On = {};
  On.sa_handler = onSignal;
  On.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &On, nullptr);
  isAsBacktrace([] { raise(SIGUSR1); }, kInterrupted);
  Alternate.ss_flags = SS_DISABLE;
  sigaltstack(&Alternate, nullptr);
  signal(SIGUSR1, SIG_DFL);
}
#endif

// --- where the stack is not certain ------------------------------------------

ucontext_t Main, Coroutine;
void inCoroutine() { withAlloca(64); }
// Its stack is none that the thread is known to have.
TEST_F(Stacks, OfCoroutines) {
  std::vector<char> Room(1 << 18);
  const Found Seen = stack([&] {
    getcontext(&Coroutine);
    Coroutine.uc_stack.ss_sp = Room.data();
    Coroutine.uc_stack.ss_size = Room.size();
    Coroutine.uc_link = &Main;
    makecontext(&Coroutine, inCoroutine, 0);
    swapcontext(&Main, &Coroutine);
  });
  // backtrace() may go on beyond the first function.
  ASSERT_GE(Seen.All.size(), 3u);
  ASSERT_GE(Wanted.size(), 3u);
  EXPECT_TRUE(std::equal(Wanted.begin(), Wanted.begin() + 3, Seen.All.begin()));
  EXPECT_LE(Seen.All.size(), 4u);
}

#ifdef __x86_64__
// Calls hit() with a frame that no table describes.
extern "C" void undescribed(void (*)());
asm(".text\n"
    ".type undescribed, @function\n"
    "undescribed:\n"
    "  sub $56, %rsp\n"
    "  call *%rdi\n"
    "  add $56, %rsp\n"
    "  ret\n"
    ".size undescribed, . - undescribed\n");
TEST_F(Stacks, EndAtCodeWithoutTables) {
  const Found Seen = stack([] { undescribed(hit); });
  ASSERT_EQ(Seen.All.size(), 2u);
  EXPECT_EQ(Seen.All[0], Wanted[0]);
  EXPECT_EQ(Seen.All[1] - reinterpret_cast<uint64_t>(undescribed), 6u);
  EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_LOST});
}

// sub $8, %rsp; call *%rdi; add $8, %rsp; ret
constexpr uint8_t kCode[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd7,
                             0x48, 0x83, 0xc4, 8, 0xc3};
TEST_F(Stacks, EndAtCodeWithoutAFile) {
  void *Page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Page, MAP_FAILED);
  memcpy(Page, kCode, sizeof kCode);
  const Found Seen =
      stack([&] { reinterpret_cast<void (*)(void (*)())>(Page)(hit); });
  munmap(Page, 4096);
  EXPECT_EQ(Seen.All, Frames(1, Wanted[0]));
  EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_LOST});
}

// Calls hit() with another return address, or a frame pointer that leads
// nowhere.
extern "C" void spoiled(void (*)(), uint64_t Address);
extern "C" void withBadFrame(void (*)(), uint64_t Frame);
asm(".text\n"
    ".type spoiled, @function\n"
    "spoiled:\n"
    "  .cfi_startproc\n"
    "  push %rbx\n"
    "  .cfi_adjust_cfa_offset 8\n"
    "  .cfi_offset %rbx, -16\n"
    "  mov 8(%rsp), %rbx\n"
    "  mov %rsi, 8(%rsp)\n"
    "  call *%rdi\n"
    "  mov %rbx, 8(%rsp)\n"
    "  pop %rbx\n"
    "  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size spoiled, . - spoiled\n"
    ".type withBadFrame, @function\n"
    "withBadFrame:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  mov %rsi, %rbp\n"
    "  call *%rdi\n"
    "  pop %rbp\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size withBadFrame, . - withBadFrame\n");
[[gnu::noinline]] void plainHit() {
  timed_outer([](void *) {}, nullptr);
  asm volatile("" ::: "memory");
}
TEST_F(Stacks, OfDamagedStacksEnd) {
  volatile uint64_t Word = 0;
  for (const uint64_t Address :
       {uint64_t{0x4141414141414141}, uint64_t{0x4141414141414140}, uint64_t{8},
        uint64_t{0} - 64, uint64_t{0x7fffffffe000},
        reinterpret_cast<uint64_t>(&Word)}) {
    const Found Seen = stack([&] { spoiled(plainHit, Address); });
    EXPECT_EQ(Seen.All.size(), 2u) << Address;
    EXPECT_EQ(Seen.End, unsigned{TPRT_PROGRAM_STACK_LOST}) << Address;
    const Found Framed = stack([&] { withBadFrame(plainHit, Address); });
    EXPECT_EQ(Framed.All.size(), 2u) << Address;
    EXPECT_EQ(Framed.End, unsigned{TPRT_PROGRAM_STACK_LOST}) << Address;
  }
}
#endif

// --- threads and modules -----------------------------------------------------

// While libraries come and go, in each of many threads all hits have the
// thread's stack.
TEST_F(Stacks, StayRightInManyThreads) {
  constexpr int kThreads = 200, kRounds = 50;
  Group All("timed_outer", stackOf(kMost));
  std::vector<std::thread> Threads;
  std::atomic<bool> Over = false;
  std::thread Loader([&] {
    while (!Over)
      if (void *Library = dlopen("libresolv.so.2", RTLD_NOW))
        dlclose(Library);
  });
  for (int I = 0; I < kThreads; ++I)
    Threads.emplace_back([] {
      for (int J = 0; J < kRounds; ++J)
        deep(3);
    });
  for (std::thread &Each : Threads)
    Each.join();
  Over = true;
  Loader.join();
  const Rows Seen = All.rows();
  ASSERT_EQ(Seen.size(), 1u);
  EXPECT_EQ(Seen.begin()->second.Hits, uint64_t{kThreads} * kRounds);
  EXPECT_EQ(foundIn(Seen.begin()->first).End,
            unsigned{TPRT_PROGRAM_STACK_WHOLE});
}

// A module that came later has no table until the next reading.
TEST_F(Stacks, OfLaterModulesNeedATable) {
  Group All("timed_outer", stackOf(kMost));
  EXPECT_FALSE(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD));
  void *Library = dlopen("libresolv.so.2", RTLD_NOW);
  if (!Library)
    GTEST_SKIP() << "this system has no libresolv";
  const auto Code = reinterpret_cast<uint64_t>(dlsym(Library, "ns_get16"));
  ASSERT_TRUE(Code);
  EXPECT_EQ(rowNumberAt(Code), RowList::kNoCode);
  refreshStacks();
  EXPECT_GT(rowNumberAt(Code), RowList::kUnknown);
  // It stays loaded as long as there is a table.
  dlclose(Library);
  EXPECT_TRUE(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD) != nullptr);
  dlclose(Library);
  All.end();
  EXPECT_FALSE(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD));
}

} // namespace
