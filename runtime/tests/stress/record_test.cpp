// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that threads record each of their hits once, regardless of concurrent
// events: full blocks, changes of the epoch, other probes on the same sites,
// copies of the process. On x86-64 the stubs record, and the handler records
// only if the stubs cannot.
#include "recorder.h"
#include "sites/arch.h"
#include "workers.h"

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace stress;

namespace {

// Whether stubs record at sites of functions.
constexpr bool HasStubs = TP_RECORDS_IN_STUBS;

struct Probe {
  tprt_probe *Is = nullptr;
  ~Probe() { detach(); }
  void attach(const char *Glob, tprt_handler Handler = record::handler(),
              uint32_t Every = 0,
              uint32_t Flags = TPRT_HANDLER_GENERAL_REGS_ONLY) {
    tprt_selector Selector = {};
    Selector.function = Glob;
    Selector.kinds = TPRT_KIND_SET_ALL;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_action Action = {};
    Action.handler = Handler;
    Action.flags = Flags;
    Action.every = Every;
    EXPECT_EQ(tprt_probe_attach(&Selector, &Action, &Is, nullptr),
              TPRT_STATUS_OK)
        << tprt_error_string();
  }
  void detach() {
    if (Is) {
      EXPECT_EQ(tprt_probe_detach(Is, 5000), TPRT_STATUS_OK)
          << tprt_error_string();
    }
    Is = nullptr;
  }
};

void expectFound(uint64_t Events) {
  const record::Found Found = record::found();
  EXPECT_EQ(Found.Events, Events);
  EXPECT_EQ(Found.Unstored, 0u);
  EXPECT_FALSE(Found.Fault) << Found.Fault;
}

std::vector<StressFunction> functionsOf(const Group &Group) {
  return functionsAt(functions(), sitesNamed(Group.Glob));
}

// Threads that make at least this many calls each, and continue until stop(),
// or make exactly this many calls if they are Bounded. They end together, so
// that the others' cursors stay valid.
constexpr bool Bounded = true;

struct Threads {
  std::vector<std::thread> Started;
  std::atomic<unsigned> Working;
  std::atomic<bool> Stopped;
  std::atomic<uint64_t> Made{0};
  Threads(unsigned Number, uint64_t Calls,
          const std::vector<StressFunction> &Functions, bool IsBounded = false)
      : Working(Number), Stopped(IsBounded) {
    for (unsigned I = 0; I < Number; ++I)
      Started.emplace_back([=, &Functions, this] {
        Caller Caller(I * 7919 + 1);
        uint64_t Own = 0;
        for (; Own < Calls || !Stopped; ++Own)
          Caller.call(Functions[Caller.random(Functions.size())]);
        Made += Own;
        --Working;
        while (Working)
          std::this_thread::yield();
      });
  }
  ~Threads() { stop(); }
  // Returns the number of calls.
  uint64_t stop() {
    Stopped = true;
    for (std::thread &Thread : Started)
      if (Thread.joinable())
        Thread.join();
    return Made;
  }
};

constexpr unsigned ThreadCount = 3;
constexpr uint64_t CallsEach = 20000;
constexpr int Turns = 30;

class Record : public testing::TestWithParam<Group> {
protected:
  std::vector<StressFunction> Functions;
  Probe Recording;
  void SetUp() override {
    Faults::reset();
    Functions = functionsOf(GetParam());
    ASSERT_FALSE(Functions.empty());
    record::begin();
  }
  void TearDown() override {
    EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  }
};

TEST_P(Record, EachHitOnceAndWithoutACall) {
  Recording.attach(GetParam().Glob);
  EXPECT_EQ(record::calls.Described, GetParam().Sites);
  const uint64_t Calls = Threads(ThreadCount, CallsEach, Functions).stop();
  expectFound(Calls);
  // After a thread has received a block, the handler is called once per epoch,
  // and an epoch lasts at least a second.
  EXPECT_LE(record::calls.Handler, HasStubs ? 500u : Calls);
}

TEST_P(Record, ThroughFullBlocks) {
  record::begin(97);
  Recording.attach(GetParam().Glob);
  const uint64_t Calls =
      Threads(ThreadCount, CallsEach, Functions, Bounded).stop();
  expectFound(Calls);
  EXPECT_GE(record::found().Blocks, Calls / 97);
}

TEST_P(Record, ThroughChangesOfTheEpoch) {
  Recording.attach(GetParam().Glob);
  Threads Callers(ThreadCount, CallsEach, Functions);
  for (int I = 0; I < 2000; ++I)
    record::changeEpochs();
  expectFound(Callers.stop());
}

// The other probes are attached and detached on the same sites. They are
// handlers and counters.
TEST_P(Record, WithOtherProbes) {
  Recording.attach(GetParam().Glob);
  Threads Callers(ThreadCount, CallsEach, Functions);
  Toggler Others(sitesNamed(GetParam().Glob), AllActions, 11);
  for (int I = 0; I < Turns; ++I)
    Others.toggleOnce();
  expectFound(Callers.stop());
}

// The earlier probes direct sleds to other stubs. Nothing is recorded while the
// probe is off.
TEST_P(Record, ComingAndGoingAmongThreads) {
  Threads Callers(ThreadCount, CallsEach, Functions);
  Toggler Others(sitesNamed(GetParam().Glob), Count | General, 12);
  for (int I = 0; I < Turns; ++I) {
    Probe Once;
    Once.attach(GetParam().Glob);
    Others.toggleOnce();
    Once.detach();
    Others.toggleOnce();
  }
  const uint64_t Calls = Callers.stop();
  const record::Found Found = record::found();
  EXPECT_FALSE(Found.Fault) << Found.Fault;
  EXPECT_EQ(Found.Unstored, 0u);
  EXPECT_GT(Found.Events, 0u);
  EXPECT_LE(Found.Events, Calls);
  Caller(5).call(Functions.front());
  EXPECT_EQ(record::found().Events, Found.Events);
}

TEST_P(Record, EveryNthHitByTheHandler) {
  Recording.attach(GetParam().Glob, record::handler(), 4);
  Caller Caller(3);
  for (int I = 0; I < 40; ++I)
    Caller.call(Functions.front());
  expectFound(10);
  EXPECT_EQ(record::calls.Handler, 10u);
}

TEST_P(Record, ByTheHandlerWhereTheRecorderSaysSo) {
  record::stubsMayNot = true;
  Recording.attach(GetParam().Glob);
  Caller Caller(3);
  for (int I = 0; I < 40; ++I)
    Caller.call(Functions.front());
  expectFound(40);
  EXPECT_EQ(record::calls.Handler, 40u);
}

// The methods of copying a process: with fork's handlers, and without.
pid_t (*const Copies[])() = {
    fork, _Fork,
    [] { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }};

TEST_P(Record, CopiesOfTheProcessHaveBlocksOfTheirOwn) {
  Recording.attach(GetParam().Glob);
  Caller Caller(9);
  for (const StressFunction &Function : Functions)
    Caller.call(Function);
  uint64_t Made = Functions.size();
  expectFound(Made);
  for (auto *Copy : Copies) {
    const uint64_t Handled = record::calls.Handler;
    const pid_t Child = Copy();
    if (Child == 0) {
      for (int I = 0; I < 3; ++I)
        for (const StressFunction &Function : Functions)
          Caller.call(Function);
      // The handler permits each site's stub to record again.
      _exit(HasStubs && record::calls.Handler - Handled > Functions.size() + 1);
    }
    ASSERT_GT(Child, 0);
    int Status = -1;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
    EXPECT_EQ(record::found(static_cast<uint32_t>(Child)).Events,
              3 * Functions.size());
    EXPECT_FALSE(record::found(static_cast<uint32_t>(Child)).Fault);
    expectFound(Made);
    Caller.call(Functions.front());
    expectFound(++Made);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Record, testing::ValuesIn([] {
                           std::vector<Group> All;
                           for (const Group &Each : Groups)
                             if (std::string(Each.Name) != "Point")
                               All.push_back(Each);
                           All.push_back(OtherGroups[0]);
                           return All;
                         }()),
                         nameOfGroup);

// A handler that calls a function with a recorded site. If the stub records,
// that hit is an event like others. If the handler would have to be called, the
// recorder is notified.
const StressFunction *Inner;
void callInner(const tprt_event *, const tprt_regs *, void *) {
  Caller(1).call(*Inner);
}

TEST(RecordNested, HitsInsideHandlersAreNotMissed) {
  Faults::reset();
  const std::vector<StressFunction> Outer = functionsOf(Groups[1]);
  const std::vector<StressFunction> Others = functionsOf(Groups[0]);
  Inner = &Others.front();
  for (bool StubsMayNot : {false, true}) {
    record::begin();
    record::stubsMayNot = StubsMayNot;
    Probe Calling, Recording;
    Calling.attach(Groups[1].Glob, callInner, 0, 0);
    Recording.attach(Groups[0].Glob);
    tprt_stats Before, After;
    tprt_stats_read(&Before);
    for (int I = 0; I < 10; ++I)
      Caller(1).call(Outer.front());
    tprt_stats_read(&After);
    expectFound(10);
    EXPECT_EQ(After.missed, Before.missed);
    EXPECT_EQ(record::calls.Handler, 0u);
    EXPECT_EQ(record::calls.Nested, StubsMayNot || !HasStubs ? 10u : 1u);
  }
  EXPECT_EQ(Faults::count(), 0u) << Faults::first();
}

} // namespace
