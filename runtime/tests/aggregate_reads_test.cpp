// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how programs of tools read memory (aggregate/run_program.cpp): with one
// system call, and in each copy of the process its own memory.
#include "aggregate/program.h"
#include "sites/site.h"
#include "threads/thread_block.h"

#include <cstddef>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
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

class AggregateReads : public testing::Test {
protected:
  AggregateReads() { currentThread(); }

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
};

// In a copy, the block has the id of the thread that made the copy, whose
// memory can be read, too.
TEST_F(AggregateReads, CopiesOfTheProcessReadTheirOwnMemory) {
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

// From now on, all system calls of the thread end the process except these two.
bool permitOnly(int One, int Other) {
  const sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(One), 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(Other), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const sock_fprog All = {std::size(Code), const_cast<sock_filter *>(Code)};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &All) == 0;
}
constexpr int kNoFilters = 77;

TEST_F(AggregateReads, AReadIsOneSystemCall) {
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

} // namespace
