// Attaches to the function answer, prints why the attach was refused, and calls the function.
#include "tprt/tprt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int onHit_called;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++onHit_called; }

static void attachAndCall(int (*answer)(int)) {
  tprt_selector selector = {.function = "answer"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s: %s\n", tprt_status_string(status), tprt_refusal_string(result.first_refusal));
  printf("%d, %d hits\n", answer(6), onHit_called);
}
