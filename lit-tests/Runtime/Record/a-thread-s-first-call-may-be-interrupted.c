// At a thread's first event, the recorder makes its record of the thread. If a signal handler interrupts this
// and calls a recorded function, the handler makes the record itself. The interrupted code must continue with
// that record. With another one, the thread would be two threads in the file.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report --by=thread %t.rec | FileCheck %s
//
// CHECK: 1 {{.*}} t_handled
// CHECK: 6 events of 1 thread in {{.*}}, none lost
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

static volatile int sink;
__attribute__((noinline)) void t_handled(void) { sink = 1; }
__attribute__((noinline)) void t_first(void) { sink = 2; }
__attribute__((noinline)) void other(void) { sink = 3; }
NO_SLEDS void handle(const tprt_event *event, const tprt_regs *regs, void *data) { (void)event, (void)regs, (void)data; }

// Calls a function wherever memory is about to be asked for, if a signal of another number could come there.
enum { kTrapFlag = 0x100 };
static void step(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const ucontext_t *here = context;
  const greg_t *registers = here->uc_mcontext.gregs;
  const unsigned char *code = (const unsigned char *)registers[REG_RIP];
  if (code[0] == 0x0f && code[1] == 0x05 && registers[REG_RAX] == SYS_mmap && !sigismember(&here->uc_sigmask, SIGALRM))
    t_handled();
}

static void setTrapFlag(int on) {
  __asm__ volatile("pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq" ::"r"(on ? kTrapFlag : 0) : "memory", "cc");
}

int main(int count, char **arguments) {
  (void)count;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("t_*");
  struct sigaction trap = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &trap, 0);
  // This hit makes what libtprt keeps of a thread that has nothing to do with recording. No signal may come then.
  tprt_selector selector = {.function = "other", .kinds = TPRT_KIND_SET_ENTRY};
  tprt_action action = {.handler = handle};
  tprt_probe *probe;
  mustBeOk(tprt_probe_attach(&selector, &action, &probe, NULL));
  other();
  setTrapFlag(1);
  t_first();
  setTrapFlag(0);
  t_first();
  mustBeOk(tprt_recording_stop());
}
