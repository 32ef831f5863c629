// A signal handler may interrupt the recorder where its block has room for one more event. The entry of a
// call in the handler is stored there at once, and the call's exit has to wait for the next block. The event
// that was interrupted must not come between them: the reader would see a call that the exit of another ends.
// Here each instruction of the recorder is interrupted, at the end of many blocks.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report --sort=name %t.rec 2>&1 | FileCheck %s
//
// CHECK-NOT: {{began before|without an exit}}
// CHECK: {{ }}40000 {{.*}} t_handled
// CHECK: {{ }}4000 {{.*}} t_stepped
// CHECK: none lost
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <signal.h>
#include <ucontext.h>

static volatile int sink, steps, first, calls;
__attribute__((noinline)) void t_handled(void) { sink = 1; }
__attribute__((noinline)) void t_stepped(int number) { sink = number; }
__attribute__((noinline)) void t_filling(void) { sink = 2; }

// Ten calls at ten instructions in a row, wherever a signal of another number could come.
enum { kCalls = 10, kTrapFlag = 0x100 };
static void step(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  ucontext_t *here = context;
  if (++steps < first || sigismember(&here->uc_sigmask, SIGALRM))
    return;
  t_handled();
  if (++calls == kCalls)
    here->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

// Records calls until so many words are left of the block, or a few more: the last words of a block may
// stay empty.
static void fill(int words) {
  enum { kBlockWords = 8184 };
  tprt_recording_figures figures;
  tprt_recording_read(&figures);
  for (int used = figures.words % kBlockWords; used < kBlockWords - words; ++used)
    t_filling();
}

static void setTrapFlag(int on) {
  __asm__ volatile("pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq" ::"r"(on ? kTrapFlag : 0) : "memory", "cc");
}

static void record(const char *function, uint32_t kinds, uint32_t arguments) {
  tprt_selector selector = {.function = function, .kinds = kinds};
  tprt_recording_values values = {.arguments = arguments};
  mustBeOk(tprt_recording_add(&selector, &values, NULL));
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  record("t_stepped", TPRT_KIND_SET_ALL, 1);
  record("t_handled", TPRT_KIND_SET_ALL, 0);
  record("t_filling", TPRT_KIND_SET_ENTRY, 0);
  struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, 0);
  for (int i = 0; i < 4000; ++i) {
    if (i % 20 == 0) // the next 20 calls reach over the end of the block
      fill(300);
    if (i % 3 == 0)
      t_filling();
    steps = calls = 0;
    first = i % 200;
    setTrapFlag(1);
    t_stepped(i);
    setTrapFlag(0);
    while (calls < kCalls) { // the call had fewer instructions than that
      ++calls;
      t_handled();
    }
  }
  mustBeOk(tprt_recording_stop());
}
