// If no stub is within reach of B, each exit needs six further nops before the function, in addition to those of the
// entry. If there are enough nops, returns and jumps to other functions are probed while threads run them, and results
// and arguments stay right. An exit without nops is refused, and so is a jump through x16, which the veneer would
// overwrite. Exits in separate parts of a function are reached as well.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -I %S/Inputs -O2 -fPIC -shared -nostdlib -funwind-tables -fplugin-arg-tp-entry=19,18 -fplugin-arg-tp-exit lib.c %use_lld @%S/Inputs/far-apart.places -o lib.so
// RUN: %clang -I %S/Inputs -O2 -fPIC -shared -nostdlib -funwind-tables -mbranch-protection=standard -fplugin-arg-tp-entry=20,18 -fplugin-arg-tp-exit lib.c %use_lld @%S/Inputs/far-apart.places -o guarded.so
// RUN: %plain_clang -O2 -pthread -I %S/../Inputs -I %S/Inputs main.c %tprt_flags -o main
// RUN: ./main lib.so | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: ./main guarded.so | FileCheck %s --check-prefixes=CHECK,BTI
//
// CHECK: mix: 1 exit on, 0 refused
// CHECK-NEXT: mix returns 6.5, the hit saw 6.5
// CHECK-NEXT: off: 0 hits, on again: 1 hit
// CHECK-NEXT: leaves: 1 exit on, 0 refused
// CHECK-NEXT: leaves: 24, 1 hit, its argument 8
// CHECK-NEXT: branches: 2 exits on, 1 refused: no memory for a stub within reach
// FREE-NEXT: viaPointer: 1 exit on, 0 refused
// BTI-NEXT: viaPointer: 0 exits on, 1 refused: no memory for a stub within reach
// CHECK-NEXT: counted 3 returns of factorial, and 3 entries
// CHECK-NEXT: threads: 0 wrong results, some hits: yes
// CHECK-NEXT: the last detach: it was done
//--- lib.c
#define UNPROBED __attribute__((tp_never, used, noinline))
#include "far-apart.h"
#define UNKNOWN(x) __asm__ volatile("" : "+r"(x))
UNPROBED __attribute__((section(".probed"))) static int thrice(int x) {
  UNKNOWN(x);
  return 3 * x;
}
UNPROBED __attribute__((section(".probed"))) static int other(int x) {
  UNKNOWN(x);
  return x - 1;
}
PROBED double mix(int a, long b, double c) { return (double)a + (double)b + c; }
PROBED int leaves(int x) { return thrice(x + 1); }
PROBED int branches(int x) {
  UNKNOWN(x);
  if (x == 1)
    return thrice(7);
  if (x == 2)
    return other(x);
  return x;
}
PROBED int viaPointer(int (*function)(int), int x) { return function(x + 1); }
PROBED long factorial(long n) {
  long rest = n < 2 ? 1 : factorial(n - 1);
  UNKNOWN(rest);
  return n * rest;
}
//--- main.c
#include "harness.h"
#include "among-threads.h"
#include <dlfcn.h>
#include <string.h>

static double (*mix)(int, long, double);
static int (*leaves)(int), (*branches)(int), (*viaPointer)(int (*)(int), int);
static long (*factorial)(long);
static int hits;
static double seen;
static long argument;

static int addFive(int x) { return x + 5; }
static void onMix(const tprt_event *event, const tprt_regs *regs, void *data) {
  memcpy(&seen, tprt_regs_vectors(event, regs), sizeof seen);
}
static void onLeaves(const tprt_event *event, const tprt_regs *regs, void *data) {
  ++hits;
  argument = (int)regs->x[0];
}
static int run(void) {
  int bad = mix(1, 2, 3.5) != 6.5 || leaves(7) != 24 || branches(1) != 21 || branches(2) != 1 || branches(3) != 3 ||
            viaPointer(addFive, 3) != 9 || factorial(5) != 120;
  return bad;
}
static tprt_result result;
static tprt_probe *take(const char *name, unsigned kinds, tprt_action action) {
  tprt_selector selector = {.function = name, .kinds = kinds};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, &result);
  return probe;
}
static tprt_probe *exits(const char *name, tprt_action action) {
  tprt_probe *probe = take(name, TPRT_KIND_SET_EXIT, action);
  printf("%s: %zu exit%s on, %zu refused%s%s\n", name, result.enabled, result.enabled == 1 ? "" : "s", result.refused,
         result.refused ? ": " : "", result.refused ? tprt_refusal_string(result.first_refusal) : "");
  return probe;
}
static tprt_probe *takeAll(tprt_action action) { return take("*", TPRT_KIND_SET_ALL, action); }

int main(int argc, char **argv) {
  char path[256];
  snprintf(path, sizeof path, "./%s", argv[1]);
  void *handle = dlopen(path, RTLD_NOW);
  mix = (double (*)(int, long, double))dlsym(handle, "mix");
  leaves = (int (*)(int))dlsym(handle, "leaves");
  branches = (int (*)(int))dlsym(handle, "branches");
  viaPointer = (int (*)(int (*)(int), int))dlsym(handle, "viaPointer");
  factorial = (long (*)(long))dlsym(handle, "factorial");

  tprt_probe *probe = exits("mix", (tprt_action){.handler = onMix});
  double sum = mix(1, 2, 3.5);
  printf("mix returns %.1f, the hit saw %.1f\n", sum, seen);
  tprt_probe_detach(probe, -1);
  mix(1, 2, 3.5);
  printf("off: %d hits, ", hits);
  probe = take("mix", TPRT_KIND_SET_EXIT, (tprt_action){.handler = countHit, .data = &hits});
  mix(1, 2, 3.5);
  printf("on again: %d hit\n", hits);
  tprt_probe_detach(probe, -1);

  hits = 0;
  probe = exits("leaves", (tprt_action){.handler = onLeaves});
  int left = leaves(7);
  printf("leaves: %d, %d hit, its argument %ld\n", left, hits, argument);
  tprt_probe_detach(probe, -1);
  tprt_probe_detach(exits("branches", (tprt_action){.handler = onLeaves}), -1);
  probe = exits("viaPointer", (tprt_action){.handler = onLeaves});
  if (probe)
    tprt_probe_detach(probe, -1);

  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  probe = take("factorial", TPRT_KIND_SET_EXIT, count);
  tprt_probe *entered = take("factorial", TPRT_KIND_SET_ENTRY, count);
  factorial(3);
  printf("counted %d returns of factorial, and %d entries\n", (int)tprt_probe_count(probe), (int)tprt_probe_count(entered));
  tprt_probe_detach(probe, -1);
  tprt_probe_detach(entered, -1);

  toggleBesideThreads(run, takeAll);
  probe = takeAll((tprt_action){.handler = onThread});
  printf("the last detach: %s\n", tprt_status_string(tprt_probe_detach(probe, -1)));
}
