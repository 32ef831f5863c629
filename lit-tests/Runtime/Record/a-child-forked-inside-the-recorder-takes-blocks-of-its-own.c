// A signal that arrives while a thread takes a new block is delivered as soon as the block is there. Its handler
// may fork. Then the child continues in the middle of the recorder, with its parent's block, and has to become a
// separate process of the recording first. It once took one block after another, until the file was full.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report --by=process --sort=name %t.rec > %t.txt
// RUN: FileCheck %s --check-prefix=PARENT < %t.txt
// RUN: FileCheck %s < %t.txt
//
// The two processes are in the order of their numbers' digits, so either may come first.
// PARENT: {{^ +}}[[#]] {{.*}} t_filling
// CHECK: {{^ +}}1 {{.*}} t_handled
// CHECK-NEXT: {{^ +}}21 {{.*}} t_stepped
// CHECK: of 2 threads in {{.*}}, none lost
#define _GNU_SOURCE
#include "../Inputs/record.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int sink, isChild, isRestored;
__attribute__((noinline)) void t_handled(void) { sink = 1; }
__attribute__((noinline)) void t_stepped(void) { sink = 2; }
__attribute__((noinline)) void t_filling(void) { sink = 3; }

// Forks at the first instruction after the system call that lets signals in again.
enum { kTrapFlag = 0x100 };
static void step(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  ucontext_t *here = context;
  greg_t *registers = here->uc_mcontext.gregs;
  const unsigned char *code = (const unsigned char *)registers[REG_RIP];
  if (!isRestored) {
    isRestored = code[0] == 0x0f && code[1] == 0x05 && registers[REG_RAX] == SYS_rt_sigprocmask &&
                 registers[REG_RDI] == SIG_SETMASK;
    return;
  }
  registers[REG_EFL] &= ~kTrapFlag;
  pid_t child = fork();
  isChild = child == 0;
  if (isChild)
    t_handled();
  else
    waitpid(child, NULL, 0);
}

static void setTrapFlag(int on) {
  __asm__ volatile("pushfq; andl $~0x100, (%%rsp); orl %0, (%%rsp); popfq" ::"r"(on ? kTrapFlag : 0) : "memory", "cc");
}

int main(int count, char **arguments) {
  (void)count;
  enum { kBytes = 4 << 20, kBlockWords = 8184 };
  startRecording(arguments[1], TPRT_RECORDING_MODE_UNTIL_FULL, kBytes);
  recordFunctions("t_*");
  struct sigaction trap = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &trap, 0);
  for (int i = 0; i < kBlockWords; ++i) // two words each, to the end of the second block or shortly before
    t_filling();
  for (int i = 0; !isRestored; ++i) {
    setTrapFlag(1);
    t_stepped();
    setTrapFlag(0);
  }
  for (int i = 0; i < 20; ++i)
    t_stepped();
  if (isChild)
    exit(0);
  mustBeOk(tprt_recording_stop());
}
