// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causes a trap after each instruction of a call. The thread runs with the trap
// flag set (Intel SDM vol. 3, 17.3.1.4, "Single-Step Exception Condition"). So
// SIGTRAP arrives between any two instructions of sled, slot, stub, trampoline
// and handler, and its handler does the work that `Now` describes. Only one
// thread steps at a time.
#pragma once
#include "workers.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <vector>

extern "C" const char stress_body[];

namespace stress {

// The things that the handler of the trap can do.
enum class AtEachStep { Nothing, CallAnother, Unwind, Leave, CheckSleds, Run };

// The work of the handler, and its results.
struct StepState {
  AtEachStep Work;
  const StressFunction *Traced, *Other;
  uint64_t Steps, LeaveAt, NestedCalls, Unwound;
  // Whether all signals are blocked. Blocking is emulated, so single steps
  // still arrive.
  bool Masked;
  // The work begins after this many instructions of libtprt, so that the
  // thread's first hit is the stepped hit. 0 means that it begins immediately.
  unsigned FromLibrary;
  void (*Run)(uint64_t Pc); // The function that AtEachStep::Run calls.
  volatile bool Inside;
  sigjmp_buf Back;
};
extern StepState Now;

// The hits of the stepped call, and those of calls in the handler of the trap.
extern uint64_t OuterHits, NestedHits;

// Handlers of probes. The first and the last check the registers that they
// receive.
void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data);
void onHitShort(const tprt_event *Event, const tprt_regs *Regs, void *Data);
void onHitTrample(const tprt_event *Event, const tprt_regs *Regs, void *Data);

// A sled that is being flipped, as its aligned word, which must be complete at
// any moment.
struct Watched {
  const StressFunction *Function;
  const uint64_t *Word;
  uint64_t Mask, Off, On;
};
extern std::vector<Watched> WatchedSleds;

// Makes one checked call with a trap after each instruction of the function.
void callStepped(const StressFunction &Function, const StressFunction &Other,
                 AtEachStep Work, unsigned FromLibrary = 0);

// Sets the trap flag for the scope of this object.
struct Stepping {
  Stepping() {
    __asm__ volatile("pushf\n\torl $0x100, (%%rsp)\n\tpopf" ::: "cc", "memory");
  }
  ~Stepping() {
    __asm__ volatile("pushf\n\tandl $~0x100, (%%rsp)\n\tpopf" ::
                         : "cc", "memory");
  }
};

// Whether the handler of the trap could be installed.
bool canStep();

struct Step : testing::Test {
  std::vector<tprt_probe *> Probes;
  stress_data Data = {STRESS_DATA_ALIVE, 0};
  std::vector<StressFunction> Functions; // one of each kind
  StressFunction Other;

  void SetUp() override {
    Faults::reset();
    ASSERT_TRUE(canStep());
    Now.Steps = Now.NestedCalls = Now.Unwound = OuterHits = NestedHits = 0;
    Now.Inside = false;
    for (const StressFunction &Function : functions()) {
      if (!canCall(Function))
        continue;
      if (Function.Offset == 8)
        Functions.push_back(Function);
      if (Function.Offset == 16 && Function.Shape == TPRT_SHAPE_SHORT &&
          !Function.Needs && !Function.Kind)
        Other = Function;
    }
    ASSERT_GE(Functions.size(), 4u);
  }
  void TearDown() override {
    detach();
    EXPECT_EQ(Faults::count(), 0u) << Faults::first();
  }
  void detach() {
    for (tprt_probe *Probe : Probes)
      EXPECT_EQ(tprt_probe_detach(Probe, 5000), TPRT_STATUS_OK)
          << tprt_error_string();
    Probes.clear();
  }
  void attach(tprt_handler Handler, uint32_t Flags = 0) {
    tprt_action Action = {};
    Action.kind = Handler ? TPRT_ACTION_CALL : TPRT_ACTION_COUNT;
    Action.flags = Flags;
    Action.handler = Handler;
    Action.data = &Data;
    attach("stress_*", TPRT_KIND_SET_ALL, Action);
  }
  // Redirects to another function that does the same and has no probe.
  void redirect() {
    tprt_action Action = {};
    Action.kind = TPRT_ACTION_REDIRECT;
    Action.replacement = stress_body;
    attach("stress_opaque_*", TPRT_KIND_SET_ENTRY, Action);
  }
  void attach(const char *Pattern, uint32_t Events, const tprt_action &Action) {
    tprt_selector Selector = {};
    Selector.function = Pattern;
    Selector.kinds = Events;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_probe *Probe = nullptr;
    ASSERT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, nullptr),
              TPRT_STATUS_OK)
        << tprt_error_string();
    Probes.push_back(Probe);
  }
  // Calls `Body` with the probes on, for every path through the trampoline.
  template <class T> void withEachAction(T Body) {
    Caller(1).call(Other); // this thread is now registered
    auto With = [&](auto Attach, const char *Name) {
      SCOPED_TRACE(Name);
      Attach();
      if (!HasFatalFailure())
        Body();
      detach();
    };
    With([&] { attach(onHit, TPRT_HANDLER_GENERAL_REGS_ONLY); }, "general");
    With([&] { attach(onHitTrample); }, "vectors");
    With([&] { attach(nullptr); }, "count");
    With(
        [&] {
          attach(onHit, TPRT_HANDLER_GENERAL_REGS_ONLY), attach(nullptr),
              attach(onHitTrample);
        },
        "several");
    With([&] { redirect(); }, "redirection");
    With([&] { redirect(), attach(onHitTrample); }, "redirection and handler");
  }
};

} // namespace stress
