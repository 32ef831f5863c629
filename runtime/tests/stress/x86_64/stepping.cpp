// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of the trap that comes after each instruction (stepping.h). It
// calls instrumented functions, unwinds, checks sleds, or leaves by siglongjmp.
#include "stepping.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unwind.h>

extern "C" const char stress_call_128_return[], stress_call_256_return[],
    stress_call_512_return[];

// Sets the trap flag just before a function is entered: the first trap comes
// after the jump, with the pc at the function's entry.
extern "C" void step_enter();
extern "C" const void *step_target;
const void *step_target;
__asm__(
    ".text\n.type step_enter, "
    "@function\nstep_enter:\n\t.cfi_startproc\n\tendbr64\n\tpushf\n\t"
    ".cfi_adjust_cfa_offset 8\n\torl $0x100, "
    "(%rsp)\n\tpopf\n\t.cfi_adjust_cfa_offset -8\n\t"
    "jmp *step_target(%rip)\n\t.cfi_endproc\n.size step_enter, . - step_enter");

namespace stress {

StepState Now;
uint64_t OuterHits, NestedHits;
std::vector<Watched> WatchedSleds;

static bool isCallersReturn(uint64_t Pc) {
  for (const char *Back :
       {stress_call_128_return, stress_call_256_return, stress_call_512_return})
    if (Pc == reinterpret_cast<uint64_t>(Back))
      return true;
  return false;
}

void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  ++(Now.Inside ? NestedHits : OuterHits);
  stress_handler_general(Event, Regs, Data);
}

void onHitShort(const tprt_event *, const tprt_regs *, void *) { ++OuterHits; }

void onHitTrample(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  ++(Now.Inside ? NestedHits : OuterHits);
  stress_handler_trample(Event, Regs, Data);
}

namespace {
// Whether the address is in libtprt's own code, in which unwinding works at
// every instruction. If this program has its own trampolines, they belong to
// libtprt's code.
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

// Checks that the unwinder finds the traced function, and directly above it the
// calling function with its registers.
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
  _Unwind_Backtrace(collect, &Seen); // must work at any instruction, without a
                                     // crash
  if (!Library.contains(Pc))
    return;
  ++Now.Unwound;
  if (!showsFunctionAndCaller(Seen))
    Faults::report(
        "backtrace without function and caller, from libtprt's offset",
        Pc - Library.Start, 0);
}

// Runs at every instruction of attach and detach. Each sled must be completely
// on or completely off, and its function must be callable.
void checkSleds() {
  for (Watched &Sled : WatchedSleds) {
    uint64_t Bytes = __atomic_load_n(Sled.Word, __ATOMIC_RELAXED) & Sled.Mask;
    if (Bytes != Sled.Off && Bytes != Sled.On)
      Faults::report("bytes of a half-written sled", Bytes, Sled.On);
    else if (Bytes != Sled.Off || Now.Steps % 64 == 0)
      Caller(Now.Steps).call(*Sled.Function);
  }
}

// A trap while SIGTRAP is blocked ends the process. So this handler does the
// work of rt_sigprocmask itself, for all signals except SIGTRAP. sigreturn
// activates the changed mask.
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
  // TRAP_BRKPT is accepted in addition to TRAP_TRACE. On virtual machines a
  // step is sometimes reported without its bit in DR6, and so as TRAP_BRKPT.
  if (Info->si_code == SI_KERNEL)
    abort(); // an unknown int3
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
  } else if (Work == AtEachStep::Run) {
    Now.Run(Pc);
  } else if (Work == AtEachStep::Leave && Now.Steps == Now.LeaveAt) {
    Now.Inside = false;
    siglongjmp(Now.Back, 1);
  }
  emulateSigprocmask(Context);
  Now.Inside = false;
}

// Installs the handler before any sled is flipped by a trap. libtprt's handler
// is then installed later and passes single steps on to this one. SA_NODEFER is
// needed because the functions that the handler calls may have such a sled.
const int Installed = [] {
  struct sigaction Action = {};
  Action.sa_sigaction = onTrap;
  Action.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(SIGTRAP, &Action, nullptr);
}();
} // namespace

bool canStep() { return Installed == 0; }

void callStepped(const StressFunction &Function, const StressFunction &Other,
                 AtEachStep Work, unsigned FromLibrary) {
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

} // namespace stress
