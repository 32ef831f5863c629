// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates processes while another thread attaches and detaches, at any moment
// of that work. Uses fork, vfork and posix_spawn, on threads with and without
// earlier hits, and inside a handler. A forked child calls instrumented
// functions, attaches and detaches itself, and ends with 0.
#include "workers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stress;

namespace {

// Runs in the child. Returns 0, or the number of the step that failed.
int childWork(const std::vector<const tprt_site *> &Sites,
              const std::vector<StressFunction> &Functions, uint64_t Seed) {
  signal(SIGALRM, SIG_DFL);
  alarm(20); // a child that hangs must fail instead of blocking the test
  Caller Caller(Seed);
  for (int I = 0; I < 200; ++I)
    Caller.call(Functions[Caller.random(Functions.size())]);
  if (Faults::count())
    return 1;
  Toggler Toggler(Sites, AllActions, Seed);
  for (int I = 0; I < 5; ++I) {
    Toggler.toggleOnce();
    for (int J = 0; J < 50; ++J)
      Caller.call(Functions[Caller.random(Functions.size())]);
  }
  if (Faults::count())
    return 2;
  tprt_selector Selector = {};
  Selector.sites = Sites.data();
  Selector.site_count = Sites.size();
  Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  Selector.flags = TPRT_SELECT_TRAPS;
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_COUNT;
  tprt_probe *Probe = nullptr;
  if (tprt_probe_attach(&Selector, &Action, &Probe, nullptr) != TPRT_STATUS_OK)
    return 3;
  for (int I = 0; I < 100; ++I)
    Caller.call(Functions[Caller.random(Functions.size())]);
  if (tprt_probe_count(Probe) != 100)
    return 4;
  if (tprt_probe_detach(Probe, 5000) != TPRT_STATUS_OK)
    return 5;
  return Faults::count() ? 6 : 0;
}

[[noreturn]] void leave(int Step) {
  if (Step)
    fprintf(stderr, "child: %s\n", Faults::first());
  _exit(Step);
}

// Waits for the child, which must end with Status.
void expectEnd(pid_t Child, int Status) {
  ASSERT_GT(Child, 0);
  int Ended = 0;
  ASSERT_EQ(waitpid(Child, &Ended, 0), Child);
  ASSERT_TRUE(WIFEXITED(Ended)) << "died of signal " << WTERMSIG(Ended);
  EXPECT_EQ(WEXITSTATUS(Ended), Status) << "is the step that failed";
}

class Fork : public testing::TestWithParam<Group> {};

TEST_P(Fork, WhileToggling) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  ASSERT_FALSE(Sites.empty());
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  Workers Workers(2, Functions);
  std::thread Other([&] { Toggler(Sites, AllActions, 23).runUntil(End); });
  uint64_t Children = 0;
  while ((!Children || std::chrono::steady_clock::now() < End) &&
         !HasFailure() && !Faults::count()) {
    const pid_t Child = fork();
    if (Child == 0) {
      leave(childWork(Sites, Functions, Children * 2 + 1));
    }
    expectEnd(Child, 0);
    ++Children;
  }
  Other.join();
  Workers.stop();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  printf("%lu children\n", static_cast<unsigned long>(Children));
}

// Makes a child that runs another program. Until the child executes the
// program, a vfork child shares memory and thread block with its parent. With
// Traced, the child has hits.
pid_t vforkAndRun(const std::vector<StressFunction> &Functions, bool Traced) {
  const pid_t Child = vfork();
  if (Child == 0) {
    Caller Caller(31);
    for (size_t I = 0; Traced && I < 20; ++I)
      Caller.call(Functions[I % Functions.size()]);
    execl("/bin/false", "false", nullptr);
    _exit(99);
  }
  return Child;
}

pid_t spawn() {
  char Name[] = "false";
  char *Arguments[] = {Name, nullptr};
  pid_t Child = -1;
  EXPECT_EQ(
      posix_spawn(&Child, "/bin/false", nullptr, nullptr, Arguments, environ),
      0);
  return Child;
}

TEST_P(Fork, VforkAndSpawnFromTracedAndOtherThreads) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  auto Work = [&](bool Traced) {
    Caller Caller(Traced + 5);
    uint64_t Turn = 0;
    do {
      for (int I = 0; Traced && I < 20; ++I)
        Caller.call(Functions[Caller.random(Functions.size())]);
      expectEnd(vforkAndRun(Functions, Traced), 1);
      expectEnd(spawn(), 1);
      const pid_t Child = fork();
      if (Child == 0)
        leave(childWork(Sites, Functions, ++Turn));
      expectEnd(Child, 0);
    } while (std::chrono::steady_clock::now() < End && !HasFailure());
  };
  // A vfork child keeps the signal handlers that it inherited at its start. If
  // it started before the first trap was set, it would execute traps without
  // our handler (docs/reference/runtime-limits.md).
  Toggler(Sites, AllActions, 41).toggleOnce();
  std::atomic<bool> Done{false};
  std::thread Other([&] {
    Toggler Toggler(Sites, AllActions, 37);
    while (!Done.load(std::memory_order_relaxed) && !Faults::count())
      Toggler.toggleOnce();
  });
  std::thread Traced(Work, true), Untraced(Work, false);
  Traced.join();
  Untraced.join();
  Done = true;
  Other.join();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

struct ForkingHandler {
  bool Armed;
  pid_t Child;
  uint64_t Hits;
};

void forkOnce(const tprt_event *, const tprt_regs *, void *Data) {
  auto *Mine = static_cast<ForkingHandler *>(Data);
  ++Mine->Hits;
  if (std::exchange(Mine->Armed, false))
    Mine->Child = fork();
}

// Runs in a child that was forked inside a handler, after that handler has
// returned. Returns 0, or the number of the step that failed.
int childOfHandler(tprt_probe *Probe, const ForkingHandler &Mine,
                   const std::vector<const tprt_site *> &Sites,
                   const std::vector<StressFunction> &Functions) {
  const uint64_t Before = Mine.Hits;
  Caller Caller(41);
  for (const StressFunction &Function : Functions)
    Caller.call(Function);
  if (Mine.Hits - Before != Functions.size())
    return 11;
  if (const int Step = childWork(Sites, Functions, 43))
    return Step;
  if (tprt_probe_detach(Probe, 5000) != TPRT_STATUS_OK)
    return 12;
  const uint64_t After = Mine.Hits;
  for (const StressFunction &Function : Functions)
    Caller.call(Function);
  return Mine.Hits != After ? 13 : Faults::count() ? 14 : 0;
}

TEST_P(Fork, InsideAHandlerWhileToggling) {
  Faults::reset();
  std::vector<const tprt_site *> Sites = sitesNamed(GetParam().Glob);
  std::vector<StressFunction> Functions = functionsAt(functions(), Sites);
  const auto End = std::chrono::steady_clock::now() + timeFor(25);
  std::atomic<bool> Done{false};
  std::thread Other([&] {
    Toggler Toggler(Sites, AllActions, 47);
    while (!Done.load(std::memory_order_relaxed) && !Faults::count())
      Toggler.toggleOnce();
  });
  ForkingHandler Mine = {};
  tprt_selector Selector = {};
  Selector.function = GetParam().Glob;
  Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  Selector.flags = TPRT_SELECT_TRAPS;
  tprt_action Action = {};
  Action.handler = forkOnce;
  Action.data = &Mine;
  tprt_probe *Probe = nullptr;
  EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, nullptr),
            TPRT_STATUS_OK)
      << tprt_error_string();
  Caller Caller(53);
  do {
    Mine.Armed = true;
    Mine.Child = -1;
    Caller.call(Functions[Caller.random(Functions.size())]);
    if (Mine.Child == 0)
      leave(childOfHandler(Probe, Mine, Sites, Functions));
    expectEnd(Mine.Child, 0);
  } while (std::chrono::steady_clock::now() < End && !HasFailure());
  EXPECT_EQ(tprt_probe_detach(Probe, 5000), TPRT_STATUS_OK);
  Done = true;
  Other.join();
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

INSTANTIATE_TEST_SUITE_P(Shapes, Fork, testing::ValuesIn(Groups), nameOfGroup);

} // namespace
