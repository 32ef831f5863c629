// If this fails, a backtrace from a signal is wrong in or after a sled. The test single-steps the
// program. At each instruction of the section, the unwinder, which reads only .eh_frame, must find
// the function's return address.
// REQUIRES: x86_64-host
// DEFINE: %{sleds} = -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit
// DEFINE: %{level} = -O0
// DEFINE: %{check} = %clang %{level} %{sleds} %s -o %t && %run %t | FileCheck %s
// RUN: %{check}
// REDEFINE: %{level} = -O2
// RUN: %{check}
// REDEFINE: %{level} = -Os -fcf-protection=branch
// RUN: %{check}
// REDEFINE: %{level} = -O2 -fno-omit-frame-pointer -fno-integrated-as
// RUN: %{check}
// REDEFINE: %{sleds} = -fplugin-arg-tp-entry=9,3 -fplugin-arg-tp-exit
// REDEFINE: %{level} = -O2
// RUN: %{check}
// REDEFINE: %{level} = -O1 -mharden-sls=all -falign-functions=64
// REDEFINE: %{sleds} = -fplugin-arg-tp-entry=40,2 -fplugin-arg-tp-exit
// RUN: %{check}
// CHECK: 5 entries, 0 wrong
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
#include <unwind.h>
#define WALKED __attribute__((noinline, section("walked")))
extern const char __start_walked[], __stop_walked[];

WALKED int h(int X) {
  __asm__ volatile("" ::: "rbx", "r12");
  return X + 1;
}
WALKED int g(int X) {
  if (X)
    return h(X - 1);
  return 2;
}
WALKED int f(int X) { return g(X) + g(0) + h(X); }

// The stack addresses of the return addresses of open calls of f, g and h.
static uintptr_t *Open[4];
static int Depth, Entries, Wrong, Steps;
static volatile int Running = 1;

struct Walk {
  uintptr_t Here, Caller;
  int Seen;
};
static _Unwind_Reason_Code visit(struct _Unwind_Context *Context, void *Data) {
  struct Walk *W = Data;
  W->Caller = _Unwind_GetIP(Context);
  if (W->Seen)
    return _URC_END_OF_STACK;
  W->Seen = W->Caller == W->Here;
  return _URC_NO_REASON;
}
static void step(int Signal, siginfo_t *Info, void *Where) {
  greg_t *Registers = ((ucontext_t *)Where)->uc_mcontext.gregs;
  Registers[REG_EFL] = (Registers[REG_EFL] & ~0x100) | (Running ? 0x100 : 0);
  uintptr_t Here = Registers[REG_RIP];
  uintptr_t *Stack = (uintptr_t *)Registers[REG_RSP];
  while (Depth && Stack > Open[Depth - 1])
    --Depth;
  if (Here == (uintptr_t)f || Here == (uintptr_t)g || Here == (uintptr_t)h) {
    ++Entries;
    Depth -= Depth && Stack == Open[Depth - 1]; // a tail call
    Open[Depth++] = Stack;
  }
  if (Here < (uintptr_t)__start_walked || Here >= (uintptr_t)__stop_walked)
    return;
  struct Walk W = {.Here = Here};
  _Unwind_Backtrace(visit, &W);
  Wrong += !W.Seen || W.Caller != *Open[Depth - 1];
  ++Steps;
}
int main(void) {
  struct sigaction Action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &Action, NULL);
  raise(SIGTRAP);
  int Result = f(1);
  Running = 0;
  printf("%d entries, %d wrong of %d, result %d\n", Entries, Wrong, Steps, Result);
}
