// A signal handler interrupts libtprt's work inside a hit, and leaves by siglongjmp, or by switching to
// another context. The thread's later hits must call the handler as before. libtprt marks the thread as
// inside a hit, because libtprt may call probed functions itself. That mark must be removed.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: after siglongjmp: held
// CHECK-NEXT: after setcontext: held
#include "../Inputs/harness.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

enum { JUMPS = 500, CALLS = 1000 };

static sigjmp_buf back;
static ucontext_t outer;
static volatile int hits, armed, jumps;
static volatile long turns;
static int byContext;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  ++hits;
}

__attribute__((noinline)) void work(void) { ++turns; }

static void onAlarm(int signal) {
  (void)signal;
  if (!armed)
    return;
  armed = 0;
  if (byContext)
    setcontext(&outer);
  siglongjmp(back, 1);
}

// Whether all hits call the handler. No signal comes meanwhile.
static int checkHits(void) {
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  hits = 0;
  for (int i = 0; i < CALLS; ++i)
    work();
  sigprocmask(SIG_SETMASK, &old, NULL);
  if (hits != CALLS)
    printf("after %d jumps: %d hits of %d\n", jumps, hits, CALLS);
  return hits == CALLS;
}

__attribute__((noinline)) static int jumpOften(void) {
  jumps = 0;
  if (byContext)
    getcontext(&outer);
  else
    sigsetjmp(back, 1);
  if (jumps && !checkHits())
    return 0;
  if (jumps++ == JUMPS)
    return 1;
  armed = 1;
  for (;;)
    work();
}

int main(void) {
  tprt_selector selector = {.function = "work", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/hits-left-by*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_CALL, .handler = onHit});
  signal(SIGPROF, onAlarm);
  struct itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_PROF, &often, NULL);
  int held = jumpOften();
  printf("after siglongjmp: %s\n", held ? "held" : "lost");
  byContext = 1;
  held = jumpOften();
  printf("after setcontext: %s\n", held ? "held" : "lost");
  return 0;
}
