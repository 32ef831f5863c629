// A handler is suspended, and ends on another thread. While the handler ends, the first thread may
// be in the handler of another hit. If this fails, the end of the first hit lowers the second hit's
// guard, and detach returns while the second handler runs.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: more than 10 instructions: {{.+}}, detached too early after 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#define NEVER __attribute__((tp_never, noinline))
static ucontext_t back, coroutine;
static volatile int suspend, steps, meeting, inside, leave, over, status;
static tprt_probe *probe;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

// Bit 8 of the flags makes the processor stop after each instruction (Intel SDM vol. 1, 3.4.3.3).
NEVER static void stopAtEachInstruction(void) {
  __asm__ volatile("leaq -128(%%rsp), %%rsp\npushfq\norq $0x100, (%%rsp)\npopfq\nleaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}
NEVER static void onStop(int signal, siginfo_t *info, void *context) {
  if (--steps > 0)
    return;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
  if (over)
    return;
  meeting = 1;
  waitUntil(&inside);
}

NEVER static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (suspend) {
    suspend = 0;
    swapcontext(&coroutine, &back);
    stopAtEachInstruction();
  } else if (meeting) {
    inside = 1;
    waitUntil(&leave);
  }
}
// Overwrites the data that the first hit has left on its stack: a detach would wait for that data, too.
NEVER static void useStack(void) {
  __asm__ volatile(".rept 64\npushq $0\n.endr\naddq $512, %%rsp" ::: "memory", "cc");
}
NEVER static void run(void) {
  f();
  over = 1;
  useStack();
  swapcontext(&coroutine, &back);
}
NEVER static void *goOn(void *unused) {
  swapcontext(&back, &coroutine);
  if (!meeting) {
    steps = 0; // the next stop is the last
    return unused;
  }
  status = tprt_probe_detach(probe, 20);
  leave = 1;
  return unused;
}

// The first hit's end is stopped after so many instructions. Returns false if the end has fewer instructions.
NEVER static int tryAfter(int instructions, int *early) {
  static char stack[1 << 16];
  probe = attachHandler("f", onHit, NULL);
  meeting = inside = leave = over = 0;
  f(); // a thread's first hit is special
  suspend = 1;
  steps = instructions;
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = sizeof stack;
  makecontext(&coroutine, run, 0);
  swapcontext(&back, &coroutine);
  pthread_t thread;
  pthread_create(&thread, NULL, goOn, NULL);
  while (!meeting && !over)
    usleep(100);
  if (meeting)
    f(); // until the other thread has tried to detach
  pthread_join(thread, NULL);
  *early += meeting && status == TPRT_STATUS_OK;
  if (!meeting || status != TPRT_STATUS_OK)
    tprt_probe_detach(probe, -1);
  return meeting;
}

NEVER int main(void) {
  struct sigaction action = {.sa_sigaction = onStop, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  int tried = 0, early = 0;
  while (tried < 200 && tryAfter(tried + 1, &early))
    ++tried;
  printf("%s than 10 instructions: %d, detached too early after %d\n", tried > 10 ? "more" : "fewer", tried, early);
}
