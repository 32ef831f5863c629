// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends a signal at every instruction of a hit that a stub records.
#include "recorder.h"
#include "stepping.h"

#include <unwind.h>
#include <utility>

using namespace stress;

namespace {

// Calls the other function only once at each address. A claim is repeated if
// another word was claimed in the meantime, so it would otherwise be repeated
// forever.
struct Places {
  static constexpr size_t Room = 1 << 12;
  uint64_t Seen[Room];
  bool isNew(uint64_t Pc) {
    size_t At = Pc % Room;
    while (Seen[At] && Seen[At] != Pc)
      At = (At + 1) % Room;
    return !std::exchange(Seen[At], Pc);
  }
} Visited;

void callAnotherOnce(uint64_t Pc) {
  if (!Visited.isNew(Pc))
    return;
  Caller(Now.Steps).call(*Now.Other);
  ++Now.NestedCalls;
}

struct StepRecord : Step {
  void attachRecorder() {
    tprt_action Action = {};
    Action.handler = record::handler();
    Action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
    attach("stress_*", TPRT_KIND_SET_ALL, Action);
  }
  void SetUp() override {
    Step::SetUp();
    record::begin();
    attachRecorder();
    Caller(1).call(Other); // this thread now has a block
    Recorded = 1;
  }
  void TearDown() override {
    expectEvents();
    Step::TearDown();
  }
  // Each event is recorded once, at its own position, and no position remains
  // empty.
  void expectEvents() {
    const record::Found Found = record::found();
    EXPECT_EQ(Found.Events, Recorded);
    EXPECT_EQ(Found.Unstored, 0u);
    EXPECT_FALSE(Found.Fault) << Found.Fault;
  }
  // Steps through a call; `Nested` is the function that Now.Run calls.
  void call(const StressFunction &Function, const StressFunction &Nested) {
    Now.NestedCalls = 0;
    Visited = {};
    callStepped(Function, Nested, AtEachStep::Run);
    Recorded += 1 + Now.NestedCalls;
  }
  uint64_t Recorded = 0;
};

TEST_F(StepRecord, RegistersSurviveAndEachHitOfASignalHandlerIsRecorded) {
  Now.Run = callAnotherOnce;
  for (const StressFunction &Function : Functions)
    // The nested hit is on another site, or on the same site.
    for (const StressFunction &Nested : {Other, Function})
      call(Function, Nested);
  expectEvents();
  EXPECT_GT(Now.Steps, 1000u);
}

// The block is replaced by the stepped hit, or by a hit of the signal handler,
// which claims the last words before the stepped hit.
TEST_F(StepRecord, BlockMayEndAtEveryInstruction) {
  Now.Run = callAnotherOnce;
  for (const StressFunction &Function : Functions)
    for (size_t Words = 1; Words < 40; ++Words) {
      record::begin(Words);
      Caller(1).call(Other);
      Recorded = 1;
      call(Function, Function);
      expectEvents();
    }
}

TEST_F(StepRecord, EpochMayChangeAtEveryInstruction) {
  Now.Run = [](uint64_t Pc) {
    record::changeEpochs();
    if (Now.Steps % 3) // otherwise the stepped hit notices the change
      callAnotherOnce(Pc);
  };
  for (const StressFunction &Function : Functions)
    call(Function, Other);
  EXPECT_GT(record::calls.Handler, Functions.size());
}

// The stub's pages have no unwind table, so a backtrace may end in them. The
// backtrace does not crash, and from the trampoline after the stub it shows the
// caller.
TEST_F(StepRecord, BacktraceFromEveryInstruction) {
  static uint64_t Frames;
  Frames = 0;
  Now.Run = [](uint64_t) {
    _Unwind_Backtrace(
        [](_Unwind_Context *, void *) {
          ++Frames;
          return _URC_NO_REASON;
        },
        nullptr);
  };
  for (const StressFunction &Function : Functions)
    call(Function, Other);
  EXPECT_GT(Frames, Now.Steps);
}

TEST_F(StepRecord, HitMayBeLeftAtEveryInstruction) {
  for (const StressFunction &Function : Functions) {
    record::begin();
    Caller(1).call(Function);
    uint64_t Before = 1, Unstored = 0;
    volatile bool Done = false; // volatile, so that the value survives
                                // siglongjmp
    for (volatile uint64_t Next = 1; !Done;) {
      Now.LeaveAt = Next;
      Next = Next + 1;
      Now.Steps = 0;
      if (sigsetjmp(Now.Back, 1) == 0) {
        callStepped(Function, Other, AtEachStep::Leave);
        Done = true; // the call ended earlier
      }
      // The hit that was left is recorded once or not at all. The next hit is
      // recorded.
      Caller(Next).call(Function);
      const record::Found Found = record::found();
      EXPECT_GE(Found.Events, Before + 1);
      EXPECT_LE(Found.Events, Before + 2);
      EXPECT_FALSE(Found.Fault) << Found.Fault;
      Before = Found.Events;
      Unstored = Found.Unstored;
    }
    // Between the claim and the store there are two steps.
    EXPECT_EQ(Unstored, 2u);
    Recorded = Before;
  }
  Recorded = 0;
  record::begin();
}

TEST_F(StepRecord, RecordAloneTakesFewInstructionsAndNoCall) {
  auto stepsOf = [](const StressFunction &Function) {
    const uint64_t Before = Now.Steps;
    callStepped(Function, Function, AtEachStep::Nothing);
    return Now.Steps - Before;
  };
  detach();
  std::vector<uint64_t> Off;
  for (const StressFunction &Function : Functions)
    Off.push_back(stepsOf(Function));
  // This is true with any probe that was attached before.
  for (tprt_handler Before :
       {tprt_handler{onHitShort}, tprt_handler{nullptr}}) {
    attach(Before);
    detach();
    attachRecorder();
    Caller(1).call(Functions.front());
    ++Recorded;
    for (size_t I = 0; I < Functions.size(); ++I) {
      const bool Full = Functions[I].Needs & TPRT_NEEDS_OTHER ||
                        Functions[I].event() == TPRT_KIND_TAIL_EXIT;
      const uint64_t Most = Full ? 36 : 28;
      // On a busy machine, so much time may pass between two hits that one of
      // them stores its complete time on the slow path.
      uint64_t Steps = UINT64_MAX;
      for (int Try = 0; Try < 5 && Steps > Most; ++Try) {
        Steps = stepsOf(Functions[I]) - Off[I];
        ++Recorded;
      }
      EXPECT_LE(Steps, Most) << "shape " << unsigned{Functions[I].Shape};
    }
    detach();
  }
}

// A thread may be anywhere in an attach or a detach when it is hit.
TEST_F(StepRecord, SledsMayBeCalledAtEveryInstructionOfAttachAndDetach) {
  detach();
  tprt_selector Selector = {};
  Selector.address = Other.Entry;
  Selector.kinds = TPRT_KIND_SET_ALL;
  tprt_action Action = {}, Second = {};
  Action.handler = record::handler();
  Action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  Second.kind = TPRT_ACTION_COUNT;
  Now.Work = AtEachStep::Run;
  Now.FromLibrary = 0;
  Now.Masked = false;
  Now.Other = &Other;
  Now.NestedCalls = 0;
  Now.Run = [](uint64_t) {
    if (Now.Steps % 7)
      return;
    Caller(Now.Steps).call(*Now.Other);
    ++Now.NestedCalls;
  };
  tprt_probe *Recording = nullptr, *Counting = nullptr;
  {
    Stepping Stepping;
    tprt_probe_attach(&Selector, &Action, &Recording, nullptr);
  }
  const uint64_t First = record::found().Events;
  Now.NestedCalls = 0;
  {
    Stepping Stepping;
    tprt_probe_attach(&Selector, &Second, &Counting, nullptr);
    tprt_probe_detach(Counting, 5000);
  }
  // While the recording probe is on, no event is lost.
  EXPECT_EQ(record::found().Events - First, Now.NestedCalls);
  EXPECT_GT(Now.NestedCalls, 100u);
  {
    Stepping Stepping;
    tprt_probe_detach(Recording, 5000);
  }
  Recorded = record::found().Events;
}

} // namespace
