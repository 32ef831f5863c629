// A program that calls a probed function through another; the includer's onHit
// looks at the stack.
#include "tprt/tprt.h"
#include <stdio.h>

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data);
__attribute__((noinline)) int traced(int x) { return x * 2; }
__attribute__((noinline)) int caller(int x) { return traced(x) + 1; }

int main() {
  tprt_selector selector = {.function = "traced"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    return puts(tprt_last_error()), 1;
  return caller(1) != 3;
}
