// Functions without sleds in the middle of 320 MiB of used address space, where no stub is within reach of B. Their entries
// are probed all the same if the compiler left six nops in front of them, also those that begin with a jump: with registers
// and unwinding, counted, redirected, while threads run them, and under BTI. The same holds for GCC's functions, whose
// unwind entries begin after the nops. A function is refused if it has fewer nops, or if the code before the nops runs into
// them. A jump that leaves its function is refused as well.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %plain_clang -I %S/Inputs -O2 -fPIC -c -funwind-tables -fpatchable-function-entry=7,6 lib.c -o clang.o
// RUN: %plain_clang -I %S/Inputs -O2 -fPIC -c -funwind-tables -fpatchable-function-entry=10,8 -mbranch-protection=bti lib.c -o bti.o
// RUN: aarch64-linux-gnu-gcc -I %S/Inputs -O2 -fPIC -c -funwind-tables -fpatchable-function-entry=8,6 lib.c -o gcc.o
// RUN: %plain_clang -shared -nostdlib clang.o %use_lld @%S/Inputs/far-apart.places -o clang.so
// RUN: %plain_clang -shared -nostdlib bti.o %use_lld @%S/Inputs/far-apart.places -o bti.so
// RUN: %plain_clang -shared -nostdlib gcc.o %use_lld @%S/Inputs/far-apart.places -o gcc.so
// RUN: %plain_clang -O2 -pthread -funwind-tables -I %S/../Inputs -I %S/Inputs main.c %tprt_flags -o main
// RUN: ./main clang.so | FileCheck %s
// RUN: ./main bti.so | FileCheck %s
// RUN: ./main gcc.so | FileCheck %s
//
// CHECK: few: no memory for a stub within reach
// CHECK-NEXT: reached: no memory for a stub within reach
// CHECK-NEXT: a jump that leaves: no memory for a stub within reach
// CHECK-NEXT: mix 1 2 3.5: sum 6.5, unwinding finds it: yes
// CHECK-NEXT: the sled's branch leads to a veneer: yes, a hit begins at the function itself: yes
// CHECK-NEXT: detached: 0 hits, the same bytes: yes
// CHECK-NEXT: attached again: 1 hit
// CHECK-NEXT: changed: identity(7) is 8
// CHECK-NEXT: redirected: 7 became 1007
// CHECK-NEXT: threads: 0 wrong results, some hits: yes
// CHECK-NEXT: 5 functions counted 5
// CHECK-NEXT: the last detach: it was done
//--- lib.c
#define UNPROBED __attribute__((used, patchable_function_entry(0, 0)))
#include "far-apart.h"
struct large {
  long values[8];
};
PROBED double mix(int a, long b, double c) { return (double)a + (double)b + c; }
PROBED struct large fill(long first) {
  struct large result;
  for (int i = 0; i < 8; ++i)
    result.values[i] = first + i;
  return result;
}
PROBED int identity(int x) { return x; }
PROBED long factorial(long n) {
  __asm__ volatile("");
  return n < 2 ? 1 : n * factorial(n - 1);
}
__attribute__((patchable_function_entry(6, 5))) PROBED int few(int x) { return 3 * x; }
/* Code that runs into the six nops before a function. */
__asm__(".pushsection .probed,\"ax\",%progbits\n\t.globl runsOn\n\t.type runsOn,%function\nrunsOn: add w0, w0, #1\n\t"
        ".rept 6\n\tnop\n\t.endr\n\t.globl reached\n\t.type reached,%function\nreached: .cfi_startproc\n\t"
        "nop\n\tret\n\t.cfi_endproc\n\t.size reached, .-reached\n\t.popsection");
extern int elsewhere(int);
PROBED int leaves(int x) { return elsewhere(x + 1); }
/* The function's first instruction is a jump. */
extern int other(int);
__attribute__((patchable_function_entry(6, 6))) PROBED int jumps(int x) { return other(x); }
UNPROBED PROBED int elsewhere(int x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}
UNPROBED PROBED int other(int x) {
  __asm__ volatile("" : "+r"(x));
  return x + 2;
}
//--- main.c
#include "harness.h"
#include "among-threads.h"
#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

struct large {
  long values[8];
};
static double (*mix)(int, long, double);
static struct large (*fill)(long);
static int (*identity)(int);
static long (*factorial)(long);
static int (*jumps)(int);
static int hits;

/* Unwinders of some C libraries find no table of a library with such holes,
 * so the test checks only the function's own frame: its pc is after its nops. */
static _Unwind_Reason_Code onFrame(struct _Unwind_Context *context, void *found) {
  uintptr_t inside = _Unwind_GetIP(context) - (uintptr_t)mix;
  *(int *)found |= inside >= 4 && inside <= 12;
  return _URC_NO_REASON;
}
static void onMix(const tprt_event *event, const tprt_regs *regs, void *data) {
  double d;
  ++hits;
  memcpy(&d, tprt_regs_vectors(event, regs), sizeof d);
  _Unwind_Backtrace(onFrame, data);
  printf("mix %d %ld %.1f: ", (int)regs->x[0], (long)regs->x[1], d);
}
static void oneMore(const tprt_event *event, const tprt_regs *regs, void *data) { ++((tprt_regs *)regs)->x[0]; }
static const tprt_site *redirected;
static int keep(const tprt_site *site, void *data) { return redirected = site, 0; }
static int thousandMore(int x) {
  int (*original)(int) = (int (*)(int))tprt_site_original(redirected);
  return original(x) + 1000;
}
static int run(void) {
  struct large l = fill(5);
  int bad = mix(1, 2, 3.5) != 6.5 || l.values[0] != 5 || l.values[7] != 12 || identity(9) != 9 || factorial(5) != 120 || jumps(4) != 6;
  return bad;
}
static const char *library;
static tprt_result result;
static tprt_probe *take(const char *name, unsigned kinds, tprt_action action) {
  char pattern[64];
  snprintf(pattern, sizeof pattern, "%s!%s", library, name);
  tprt_selector selector = {.function = pattern, .kinds = kinds, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, &result);
  return probe;
}
static void refused(const char *what, const char *name, unsigned kinds) {
  take(name, kinds, (tprt_action){.handler = onThread});
  printf("%s: %s\n", what, tprt_refusal_string(result.first_refusal));
}
static tprt_probe *takeAll(tprt_action action) { return take("*", TPRT_KIND_SET_ENTRY, action); }

int main(int argc, char **argv) {
  char path[256];
  library = argv[1];
  snprintf(path, sizeof path, "./%s", library);
  void *handle = dlopen(path, RTLD_NOW);
  mix = (double (*)(int, long, double))dlsym(handle, "mix");
  fill = (struct large (*)(long))dlsym(handle, "fill");
  identity = (int (*)(int))dlsym(handle, "identity");
  factorial = (long (*)(long))dlsym(handle, "factorial");
  jumps = (int (*)(int))dlsym(handle, "jumps");

  refused("few", "few", TPRT_KIND_SET_ENTRY);
  refused("reached", "reached", TPRT_KIND_SET_ENTRY);
  refused("a jump that leaves", "leaves", TPRT_KIND_SET_EXIT);

  char before[64], *words = (char *)(uintptr_t)mix;
  memcpy(before, words, sizeof before);
  int found = 0;
  tprt_probe *probe = take("mix", TPRT_KIND_SET_ENTRY, (tprt_action){.handler = onMix, .data = &found});
  double sum = mix(1, 2, 3.5);
  printf("sum %.1f, unwinding finds it: %s\n", sum, found ? "yes" : "no");
  uint32_t first, load;
  memcpy(&first, words, sizeof first);
  int pad = first == 0xd503245f; // bti c
  memcpy(&first, words + 4 * pad, sizeof first);
  memcpy(&load, words - 24, sizeof load);
  const char *home = tprt_address_original(words - 24);
  printf("the sled's branch leads to a veneer: %s, a hit begins at the function itself: %s\n",
         load == 0x58000050 && first == (0x14000000 | (0x3ffffff & (uint32_t)(-6 - pad))) ? "yes" : "no",
         home == words + 4 * pad ? "yes" : "no");
  tprt_probe_detach(probe, -1);
  hits = 0;
  mix(1, 2, 3.5);
  printf("detached: %d hits, the same bytes: %s\n", hits, memcmp(before, words, sizeof before) ? "no" : "yes");
  probe = take("mix", TPRT_KIND_SET_ENTRY, (tprt_action){.handler = countHit, .data = &hits});
  mix(1, 2, 3.5);
  printf("attached again: %d hit\n", hits);
  tprt_probe_detach(probe, -1);

  probe = take("identity", TPRT_KIND_SET_ENTRY, (tprt_action){.handler = oneMore, .flags = TPRT_HANDLER_CHANGES_REGS});
  printf("changed: identity(7) is %d\n", identity(7));
  tprt_probe_detach(probe, -1);
  char pattern[64];
  snprintf(pattern, sizeof pattern, "%s!identity", library);
  tprt_selector one = {.function = pattern, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_site_visit(&one, keep, NULL);
  probe = take("identity", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)thousandMore});
  printf("redirected: 7 became %d\n", identity(7));
  tprt_probe_detach(probe, -1);

  toggleBesideThreads(run, takeAll);

  probe = take("*", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_COUNT});
  mix(1, 2, 3.5), fill(1), identity(1), factorial(1), jumps(1);
  printf("%d functions counted %lu\n", 5, (unsigned long)tprt_probe_count(probe));
  printf("the last detach: %s\n", tprt_status_string(tprt_probe_detach(probe, -1)));
}
