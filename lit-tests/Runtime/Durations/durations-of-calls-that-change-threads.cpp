// A fiber enters a function on one thread and leaves it on another thread. A second call begins on that
// thread, and ends on the first one. If this fails, the second call's duration starts at the first call.
//
// RUN: %tp_clangxx -O2 -ftp-entry=2,0 -ftp-exit %s %tprt_flags -pthread -o %t
// RUN: %run %t | FileCheck %s
//
// CHECK:      call 0 abandoned
// CHECK-NEXT: call 2{{$}}
// CHECK-NEXT: detached 0
#include "tprt/duration.h"
#include <cstdio>
#include <thread>
#include <ucontext.h>

static ucontext_t Fiber, Caller;
static uint64_t Entered[3];
static int Entries;
static void resume() { swapcontext(&Caller, &Fiber); }
__attribute__((noinline, tp_never)) static void moveOn() { swapcontext(&Fiber, &Caller); }
extern "C" __attribute__((noinline)) void work(bool Moves) {
  if (Moves)
    moveOn();
  __asm__ volatile("");
}
static void run() {
  for (int I = 0; I < 3; ++I)
    work(I < 2);
}
static void enter(const tprt_event *Event, const tprt_regs *, void *) { Entered[Entries++] = tprt_event_time(Event); }
static void tell(const tprt_duration *D, void *) {
  int Call = Entries - 1;
  while (Call && Entered[Call] > D->start)
    --Call;
  std::printf("call %d%s\n", Call, D->flags & TPRT_DURATION_ABANDONED ? " abandoned" : "");
}

int main() {
  tprt_selector Work = {.function = "work"};
  tprt_action Enter = {.flags = TPRT_HANDLER_TIME, .handler = enter};
  tprt_probe *Probe;
  tprt_duration_probe *Durations;
  if (tprt_probe_attach(&Work, &Enter, &Probe, nullptr) ||
      tprt_duration_probe_attach(&Work, tell, nullptr, 0, &Durations, nullptr))
    return std::puts(tprt_error_string());
  static char Stack[65536];
  getcontext(&Fiber);
  Fiber.uc_stack.ss_sp = Stack;
  Fiber.uc_stack.ss_size = sizeof(Stack);
  Fiber.uc_link = &Caller;
  makecontext(&Fiber, run, 0);
  resume();
  std::thread(resume).join();
  resume();
  std::printf("detached %d\n", tprt_duration_probe_detach(Durations, -1));
}
