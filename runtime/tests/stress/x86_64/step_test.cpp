// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends a signal at every instruction of a hit. One stepped call per function
// and action covers a few thousand such instructions. The tests run on one
// thread, except for the test of a thread's first hit.
#include "stepping.h"

#include <thread>

using namespace stress;

namespace {

TEST_F(Step, RegistersSurviveAHitInASignalHandlerAtEveryInstruction) {
  withEachAction([&] {
    for (const StressFunction &Function : Functions) {
      tprt_stats Before, After;
      tprt_stats_read(&Before);
      OuterHits = NestedHits = Now.NestedCalls = 0;
      callStepped(Function, Other, AtEachStep::CallAnother);
      tprt_stats_read(&After);
      if (NestedHits) {
        // Each outer hit calls each handler once. Each nested hit is delivered
        // or missed.
        EXPECT_EQ(OuterHits, Probes.size() > 2 ? 2u : 1u);
        EXPECT_EQ(NestedHits / OuterHits + After.missed - Before.missed,
                  Now.NestedCalls);
        EXPECT_GT(After.missed, Before.missed);
      }
    }
  });
  EXPECT_GT(Now.Steps, 1000u);
}

TEST_F(Step, CountIsExactWithASignalAtEveryInstruction) {
  for (tprt_handler Beside :
       {tprt_handler{nullptr}, tprt_handler{onHitShort}}) {
    attach(nullptr);
    if (Beside)
      attach(Beside);
    Caller(1).call(Other);
    for (const StressFunction &Function : Functions) {
      // The signal handler hits the same site, so the increment must be one
      // instruction.
      uint64_t Before = tprt_probe_count(Probes[0]);
      Now.NestedCalls = 0;
      callStepped(Function, Function, AtEachStep::CallAnother);
      EXPECT_EQ(tprt_probe_count(Probes[0]) - Before, Now.NestedCalls + 1);
    }
    detach();
  }
}

// This is true with any probe that was attached before. If a handler is
// attached to the same site, it is called as well.
TEST_F(Step, CountAloneTakesSixInstructionsAndNoCall) {
  auto stepsOf = [](const StressFunction &Function) {
    const uint64_t Before = Now.Steps;
    callStepped(Function, Function, AtEachStep::Nothing);
    return Now.Steps - Before;
  };
  std::vector<uint64_t> Off;
  for (const StressFunction &Function : Functions)
    Off.push_back(stepsOf(Function));
  unsigned Checked = 0;
  for (tprt_handler Before :
       {tprt_handler{onHitShort}, tprt_handler{nullptr}}) {
    attach(Before);
    detach();
    attach(nullptr);
    Caller(1).call(Other);
    for (size_t I = 0; I < Functions.size(); ++I) {
      if (Functions[I].Needs & TPRT_NEEDS_OTHER ||
          Functions[I].event() == TPRT_KIND_TAIL_EXIT)
        continue; // sites at which r11 and the flags are live
      EXPECT_LE(stepsOf(Functions[I]) - Off[I], 6u)
          << "shape " << unsigned{Functions[I].Shape};
      ++Checked;
    }
    attach(onHitShort);
    OuterHits = 0;
    const uint64_t Counted = tprt_probe_count(Probes[0]);
    for (const StressFunction &Function : Functions)
      Caller(1).call(Function);
    EXPECT_EQ(OuterHits, Functions.size());
    EXPECT_EQ(tprt_probe_count(Probes[0]) - Counted, Functions.size());
    detach();
  }
  EXPECT_GE(Checked, 6u);
}

TEST_F(Step, BacktraceShowsFunctionAndCallerFromEveryInstruction) {
  withEachAction([&] {
    for (const StressFunction &Function : Functions)
      callStepped(Function, Other, AtEachStep::Unwind);
  });
  EXPECT_GT(Now.Unwound, 500u);
}

TEST_F(Step, HitMayBeLeftAtEveryInstruction) {
  const StressFunction &Function = Functions.front();
  Caller(1).call(Function);
  for (uint32_t Flags : {uint32_t{TPRT_HANDLER_GENERAL_REGS_ONLY}, 0u}) {
    attach(onHitShort, Flags);
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
      // If the call left its guard raised, that guard must not hide the next
      // hit.
      OuterHits = 0;
      Caller(Next).call(Function);
      if (OuterHits != 1)
        Faults::report("hits after one left at instruction", Now.LeaveAt,
                       OuterHits);
    }
    EXPECT_GT(Now.LeaveAt, 30u);
    detach();
  }
}

TEST_F(Step, FirstHitOfAThread) {
  for (tprt_handler Handler : {tprt_handler{onHit}, tprt_handler{nullptr}}) {
    for (AtEachStep Work : {AtEachStep::CallAnother, AtEachStep::Unwind})
      // A nested hit may register the thread before the stepped hit checks this
      // (1), or after the check (16).
      for (unsigned From : {1u, 16u}) {
        attach(Handler);
        OuterHits = 0;
        Now.Unwound = 0;
        uint64_t Before = Now.Steps;
        std::thread([&] {
          callStepped(Functions.front(), Other, Work, From);
        }).join();
        EXPECT_GT(Now.Steps - Before, From > 1 ? 100u : 30u);
        EXPECT_EQ(OuterHits, Handler ? 1u : 0u);
        EXPECT_GE(Now.Unwound, Work == AtEachStep::Unwind ? 50u : 0u);
        detach();
      }
  }
}

} // namespace
