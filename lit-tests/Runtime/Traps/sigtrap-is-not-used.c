// Unless traps are requested, no sled is flipped through int3. So a thread with SIGTRAP blocked,
// which an int3 would kill, continues while another thread toggles. A program with its own SIGTRAP
// handler also continues: the handler stays installed, and sees only the program's own traps.
//
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=5,0 %s %tprt_flags -o %t.long
// RUN: %t.long | FileCheck %s
//
// CHECK: 5 traps of its own, 5 seen
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>

// AArch64 has no such sleds, and the emulator needs a long time for each flip.
#ifdef __x86_64__
#define ROUNDS 2000
#else
#define ROUNDS 200
#endif

static int seen;
static volatile long calls;
static volatile int done;
static void onTrap(int number) { ++seen; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++*(long *)data; }
static void *callBlocked(void *data) {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_BLOCK, &trap, NULL);
  while (!done)
    f(), ++calls;
  return NULL;
}
int main() {
  signal(SIGTRAP, onTrap);
  pthread_t thread;
  pthread_create(&thread, NULL, callBlocked, NULL);
  long hits = 0;
  // Waits until both threads have run at the same time for long enough.
  for (int i = 0, together = 0; i < ROUNDS || together < 50; ++i) {
    long before = calls;
    tprt_probe *probe = attachHandler("f", onHit, &hits);
    f();
    if (i < 5)
      raise(SIGTRAP);
    tprt_probe_detach(probe, -1);
    together += calls != before;
  }
  done = 1;
  pthread_join(thread, NULL);
  printf("5 traps of its own, %d seen\n", seen);
  struct sigaction now;
  sigaction(SIGTRAP, NULL, &now);
  return hits < ROUNDS || now.sa_handler != onTrap;
}
