// The library's functions are in the middle of 320 MiB of used address space, and the
// instruction B reaches 128 MiB. Six nops before a function are room for a veneer, so its
// entry is probed all the same, while threads run it: with registers, by redirection, with
// unwinding, and under BTI. Exits need their own nops; without them, they are refused with
// the remedy.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -I %S/Inputs -O2 -fPIC -shared -funwind-tables -fplugin-arg-tp-entry=7,6 -fplugin-arg-tp-exit -fplugin-arg-tp-opaque %t/lib.c %use_lld @%S/Inputs/far-apart.places -o %t/lib.so
// RUN: %clang -I %S/Inputs -O2 -fPIC -shared -nostdlib -funwind-tables -mbranch-protection=bti -fplugin-arg-tp-entry=8,6 -fplugin-arg-tp-exit -fplugin-arg-tp-opaque %t/lib.c %use_lld @%S/Inputs/far-apart.places -o %t/guarded.so
// RUN: %plain_clang -O2 -pthread -funwind-tables -I %S/../Inputs -I %S/Inputs %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
// RUN: %t/main %t/guarded.so | FileCheck %s
//
// CHECK: exits: every matching site was refused
// CHECK-NEXT: no memory for a stub within reach of the sled; build with six nops before the function for its entry, -ftp-entry=7,6, and with six more for each exit
// CHECK-NEXT: mix 1 2 3.5 4.5: sum 11, unwinding finds it: yes
// CHECK-NEXT: 1 hit, 0 refused
// CHECK-NEXT: a hit begins at the function itself: yes
// CHECK-NEXT: detached, 0 hits
// CHECK-NEXT: attached again, 1 hit
// CHECK-NEXT: redirected: 7 became 1007
// CHECK-NEXT: threads: 0 wrong results, some hits: yes
// CHECK-NEXT: 6 functions counted 6
// CHECK-NEXT: the last detach: it was done
//--- lib.c
#define UNPROBED __attribute__((tp_never, used))
#include "far-apart.h"
struct large {
  long values[8];
};
PROBED double mix(int a, long b, double c, float d) { return (double)a + (double)b + c + (double)d; }
PROBED struct large fill(long first) {
  struct large result;
  for (int i = 0; i < 8; ++i)
    result.values[i] = first + i;
  return result;
}
PROBED int identity(int x) { return x; }
PROBED long factorial(long n) { return n < 2 ? 1 : n * factorial(n - 1); }
PROBED int viaPointer(int (*function)(int), int x) { return function(x) + 1; }
PROBED int last(int x) { return 3 * x; }
//--- main.c
#include "harness.h"
#include "among-threads.h"
#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

struct large {
  long values[8];
};
static double (*mix)(int, long, double, float);
static struct large (*fill)(long);
static int (*identity)(int), (*viaPointer)(int (*)(int), int), (*last)(int);
static long (*factorial)(long);
static int hits;

/* Unwinders of some C libraries find no table of a library with such holes,
 * so the test checks only the function's own frame: its pc is after the sled. */
static _Unwind_Reason_Code onFrame(struct _Unwind_Context *context, void *found) {
  uintptr_t inside = _Unwind_GetIP(context) - (uintptr_t)mix;
  *(int *)found |= inside == 4 || inside == 8;
  return _URC_NO_REASON;
}
static void onMix(const tprt_event *event, const tprt_regs *regs, void *data) {
  int found = 0;
  ++hits;
  const char *vectors = tprt_regs_vectors(event, regs);
  double d;
  float f;
  memcpy(&d, vectors, sizeof d);
  memcpy(&f, vectors + 16, sizeof f);
  _Unwind_Backtrace(onFrame, &found);
  printf("mix %d %ld %.1f %.1f: ", (int)regs->x[0], (long)regs->x[1], d, (double)f);
  fflush(stdout);
  *(int *)data = found;
}
static const tprt_site *redirected;
static int keep(const tprt_site *site, void *data) { return redirected = site, 0; }
static int thousandMore(int x) {
  int (*original)(int) = (int (*)(int))tprt_site_original(redirected);
  return original(x) + 1000;
}
static int run(void) {
  struct large l = fill(5);
  int bad = mix(1, 2, 3.5, 4.5f) != 11 || l.values[0] != 5 || l.values[7] != 12 || identity(9) != 9 ||
            factorial(5) != 120 || viaPointer(identity, 3) != 4 || last(5) != 15;
  return bad;
}
static tprt_selector all = {.kinds = TPRT_KIND_SET_ENTRY};
static tprt_probe *takeAll(tprt_action action) {
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&all, &action, &probe, &result);
  if (result.refused)
    puts(tprt_refusal_string(result.first_refusal));
  return probe;
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  all.module = strrchr(argv[1], '/') + 1;
  mix = (double (*)(int, long, double, float))dlsym(library, "mix");
  fill = (struct large (*)(long))dlsym(library, "fill");
  identity = (int (*)(int))dlsym(library, "identity");
  viaPointer = (int (*)(int (*)(int), int))dlsym(library, "viaPointer");
  last = (int (*)(int))dlsym(library, "last");
  factorial = (long (*)(long))dlsym(library, "factorial");

  tprt_selector exits = {.function = "mix", .kinds = TPRT_KIND_SET_EXIT}, entries = {.function = "mix", .kinds = TPRT_KIND_SET_ENTRY};
  tprt_result result;
  tprt_probe *probe = NULL;
  int found = 0;
  tprt_action call = {.handler = onMix, .data = &found};
  printf("exits: %s\n", tprt_status_string(tprt_probe_attach(&exits, &call, &probe, &result)));
  puts(tprt_refusal_string(result.first_refusal));

  tprt_probe_attach(&entries, &call, &probe, &result);
  double sum = mix(1, 2, 3.5, 4.5f);
  printf("sum %.0f, unwinding finds it: %s\n", sum, found ? "yes" : "no");
  printf("%d hit, %zu refused\n", hits, result.refused);
  // At the veneer's first word, a signal handler would see the sled's address.
  const char *home = tprt_address_original((const char *)(uintptr_t)mix - 24);
  printf("a hit begins at the function itself: %s\n", home >= (const char *)(uintptr_t)mix && home <= (const char *)(uintptr_t)mix + 4 ? "yes" : "no");
  tprt_probe_detach(probe, -1);
  hits = 0;
  mix(1, 2, 3.5, 4.5f);
  printf("detached, %d hits\n", hits);
  call = (tprt_action){.handler = countHit, .data = &hits};
  tprt_probe_attach(&entries, &call, &probe, &result);
  mix(1, 2, 3.5, 4.5f);
  printf("attached again, %d hit\n", hits);
  tprt_probe_detach(probe, -1);

  tprt_selector one = {.function = "identity", .kinds = TPRT_KIND_SET_ENTRY};
  tprt_action replace = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)thousandMore};
  tprt_site_visit(&one, keep, NULL);
  if (tprt_probe_attach(&one, &replace, &probe, &result) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  printf("redirected: 7 became %d\n", identity(7));
  tprt_probe_detach(probe, -1);

  toggleBesideThreads(run, takeAll);

  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe_attach(&all, &count, &probe, &result);
  mix(1, 2, 3.5, 4.5f), fill(1), identity(1), factorial(1), viaPointer(last, 1);
  printf("%zu functions counted %lu\n", result.enabled, (unsigned long)tprt_probe_count(probe));
  printf("the last detach: %s\n", tprt_status_string(tprt_probe_detach(probe, -1)));
}
