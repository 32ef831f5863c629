// LLVM's XRay puts its own sleds into functions, and its runtime changes them while the program runs. A probe on
// such bytes could not be detached. The nops after XRay's returns look like padding, but are not.
//
// RUN: clang-22 -O2 -fxray-instrument -fxray-instruction-threshold=1 %s %tprt_flags -o %t
// RUN: env XRAY_OPTIONS="patch_premain=false" %t | FileCheck %s
//
// CHECK: off: entry: an XRay sled is there
// CHECK-NEXT: off: exit: an XRay sled is there
// CHECK-NEXT: on: entry: an XRay sled is there
// CHECK-NEXT: on: exit: an XRay sled is there
// CHECK-NEXT: XRay saw 20 events, 0 wrong results
#include "../Inputs/harness.h"
#include <string.h>

#define SLED __attribute__((noinline, xray_always_instrument))
#define PLAIN __attribute__((noinline, xray_never_instrument))
SLED long sledded(long v) { return v * 3 + 1; }
SLED long sledded_too(long v) { return v * 5 + 1; }
PLAIN long plain(long v) { return v * 7 + 1; }

int __xray_set_handler(void (*handler)(int, int));
int __xray_patch(void);
static volatile int events;
PLAIN void onEvent(int function, int kind) { (void)function, (void)kind, ++events; }

PLAIN static void attachTo(const char *when, unsigned kinds, const char *name) {
  tprt_selector selector = {.function = "sledded*", .module = "*.c.tmp", .kinds = kinds,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED | TPRT_SELECT_TRAPS};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, &result);
  if (result.matched != result.refused || !result.matched)
    printf("%s: %s: %zu of %zu refused\n", when, name, result.refused, result.matched);
  else
    printf("%s: %s: %s\n", when, name, tprt_refusal_string(result.first_refusal));
  tprt_probe_detach(probe, -1);
}

PLAIN int main(int argc, char **argv) {
  // Another process reads the code while XRay's sleds are on.
  int on = argc > 1;
  if (on) {
    __xray_set_handler(onEvent);
    __xray_patch();
  }
  attachTo(on ? "on" : "off", TPRT_KIND_SET_ENTRY, "entry");
  attachTo(on ? "on" : "off", TPRT_KIND_SET_ALL & ~(unsigned)TPRT_KIND_SET_ENTRY, "exit");
  fflush(stdout);
  if (!on) {
    char command[4096];
    snprintf(command, sizeof command, "'%s' on", argv[0]);
    return system(command) != 0;
  }
  tprt_selector all = {.function = "*", .module = "*.c.tmp", .kinds = TPRT_KIND_SET_ALL,
                       .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&all, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
  int wrong = 0;
  events = 0;
  for (long i = 0; i < 5; ++i)
    wrong += sledded(i) != i * 3 + 1 || sledded_too(i) != i * 5 + 1 || plain(i) != i * 7 + 1;
  printf("XRay saw %d events, %d wrong results\n", events, wrong);
  return 0;
}
