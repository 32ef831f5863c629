// A probed recursive function runs into the stack's guard page, wherever it is:
// in the function, the trampoline or the handler. The program's SIGSEGV handler, which is
// probed and runs on a small alternate stack, gets the signal and recovers. Afterwards
// hits are delivered and detach returns.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 200 overflows, 200 on the alternate stack, then 1 hit, detach: it was done
#include "tprt/tprt.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sigjmp_buf back;
static int overflows, onAlternate, hits;
static char *alternate;
static size_t alternateBytes;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void recover(void *here) {
  onAlternate += (size_t)((char *)here - alternate) < alternateBytes;
  siglongjmp(back, 1);
}
static void onFault(int number) {
  char here;
  recover(&here);
}
__attribute__((noinline)) int dive(int depth, int bytes) {
  volatile char room[bytes]; // a different distance to the guard page each time
  room[0] = (char)depth;
  return dive(depth + 1, bytes) + room[0];
}
static void *run(void *unused) {
  // Room for a signal frame, our frame with all vector state, and little else.
  alternateBytes = (size_t)sysconf(_SC_MINSIGSTKSZ) * 2 + 4096;
  alternate = malloc(alternateBytes);
  stack_t stack = {.ss_sp = alternate, .ss_size = alternateBytes};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = onFault, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  for (; overflows < 200; ++overflows)
    if (!sigsetjmp(back, 1))
      dive(0, 16 + 8 * overflows);
  hits = 0; // the last overflow may have left a handler
  if (!sigsetjmp(back, 1))
    recover(&stack);
  return NULL;
}
int main() {
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(NULL, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_error_string()), 1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  pthread_join(thread, NULL);
  printf("%d overflows, %d on the alternate stack, then %d hit, detach: %s\n", overflows, onAlternate, hits,
         tprt_status_string(tprt_probe_detach(probe, 2000)));
}
