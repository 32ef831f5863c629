// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how programs of tools read memory (programs/run_program.cpp): which
// memory by loads (programs/lasting_memory.h), the other in a transaction or
// with one system call, and in each copy of the process its own memory. Each
// test runs without transactions, and with them if the processor has any.
#include "programs/lasting_memory.h"
#include "programs/program.h"
#include "programs/run_program.h"
#include "sites/site.h"
#include "threads/thread_block.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

namespace {

using namespace tprt;

// A program with one key: what the operation makes of the second argument.
struct OneRead {
  Program Head = {2, 0, 0, 1};
  Operation Code[3] = {{TPRT_PROGRAM_ARGUMENT, 0, 0, 0, 1}, {}, {}};

  explicit OneRead(Operation Read) {
    Code[1] = Read;
    if (Read.code == TPRT_PROGRAM_LOAD)
      Code[Head.operations++] = {TPRT_PROGRAM_KEY, 0, 0, 0, 0};
  }
};

class AggregateReads : public testing::TestWithParam<bool> {
protected:
  AggregateReads() {
    currentThread();
    findLastingMemory();
    static const bool HasTransactions = usesTransactions;
    usesTransactions = GetParam();
    if (usesTransactions && !HasTransactions)
      SkipsAll = true;
  }
  void SetUp() override {
    if (SkipsAll)
      GTEST_SKIP() << "the processor has no transactions";
  }
  ~AggregateReads() override { usesTransactions = false; }

  // The words of the key.
  static const uint64_t *keyOf(const OneRead &Of, const void *Address) {
    static thread_local uint64_t Keys[kKeyRoom];
    static const tprt_site Entry = {};
    const uint64_t Arguments[TPRT_ARGUMENT_REGISTERS] = {
        0, reinterpret_cast<uint64_t>(Address)};
    HitValues Hit = {};
    Hit.entry = &Entry;
    Hit.arguments = Arguments;
    ProgramResult Result;
    Result.keys = Keys;
    memset(Keys, 0xee, sizeof Keys);
    EXPECT_EQ(runProgram(Of.Head, Hit, Result), Outcome::Counts);
    return Keys;
  }
  // The int at the address, or -1 if it is not known.
  static int number(const volatile int *Address) {
    const OneRead Load({TPRT_PROGRAM_LOAD, 0, 0, 4, 0});
    const uint64_t *Keys = keyOf(Load, const_cast<const int *>(Address));
    return Keys[0] == TPRT_PROGRAM_KEY_NUMBER ? static_cast<int>(Keys[1]) : -1;
  }
  // The string at the address, followed by "..." if it is cut, or "?".
  static std::string text(const void *Address, int32_t Most = 128) {
    const OneRead Key({TPRT_PROGRAM_KEY_STRING, 0, 0, 0, Most});
    const uint64_t *Keys = keyOf(Key, Address);
    if (Keys[0] == TPRT_PROGRAM_KEY_UNKNOWN)
      return "?";
    const size_t Length = Keys[0] >> kKeyLengthShift;
    const bool IsCut =
        static_cast<uint8_t>(Keys[0]) == TPRT_PROGRAM_KEY_CUT_TEXT;
    return std::string(reinterpret_cast<const char *>(Keys + 1), Length) +
           (IsCut ? "..." : "");
  }
  static bool loads(const volatile void *Address, size_t Bytes = 1) {
    return doesLast(reinterpret_cast<uint64_t>(Address), Bytes) == Lasts::Yes;
  }
  // The exit status of a copy of the process that runs the body, or -1.
  static int inCopy(pid_t (*Copy)(), const std::function<int()> &Body) {
    const pid_t Child = Copy();
    if (!Child)
      _exit(Body());
    int Status = -1;
    waitpid(Child, &Status, 0);
    return WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
  }
  static pid_t bareClone() {
    return static_cast<pid_t>(
        syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  }

  bool SkipsAll = false;
};

INSTANTIATE_TEST_SUITE_P(Memory, AggregateReads, testing::Bool(),
                         [](const auto &Info) {
                           return Info.param ? "ByTransactions"
                                             : "BySystemCalls";
                         });

// In a copy, the block has the id of the thread that made the copy, whose
// memory can be read, too.
TEST_P(AggregateReads, CopiesOfTheProcessReadTheirOwnMemory) {
  const auto Word = std::make_unique<volatile int>(1);
  auto change = [&] {
    *Word = 2;
    return number(Word.get());
  };
  EXPECT_EQ(number(Word.get()), 1);
  EXPECT_EQ(inCopy(fork, change), 2);
  EXPECT_EQ(inCopy(bareClone, change), 2);
  EXPECT_EQ(inCopy(fork, [&] { return inCopy(bareClone, change); }), 2);
  EXPECT_EQ(number(Word.get()), 1);
}

// From now on, all system calls of the thread except these two end the process,
// or what `Otherwise` says.
bool permitOnly(int One, int Other,
                uint32_t Otherwise = SECCOMP_RET_KILL_PROCESS) {
  const sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(One), 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(Other), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, Otherwise)};
  const sock_fprog All = {std::size(Code), const_cast<sock_filter *>(Code)};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &All) == 0;
}
constexpr int kNoFilters = 77;

TEST_P(AggregateReads, AReadIsOneSystemCall) {
  usesTransactions = false;
  static const auto Word = std::make_unique<volatile int>(5);
  auto readUnderFilter = [] {
    currentThread();
    if (!permitOnly(SYS_process_vm_readv, SYS_exit_group))
      return kNoFilters;
    return number(Word.get());
  };
  const int End = inCopy(fork, readUnderFilter);
  if (End == kNoFilters)
    GTEST_SKIP() << "there are no filters of system calls";
  EXPECT_EQ(End, 5);
  // The kernel finds no memory by the id of a main thread that has ended.
  auto endMainThread = [=] {
    static const pthread_t Main = pthread_self();
    std::thread([=] {
      pthread_join(Main, nullptr);
      _exit(readUnderFilter());
    }).detach();
    // pthread_exit() would throw through the test.
    return static_cast<int>(syscall(SYS_exit, 0));
  };
  EXPECT_EQ(inCopy(fork, endMainThread), 5);
}

// --- loads -------------------------------------------------------------------

constexpr auto kConstants = [] {
  std::array<char, 1 << 18> All = {};
  All.fill('c');
  return All;
}();
int variable = 1;

size_t page() { return static_cast<size_t>(getpagesize()); }
// Two pages of the constants that no test has read, or nullptr if pages are too
// large.
const char *freshPages() {
  static size_t Used = 0;
  auto At = reinterpret_cast<uintptr_t>(kConstants.data());
  At += page() - At % page() + Used;
  Used += 2 * page();
  return Used + page() <= kConstants.size() ? reinterpret_cast<const char *>(At)
                                            : nullptr;
}

TEST_P(AggregateReads, ConstantsAreLoadedOnceTheirPageWasRead) {
  usesTransactions = false;
  const char *Fresh = freshPages();
  if (!Fresh)
    GTEST_SKIP() << "pages are too large";
  EXPECT_FALSE(loads(Fresh));
  EXPECT_EQ(text(Fresh, 3), "ccc...");
  EXPECT_TRUE(loads(Fresh, page()));
  EXPECT_FALSE(loads(Fresh + 1, page()));
  EXPECT_FALSE(loads(Fresh + page()));
  EXPECT_EQ(text(Fresh, 3), "ccc...");
  EXPECT_EQ(number(reinterpret_cast<const int *>(Fresh + 1)), 0x63636363);
  // A string that goes on in the next page, which was not read yet.
  EXPECT_EQ(text(Fresh + page() - 10, 20), std::string(20, 'c') + "...");
  EXPECT_TRUE(loads(Fresh + page()));
  EXPECT_EQ(text(Fresh + page() - 10, 20), std::string(20, 'c') + "...");
}

// A filter ends the process for any system call but its end.
TEST_P(AggregateReads, LoadsAreNoSystemCalls) {
  usesTransactions = false;
  const char *Fresh = freshPages();
  if (!Fresh)
    GTEST_SKIP() << "pages are too large";
  text(Fresh);
  auto readUnderFilter = [=] {
    currentThread();
    const volatile int OnStack = 7;
    if (!permitOnly(SYS_exit_group, SYS_exit_group))
      return kNoFilters;
    return number(&OnStack) + (text(Fresh, 3) == "ccc..." ? 10 : 0);
  };
  const int End = inCopy(fork, readUnderFilter);
  if (End == kNoFilters)
    GTEST_SKIP() << "there are no filters of system calls";
  EXPECT_EQ(End, 17);
  auto readInThread = [=] {
    std::thread([=] { _exit(readUnderFilter()); }).join();
    return 98;
  };
  EXPECT_EQ(inCopy(fork, readInThread), 17);
}

// All system calls fail but the end. A transaction is undone by an interrupt,
// and by the first access to a page since the fork.
TEST_P(AggregateReads, TransactionsAreNoSystemCalls) {
  if (!usesTransactions)
    GTEST_SKIP();
  const auto Number = std::make_unique<volatile int>(5);
  const std::unique_ptr<char, void (*)(void *)> Text(strdup("on the heap"),
                                                     free);
  auto readUnderFilter = [&] {
    number(Number.get());
    text(Text.get());
    if (!permitOnly(SYS_exit_group, SYS_exit_group, SECCOMP_RET_ERRNO | EPERM))
      return kNoFilters;
    int Read = -1;
    std::string All = "?";
    for (int Try = 0; Try < 10000 && (Read < 0 || All == "?"); ++Try) {
      Read = Read < 0 ? number(Number.get()) : Read;
      All = All == "?" ? text(Text.get()) : All;
    }
    return Read * 10 + (All == "on the heap");
  };
  const int End = inCopy(fork, readUnderFilter);
  if (End == kNoFilters)
    GTEST_SKIP() << "there are no filters of system calls";
  EXPECT_EQ(End, 51);
}

// A fault while the signal is blocked would end the process.
TEST_P(AggregateReads, WildPointersAreUnknownWithAllSignalsBlocked) {
  auto *Page =
      static_cast<char *>(mmap(nullptr, 2 * page(), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(Page + page(), page());
  const char *const End = Page + page();
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  for (uint64_t Each :
       {uint64_t{0}, uint64_t{8}, UINT64_MAX, UINT64_MAX - 200,
        uint64_t{1} << 63, uint64_t{1} << 47, uint64_t{1} << 56,
        reinterpret_cast<uint64_t>(End), reinterpret_cast<uint64_t>(End) + 100})
    for (int Round = 0; Round < 3; ++Round) {
      EXPECT_EQ(number(reinterpret_cast<const int *>(Each)), -1) << Each;
      EXPECT_EQ(text(reinterpret_cast<const char *>(Each)), "?") << Each;
    }
  for (uint64_t Bytes = 1; Bytes < 10; ++Bytes) {
    memset(Page, 'y', page());
    EXPECT_EQ(text(End - Bytes), "?");
    Page[page() - 1] = 0;
    EXPECT_EQ(text(End - Bytes), std::string(Bytes - 1, 'y'));
    EXPECT_EQ(number(reinterpret_cast<const int *>(End - Bytes)) == -1,
              Bytes < 4);
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  munmap(Page, page());
}

TEST_P(AggregateReads, OtherMemoryIsNotLoaded) {
  const auto OnHeap = std::make_unique<volatile int>(1);
  auto *Pages = static_cast<char *>(
      mmap(nullptr, page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int Round = 0; Round < 2; ++Round) { // before and after a read
    EXPECT_FALSE(loads(nullptr));
    EXPECT_FALSE(loads(reinterpret_cast<void *>(UINT64_MAX)));
    EXPECT_FALSE(loads(reinterpret_cast<void *>(UINT64_MAX), 8));
    EXPECT_FALSE(loads(reinterpret_cast<void *>(uint64_t{1} << 63)));
    EXPECT_FALSE(loads(OnHeap.get()));
    EXPECT_FALSE(loads(Pages));
    EXPECT_FALSE(loads(&variable));
    EXPECT_EQ(number(OnHeap.get()), 1);
    EXPECT_EQ(text(Pages), "");
    EXPECT_EQ(number(&variable), 1);
    EXPECT_EQ(text(nullptr), "?");
  }
  munmap(Pages, page());
  EXPECT_EQ(text(Pages), "?");
  // Transactions need not rely on constants to stay.
  text(&kConstants);
  EXPECT_EQ(loads(&kConstants), !usesTransactions);
}

// What lies below the stack pointer is not in use, and may lie outside.
TEST_P(AggregateReads, TheOwnStackIsLoadedFromTheStackPointerOn) {
  auto check = [] {
    const volatile char Own[3 * 64] = {};
    EXPECT_TRUE(loads(Own, sizeof Own));
    EXPECT_FALSE(loads(Own - 65536));
    EXPECT_FALSE(loads(Own - (64 << 20)));
    EXPECT_FALSE(loads(Own + (64 << 20)));
  };
  check();
  std::thread([=] {
    EXPECT_FALSE(loads(&check, 1)); // no block yet
    currentThread();
    check();
  }).join();
}

TEST_P(AggregateReads, AnotherThreadsStackIsNotLoaded) {
  const volatile int OnStack = 7;
  std::thread([&] {
    currentThread();
    EXPECT_FALSE(loads(&OnStack));
    EXPECT_EQ(number(&OnStack), 7);
  }).join();
}

// There, neither the bounds of the present stack nor those of the thread's
// stack are certain.
TEST_P(AggregateReads, NothingOfStacksIsLoadedOnAnotherStack) {
  static ucontext_t Main, Other;
  static const volatile int *OfMain;
  static bool LoadsOwn, LoadsOfMain;
  static int Read;
  const volatile int OnStack = 7;
  OfMain = &OnStack;
  const auto Stack = std::make_unique<char[]>(1 << 20);
  getcontext(&Other);
  Other.uc_stack.ss_sp = Stack.get();
  Other.uc_stack.ss_size = 1 << 20;
  Other.uc_link = &Main;
  makecontext(
      &Other,
      [] {
        const volatile int Own = 8;
        LoadsOwn = loads(&Own);
        LoadsOfMain = loads(OfMain);
        Read = number(&Own) * 10 + number(OfMain);
      },
      0);
  swapcontext(&Main, &Other);
  EXPECT_FALSE(LoadsOwn);
  EXPECT_FALSE(LoadsOfMain);
  EXPECT_EQ(Read, 87);
}

TEST_P(AggregateReads, LoadedStringsAreThoseOfSystemCalls) {
  char OnStack[150];
  for (size_t Length = 0; Length <= 140; ++Length)
    for (size_t At = 0; At < 8; ++At) {
      memset(OnStack, 0xff, sizeof OnStack);
      memset(OnStack + At, 'x', Length);
      OnStack[At + Length] = 0;
      const std::unique_ptr<char, void (*)(void *)> OnHeap(strdup(OnStack + At),
                                                           free);
      ASSERT_TRUE(loads(OnStack));
      ASSERT_FALSE(loads(OnHeap.get()));
      for (int32_t Most : {1, 7, 8, 128})
        EXPECT_EQ(text(OnStack + At, Most), text(OnHeap.get(), Most));
    }
  // Bytes that a search for zeros may take for zeros.
  for (const char *Each :
       {"\1\1\1\1\1\1\1\1\1", "\x80\x80\x80\x80\x80\x80\x80\x80\x80", "\1\0\1",
        "\x81\xff\x7f\x80\1"}) {
    strcpy(OnStack, Each);
    EXPECT_EQ(text(OnStack), Each);
  }
}

} // namespace
