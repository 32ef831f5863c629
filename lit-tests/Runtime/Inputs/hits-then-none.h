// Attaches to f, calls it, detaches, and calls it again. Prints the hits of both calls. They show
// that code was written in spite of the including test's restrictions.
#include "tprt/tprt.h"
#include <stdio.h>

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

static int hitsThenNone(void) {
  tprt_selector selector = {.function = "f"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  f();
  printf("%s, %d hit, ", tprt_status_string(status), hits);
  if (!probe)
    return puts(tprt_error_string()), 1;
  tprt_probe_detach(probe, -1);
  f();
  printf("then %d\n", hits);
  return 0;
}
