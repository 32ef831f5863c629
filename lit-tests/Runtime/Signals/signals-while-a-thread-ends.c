// A signal handler with a hit interrupts the end of a thread, at each instruction of libtprt (by
// the trap flag). If this fails, two threads share one thread block. A hit of one thread then
// lowers the other's guard, and a detach returns while the handler runs.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -pthread -o %t
// RUN: %t | FileCheck %s
//
// CHECK: some steps, 0 detached too early
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

static tprt_probe *probe;
static int chosen, step, early;
static volatile int inside, leave, isLeft;
static __thread int waits;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  if (waits)
    for (inside = 1; !leave;)
      ;
}
static void *other(void *unused) {
  waits = 1;
  f();
  return unused;
}

// Causes a hit at the chosen instruction of libtprt. After libtprt's last instruction,
// another thread stays in the handler while this thread has a hit and detaches.
static void onTrap(int number, siginfo_t *info, void *pointer) {
  ucontext_t *context = pointer;
  Dl_info place, library;
  dladdr((void *)tprt_version_string, &library);
  int isIn = dladdr((void *)context->uc_mcontext.gregs[REG_RIP], &place) && place.dli_fbase == library.dli_fbase;
  if (isIn && step++ == chosen)
    f();
  if (isIn || !step)
    return;
  context->uc_mcontext.gregs[REG_EFL] &= ~0x100;
  pthread_t thread;
  inside = leave = 0;
  pthread_create(&thread, NULL, other, NULL);
  while (!inside)
    ;
  f();
  tprt_status status = tprt_probe_detach(probe, 2); // which takes these 2 ms, as the handler runs
  early += status == TPRT_STATUS_OK;
  leave = 1;
  pthread_join(thread, NULL);
  if (status != TPRT_STATUS_OK)
    tprt_probe_detach(probe, -1);
}
// A destructor of the thread's data that runs after libtprt's. Because of the hit here, libtprt's
// destructor runs once more, right after this one.
static void beginSteps(void *unused) {
  f();
  __asm__ volatile("pushf\n\torl $0x100, (%%rsp)\n\tpopf" ::: "cc", "memory");
}
static pthread_key_t key;
static void *ending(void *unused) {
  f();
  pthread_setspecific(key, &key);
  return unused;
}

int main() {
  struct sigaction action = {.sa_sigaction = onTrap, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGTRAP, &action, NULL);
  pthread_key_create(&key, beginSteps);
  do {
    probe = attachHandler("f", onHit, NULL);
    step = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, ending, NULL);
    pthread_join(thread, NULL);
  } while (++chosen < step);
  printf("%s steps, %d detached too early\n", chosen > 4 ? "some" : "too few", early);
}
