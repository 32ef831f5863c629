// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal at every instruction of a hit. The thread runs with the trap flag
// set (Intel SDM vol. 3, 17.3.1.4, "Single-Step Exception Condition"): SIGTRAP
// arrives between any two instructions of sled, slot, stub, trampoline and
// handler, and its handler calls instrumented functions, unwinds, or leaves by
// siglongjmp. One stepped call of each function and action goes through a few
// thousand such places. Single-threaded but for the first hit of a thread.
#include "workers.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unwind.h>

using namespace stress;

extern "C" const char stress_body[], stress_call_128_return[],
    stress_call_256_return[], stress_call_512_return[];

// Sets the trap flag on the way into a function: the first trap comes after the
// jump, with the pc at the function's entry.
extern "C" void step_enter();
extern "C" const void *step_target;
const void *step_target;
__asm__(
    ".text\n.type step_enter, "
    "@function\nstep_enter:\n\t.cfi_startproc\n\tendbr64\n\tpushf\n\t"
    ".cfi_adjust_cfa_offset 8\n\torl $0x100, "
    "(%rsp)\n\tpopf\n\t.cfi_adjust_cfa_offset -8\n\t"
    "jmp *step_target(%rip)\n\t.cfi_endproc\n.size step_enter, . - step_enter");

namespace {

bool isCallersReturn(uint64_t Pc) {
  for (const char *Back :
       {stress_call_128_return, stress_call_256_return, stress_call_512_return})
    if (Pc == reinterpret_cast<uint64_t>(Back))
      return true;
  return false;
}

enum class AtEachStep { Nothing, CallAnother, Unwind, Leave, CheckSleds };

// What the SIGTRAP handler does and has seen. One thread steps at a time.
struct {
  AtEachStep Work;
  const StressFunction *Traced, *Other;
  uint64_t Steps, LeaveAt, NestedCalls, Unwound;
  bool Masked; // all signals are blocked, but for the emulation below
  // Begins its work after as many instructions of libtprt's: the thread's first
  // hit is the stepped one. 0: at once.
  unsigned FromLibrary;
  volatile bool Inside;
  sigjmp_buf Back;
} Now;

uint64_t OuterHits, NestedHits;

void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  ++(Now.Inside ? NestedHits : OuterHits);
  stress_handler_general(Event, Regs, Data);
}

void onHitShort(const tprt_event *, const tprt_regs *, void *) { ++OuterHits; }

void onHitTrample(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  ++(Now.Inside ? NestedHits : OuterHits);
  stress_handler_trample(Event, Regs, Data);
}

// libtprt's own code, the trampolines in this program included if they are its
// own: where unwinding is promised at every instruction.
struct Text {
  uint64_t Start = 0, End = 0;
  // The table of arch/x86_64/trampolines.h.
  const int32_t *Near =
      static_cast<const int32_t *>(dlsym(RTLD_DEFAULT, "__tprt_near"));
  Text() {
    dl_iterate_phdr(
        [](dl_phdr_info *Info, size_t, void *Self) {
          auto Inside = reinterpret_cast<uint64_t>(&tprt_version_string);
          for (int I = 0; I < Info->dlpi_phnum; ++I) {
            const ElfW(Phdr) &P = Info->dlpi_phdr[I];
            uint64_t At = Info->dlpi_addr + P.p_vaddr;
            if (P.p_type == PT_LOAD && (P.p_flags & PF_X) && Inside >= At &&
                Inside < At + P.p_memsz)
              static_cast<Text *>(Self)->Start = At,
                               static_cast<Text *>(Self)->End = At + P.p_memsz;
          }
          return 0;
        },
        this);
  }
  bool contains(uint64_t Pc) const {
    return (Pc >= Start && Pc < End) || isTrampoline(Pc);
  }
  bool isTrampoline(uint64_t Pc) const {
    const void *Code =
        _Unwind_FindEnclosingFunction(reinterpret_cast<void *>(Pc));
    for (int I = 2; Near && I < 10; ++I)
      if (Code == reinterpret_cast<const char *>(&Near[I]) + Near[I])
        return true;
    return false;
  }
};
const Text Library;

struct Frames {
  uint64_t Pc[64], Rbx[64], Rbp[64];
  int Count;
};

_Unwind_Reason_Code collect(_Unwind_Context *Context, void *Data) {
  auto *Found = static_cast<Frames *>(Data);
  if (Found->Count == 64)
    return _URC_END_OF_STACK;
  Found->Pc[Found->Count] = _Unwind_GetIP(Context);
  Found->Rbx[Found->Count] =
      _Unwind_GetGR(Context, 3); // psABI x86-64, 3.36 (DWARF numbers)
  Found->Rbp[Found->Count++] = _Unwind_GetGR(Context, 6);
  return _URC_NO_REASON;
}

// The traced function, and right above it the one that called it, with the
// registers that it had.
bool showsFunctionAndCaller(const Frames &Seen) {
  auto Entry = reinterpret_cast<uint64_t>(Now.Traced->Entry);
  for (int I = 1; I < Seen.Count; ++I)
    if (isCallersReturn(Seen.Pc[I]))
      return Seen.Pc[I - 1] > Entry && Seen.Pc[I - 1] <= Entry + 16 &&
             Seen.Rbx[I] == stress_expected()->Rbx &&
             Seen.Rbp[I] == stress_expected()->Rbp;
  return false;
}

void unwindFrom(uint64_t Pc) {
  Frames Seen{};
  _Unwind_Backtrace(collect, &Seen); // from anywhere, without a crash
  if (!Library.contains(Pc))
    return;
  ++Now.Unwound;
  if (!showsFunctionAndCaller(Seen))
    Faults::report(
        "backtrace without function and caller, from libtprt's offset",
        Pc - Library.Start, 0);
}

// A sled that is being flipped, as its aligned word: whole at any time.
struct Watched {
  const StressFunction *Function;
  const uint64_t *Word;
  uint64_t Mask, Off, On;
};
std::vector<Watched> WatchedSleds;

// At every instruction of attach and detach: each sled is wholly on or wholly
// off, and its function can be called.
void checkSleds() {
  for (Watched &Sled : WatchedSleds) {
    uint64_t Bytes = __atomic_load_n(Sled.Word, __ATOMIC_RELAXED) & Sled.Mask;
    if (Bytes != Sled.Off && Bytes != Sled.On)
      Faults::report("bytes of a half-written sled", Bytes, Sled.On);
    else if (Bytes != Sled.Off || Now.Steps % 64 == 0)
      Caller(Now.Steps).call(*Sled.Function);
  }
}

// A trap while SIGTRAP is blocked is deadly, so blocking is done here, for all
// other signals: sigreturn puts the changed mask in force.
void emulateSigprocmask(ucontext_t *Context) {
  greg_t *Regs = Context->uc_mcontext.gregs;
  auto Pc = reinterpret_cast<const uint8_t *>(Regs[REG_RIP]);
  if (Pc[0] != 0x0f || Pc[1] != 0x05 || Regs[REG_RAX] != SYS_rt_sigprocmask)
    return;
  uint64_t Mask, Set = 0;
  memcpy(&Mask, &Context->uc_sigmask, sizeof(Mask));
  if (Regs[REG_RDX])
    memcpy(reinterpret_cast<void *>(Regs[REG_RDX]), &Mask, sizeof(Mask));
  if (Regs[REG_RSI]) {
    memcpy(&Set, reinterpret_cast<const void *>(Regs[REG_RSI]), sizeof(Set));
    Mask = Regs[REG_RDI] == SIG_BLOCK     ? Mask | Set
           : Regs[REG_RDI] == SIG_UNBLOCK ? Mask & ~Set
                                          : Set;
    const uint64_t Trap = uint64_t{1} << (SIGTRAP - 1);
    Now.Masked = Mask & Trap;
    Mask &= ~Trap;
    memcpy(&Context->uc_sigmask, &Mask, sizeof(Mask));
  }
  Regs[REG_RAX] = 0;
  Regs[REG_RCX] = Regs[REG_RIP] += 2;
  Regs[REG_R11] = Regs[REG_EFL];
}

void onTrap(int, siginfo_t *Info, void *Pointer) {
  // Not TRAP_TRACE alone: on virtual machines a step now and then comes without
  // its bit in DR6, as TRAP_BRKPT.
  if (Info->si_code == SI_KERNEL)
    abort(); // an int3 that is nobody's
  auto *Context = static_cast<ucontext_t *>(Pointer);
  auto Pc = static_cast<uint64_t>(Context->uc_mcontext.gregs[REG_RIP]);
  if (isCallersReturn(Pc)) {
    Context->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    return;
  }
  ++Now.Steps;
  Now.Inside = true;
  Now.FromLibrary -= Now.FromLibrary && Library.contains(Pc);
  const AtEachStep Work = Now.FromLibrary ? AtEachStep::Nothing : Now.Work;
  if (Work == AtEachStep::CallAnother && !Now.Masked) {
    Caller(Now.Steps).call(*Now.Other);
    ++Now.NestedCalls;
  } else if (Work == AtEachStep::Unwind) {
    unwindFrom(Pc);
  } else if (Work == AtEachStep::CheckSleds) {
    checkSleds();
  } else if (Work == AtEachStep::Leave && Now.Steps == Now.LeaveAt) {
    Now.Inside = false;
    siglongjmp(Now.Back, 1);
  }
  emulateSigprocmask(Context);
  Now.Inside = false;
}

// Before any sled is flipped by a trap, so that libtprt's handler stands above
// this one and hands single steps on to it. SA_NODEFER: what it calls may have
// such a sled.
const int Installed = [] {
  struct sigaction Action = {};
  Action.sa_sigaction = onTrap;
  Action.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(SIGTRAP, &Action, nullptr);
}();

// One checked call with a trap after each instruction of the function's.
void callStepped(const StressFunction &Function, const StressFunction &Other,
                 AtEachStep Work, unsigned FromLibrary = 0) {
  Now.Work = Work;
  Now.FromLibrary = FromLibrary;
  Now.Traced = &Function;
  Now.Other = &Other;
  Now.Masked = false;
  Caller Caller(reinterpret_cast<uint64_t>(Function.Entry));
  step_target = Function.Entry;
  StressFunction Stepped = Function;
  Stepped.Entry = reinterpret_cast<const void *>(step_enter);
  Caller.call(Stepped);
}

struct Step : testing::Test {
  std::vector<tprt_probe *> Probes;
  stress_data Data = {STRESS_DATA_ALIVE, 0};
  std::vector<StressFunction> Functions; // one of each kind
  StressFunction Other;

  void SetUp() override {
    Faults::reset();
    ASSERT_EQ(Installed, 0);
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
          << tprt_last_error();
    Probes.clear();
  }
  void attach(tprt_handler Handler, uint32_t Flags = 0) {
    tprt_action Action = {};
    Action.kind = Handler ? TPRT_ACTION_CALL : TPRT_ACTION_COUNT;
    Action.flags = Flags;
    Action.handler = Handler;
    Action.data = &Data;
    attach("stress_*", TPRT_EVENTS_ALL, Action);
  }
  // To another function that does the same, and that has no probe.
  void redirect() {
    tprt_action Action = {};
    Action.kind = TPRT_ACTION_REDIRECT;
    Action.replacement = stress_body;
    attach("stress_opaque_*", TPRT_EVENTS_ENTRY, Action);
  }
  void attach(const char *Pattern, uint32_t Events, const tprt_action &Action) {
    tprt_selector Selector = {};
    Selector.function = Pattern;
    Selector.events = Events;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_probe *Probe = nullptr;
    ASSERT_EQ(tprt_probe_attach(&Selector, &Action, &Probe, nullptr),
              TPRT_STATUS_OK)
        << tprt_last_error();
    Probes.push_back(Probe);
  }
  // Every way through the trampoline; each calls `Body` with the probes on.
  template <class T> void withEachAction(T Body) {
    Caller(1).call(Other); // this thread is known from here on
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

TEST_F(Step, RegistersSurviveAHitInASignalHandlerAtEveryInstruction) {
  withEachAction([&] {
    for (const StressFunction &Function : Functions) {
      tprt_stats Before, After;
      tprt_stats_read(&Before);
      OuterHits = NestedHits = Now.NestedCalls = 0;
      callStepped(Function, Other, AtEachStep::CallAnother);
      tprt_stats_read(&After);
      if (NestedHits) {
        // Each outer hit once per handler; each nested one delivered or missed.
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
      // The same site in the signal handler: the increment must be one
      // instruction.
      uint64_t Before = tprt_probe_count(Probes[0]);
      Now.NestedCalls = 0;
      callStepped(Function, Function, AtEachStep::CallAnother);
      EXPECT_EQ(tprt_probe_count(Probes[0]) - Before, Now.NestedCalls + 1);
    }
    detach();
  }
}

// Whatever was attached before; and with a handler beside it, that is called.
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
          Functions[I].event() == TPRT_RECORD_TAIL_EXIT)
        continue; // where r11 and the flags are live
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
    volatile bool Done = false; // volatile: kept over siglongjmp
    for (volatile uint64_t Next = 1; !Done;) {
      Now.LeaveAt = Next;
      Next = Next + 1;
      Now.Steps = 0;
      if (sigsetjmp(Now.Back, 1) == 0) {
        callStepped(Function, Other, AtEachStep::Leave);
        Done = true; // it was over before
      }
      // The mark that it left, if any, must not hide the next hit.
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

// The trap flag for the body of this object's scope.
struct Stepping {
  Stepping() {
    __asm__ volatile("pushf\n\torl $0x100, (%%rsp)\n\tpopf" ::: "cc", "memory");
  }
  ~Stepping() {
    __asm__ volatile("pushf\n\tandl $~0x100, (%%rsp)\n\tpopf" ::
                         : "cc", "memory");
  }
};

// A store in two halves, a sled flipped before its slot or stub is there, or a
// chain published too early shows as a torn sled or a crash in the called
// function: of races with other cores only these are seen that no core may see.
TEST_F(Step, SledsAreWholeAtEveryInstructionOfAttachAndDetach) {
  for (const StressFunction &Function : functions()) {
    if (Function.Needs || Function.LandingPad || Function.Offset != 24 ||
        Function.Kind != (Function.Shape == TPRT_SHAPE_RET ? TPRT_RECORD_EXIT
                                                           : TPRT_RECORD_ENTRY))
      continue; // one of each shape
    WatchedSleds.clear();
    tprt_selector Selector = {};
    Selector.address = Function.Entry;
    Selector.events = TPRT_EVENTS_ALL;
    Selector.flags = TPRT_SELECT_TRAPS;
    tprt_sites_visit(
        &Selector,
        [](const tprt_site *Site, void *) {
          tprt_site_info Info;
          tprt_site_describe(Site, &Info);
          auto At = reinterpret_cast<uint64_t>(Info.sled);
          const unsigned Bits = Info.shape == TPRT_SHAPE_SHORT  ? 16
                                : Info.shape == TPRT_SHAPE_LONG ? 40
                                                                : 8;
          uint64_t Mask = ((uint64_t{1} << Bits) - 1) << At % 8 * 8;
          auto *Word = reinterpret_cast<const uint64_t *>(At & ~uint64_t{7});
          WatchedSleds.push_back({nullptr, Word, Mask, *Word & Mask, 0});
          return 0;
        },
        nullptr);
    ASSERT_EQ(WatchedSleds.size(), 1u);
    tprt_action Action = {};
    Action.handler = onHit;
    Action.data = &Data;
    Watched &Sled = WatchedSleds[0];
    Sled.Function = &Function;
    const unsigned Shift = static_cast<unsigned>(__builtin_ctzll(Sled.Mask));
    // To the slot, 5 bytes before; of a ret the opcode alone.
    Sled.On = uint64_t{Function.Shape == TPRT_SHAPE_RET     ? 0xe9u
                       : Function.Shape == TPRT_SHAPE_PLAIN ? 0xccu
                                                            : 0xf9ebu}
              << Shift;
    if (Function.Shape == TPRT_SHAPE_LONG) { // to a stub that is made for good
      attach(onHit);
      Sled.On = *Sled.Word & Sled.Mask;
      detach();
    }
    Now.Work = AtEachStep::CheckSleds;
    Now.FromLibrary = 0;
    Now.Masked = false;
    for (int Round = 0; Round < 2; ++Round) {
      tprt_probe *Probe = nullptr;
      tprt_status Status;
      {
        Stepping Stepping;
        Status = tprt_probe_attach(&Selector, &Action, &Probe, nullptr);
      }
      ASSERT_EQ(Status, TPRT_STATUS_OK) << tprt_last_error();
      NestedHits = 0;
      {
        Stepping Stepping;
        Status = tprt_probe_detach(Probe, 5000);
      }
      EXPECT_EQ(Status, TPRT_STATUS_OK) << tprt_last_error();
      EXPECT_GT(NestedHits, 0u) << "detach went by unseen";
    }
  }
}

TEST_F(Step, FirstHitOfAThread) {
  for (tprt_handler Handler : {tprt_handler{onHit}, tprt_handler{nullptr}}) {
    for (AtEachStep Work : {AtEachStep::CallAnother, AtEachStep::Unwind})
      // A nested hit may make the thread known before the stepped one looks
      // (1), or after that (16).
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
