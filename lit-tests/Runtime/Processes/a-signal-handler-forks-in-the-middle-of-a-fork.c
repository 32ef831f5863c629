// A signal handler interrupts its thread in a fork, between libtprt's own atfork functions, and forks again. If this
// fails, no attach is possible any more in one of the processes, or an attach there waits forever, or a thread can
// no longer be cancelled.
//
// The library `early` is initialised before libtprt. So its atfork functions run between libtprt's, and raise the signal
// there. The C library permits that only in a program with one thread.
//
// RUN: %clang -O2 -fPIC -shared -DEARLY %s -o %t.early.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -Wl,--no-as-needed %t.early.so -o %t
// RUN: %t | FileCheck %s
//
// CHECK: before the fork: 4 right, 0 failed
// CHECK-NEXT: in the parent: 3 right, 0 failed
// CHECK-NEXT: in the child: 3 right, 0 failed
#include <pthread.h>
#include <signal.h>
#ifdef EARLY
int raiseAt;
static void step(int at) {
  if (raiseAt != at)
    return;
  raiseAt = 0;
  raise(SIGUSR1);
}
static void before(void) { step(1); }
static void inParent(void) { step(2); }
static void inChild(void) { step(3); }
__attribute__((constructor)) static void start(void) { pthread_atfork(before, inParent, inChild); }
#else
#include "../Inputs/harness.h"
#include <sys/mman.h>

extern int raiseAt;
static struct {
  int right, failed;
} *processes;

__attribute__((tp_never)) static void onSignal(int number) {
  (void)number;
  fork();
}

__attribute__((noinline)) int f(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

NO_SLEDS int isRight(void) {
  alarm(20);
  tprt_probe *probe = attachCounter("f");
  int state = -1, right = f(1) == 2 && tprt_probe_count(probe) == 1;
  right &= tprt_probe_detach(probe, -1) == TPRT_STATUS_OK;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  return right && state == PTHREAD_CANCEL_ENABLE;
}

__attribute__((tp_never)) int main(void) {
  const char *const kMoments[] = {"", "before the fork", "in the parent", "in the child"};
  setvbuf(stdout, NULL, _IOLBF, 0);
  processes = mmap(NULL, sizeof *processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  signal(SIGUSR1, onSignal);
  pid_t self = getpid();
  for (int at = 1; at <= 3; ++at) {
    processes->right = processes->failed = 0;
    int ends[2];
    if (pipe(ends) != 0)
      return 1;
    raiseAt = at;
    fork();
    __atomic_add_fetch(isRight() ? &processes->right : &processes->failed, 1, __ATOMIC_SEQ_CST);
    if (getpid() != self)
      _exit(0);
    close(ends[1]);
    char byte;
    while (read(ends[0], &byte, 1) > 0) // until all processes have ended
      continue;
    printf("%s: %d right, %d failed\n", kMoments[at], processes->right, processes->failed);
  }
}
#endif
