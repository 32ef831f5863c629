// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If these tests fail, two tools load libtprt into one process at the same
// time, or a tool waits for ever.

#include "live/requests/InjectionLock.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tpctl {
namespace {

using Patience = InjectionLock::Patience;

/// A process that has the lock for this process until it is killed.
class Holder {
public:
  explicit Holder(uid_t User) {
    int Ready[2];
    EXPECT_EQ(pipe(Ready), 0);
    pid_t Parent = getpid();
    Child = fork();
    if (Child == 0) {
      if (User && setuid(User) != 0)
        _exit(1);
      auto Lock = InjectionLock::acquire(Parent);
      char Done = 1;
      if (Lock && write(Ready[1], &Done, 1) == 1)
        pause();
      _exit(1);
    }
    close(Ready[1]);
    char Done = 0;
    EXPECT_EQ(read(Ready[0], &Done, 1), 1);
    close(Ready[0]);
  }
  ~Holder() { end(); }
  void end() {
    if (!Child)
      return;
    kill(Child, SIGKILL);
    waitpid(Child, nullptr, 0);
    Child = 0;
  }
  pid_t Child = 0;
};

TEST(InjectionLock, IsHeldByOneToolAtATime) {
  constexpr int Count = 16;
  std::atomic<int> Inside{0}, Most{0}, Times{0};
  std::vector<std::thread> Threads;
  for (int I = 0; I < Count; ++I)
    Threads.emplace_back([&] {
      auto Lock = InjectionLock::acquire(getpid());
      ASSERT_TRUE(static_cast<bool>(Lock));
      int Now = ++Inside, Before = Most;
      while (Now > Before && !Most.compare_exchange_weak(Before, Now)) {
      }
      std::this_thread::yield();
      ++Times;
      --Inside;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Most, 1);
  EXPECT_EQ(Times, Count);
}

TEST(InjectionLock, IsFreeWhenItsOwnerIsKilled) {
  Holder Other(0);
  std::thread Ends([&] { Other.end(); });
  auto Lock = InjectionLock::acquire(getpid());
  EXPECT_TRUE(static_cast<bool>(Lock));
  Ends.join();
}

TEST(InjectionLock, IsRefusedWithTheOwnersNumber) {
  Holder Other(0);
  auto Lock = InjectionLock::acquire(
      getpid(), {std::chrono::seconds(0), std::chrono::seconds(0)});
  ASSERT_FALSE(static_cast<bool>(Lock));
  std::string Text = llvm::toString(Lock.takeError());
  EXPECT_NE(Text.find("tpctl (" + std::to_string(Other.Child) + ")"),
            std::string::npos)
      << Text;
}

TEST(InjectionLock, OfAnotherUserIsNotWaitedFor) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root";
  Holder Other(65534);
  auto Lock = InjectionLock::acquire(
      getpid(), {std::chrono::seconds(600), std::chrono::seconds(600)});
  EXPECT_TRUE(static_cast<bool>(Lock));
}

} // namespace
} // namespace tpctl
