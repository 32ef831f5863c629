// A `b` from its function to another function is a tail exit without a sled, with all registers that the next
// function may receive. A function that such jumps or a `ret` leave is timed. A `b` that stays in its function
// is not an exit, and a conditional branch to another function cannot be probed. An
// unwinder in a handler at the jump finds the jumping function. If a function consists only of such a jump, the jump
// is its entry, which is counted and redirected.
//
// RUN: %plain_clang -O2 -fpatchable-function-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: aarch64-linux-gnu-gcc -O2 -fpatchable-function-entry=1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 8 entries, 8 tail exits, 0 other events, 8 in jumps(), 0 results wrong
// CHECK-NEXT: 10 calls of jumps() timed, all by tail calls 1
// CHECK-NEXT: stays: 1 of 3 sites refused
// CHECK-NEXT: 10 calls of many() timed, by tail calls 0
// CHECK-NEXT: a jump alone: 1 entries, 1 counted, replaced 1204, 0 results wrong
// CHECK-NEXT: off: the same bytes 1
#include "../Inputs/harness.h"
#include "tprt/duration.h"
#include <string.h>
#include <unwind.h>

__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h) {
  __asm__ volatile("" : "+r"(a));
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
long jumps(long a, long b);
// The target address is also in x9, which no call preserves: before a jump any register may be in use.
__asm__(".text\n.globl jumps, at_jump\n.type jumps, %function\n"
        "jumps: .cfi_startproc\nnop\nmov x9, x0\nmov x2, x9\nmov x3, x1\nmov x4, #5\nmov x5, #6\nmov x6, #7\nmov x7, #8\n"
        "adrp x10, other\nmov x11, #11\nat_jump: b behind\n.cfi_endproc\n.size jumps, .-jumps\n"
        ".type behind, %function\nbehind: .cfi_startproc\nsub x9, x9, x0\nsub x11, x11, #11\nadd x0, x0, x9\nadd x0, x0, x11\n"
        "b many\n.cfi_endproc\n.size behind, .-behind\n.data\nother: .xword 0\n.text\n"
        ".globl thunk\n.type thunk, %function\nthunk: .cfi_startproc\nb many\n.cfi_endproc\n.size thunk, .-thunk\n"
        ".globl stays\n.type stays, %function\n"
        "stays: .cfi_startproc\nnop\nb 2f\n1: sub x0, x0, #1\n2: cbnz x0, 1b\ntbz x1, #0, many\nret\n.cfi_endproc\n"
        ".size stays, .-stays\n");
extern const char at_jump[];
typedef long Many(long, long, long, long, long, long, long, long);
Many thunk;
static Many *original;
static long replace(long a, long b, long c, long d, long e, long f, long g, long h) {
  return 1000 + original(a, b, c, d, e, f, g, h);
}
static int keep(const tprt_site *site, void *data) {
  *(const tprt_site **)data = site;
  return 0;
}

static long wantedOf(long a, long b) { return a + 2 * b + 3 * a + 4 * b + 25 + 36 + 49 + 64; }

static int kinds[4], inJumps;
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *isThere) {
  const char *at = (const char *)_Unwind_GetIP(context);
  *(int *)isThere |= at > (const char *)jumps && at <= at_jump;
  return _URC_NO_REASON;
}
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  int isThere = 0;
  (void)regs, (void)data;
  ++kinds[event->kind];
  if (event->kind != TPRT_KIND_TAIL_EXIT)
    return;
  _Unwind_Backtrace(visit, &isThere);
  inJumps += isThere;
}

static int timed, tails;
static void onCall(const tprt_duration *duration, void *data) {
  (void)data;
  ++timed;
  tails += (duration->flags & TPRT_DURATION_TAIL) != 0;
}

static const char *attachAll(const char *function, tprt_result *result) {
  tprt_selector selector = {.function = function, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &count, &probe, result);
  const char *text = tprt_error_string();
  tprt_probe_detach(probe, -1);
  return text;
}

int main(void) {
  char before[64];
  size_t bytes = (size_t)(at_jump + 4 - (const char *)jumps);
  memcpy(before, (void *)jumps, bytes);
  tprt_selector selector = {.function = "jumps", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = onHit});
  int wrong = 0;
  for (long i = 0; i < 8; ++i)
    wrong += jumps(i, 3 * i) != wantedOf(i, 3 * i);
  printf("%d entries, %d tail exits, %d other events, %d in jumps(), %d results wrong\n", kinds[0], kinds[2], kinds[1] + kinds[3],
         inJumps, wrong);
  tprt_probe_detach(probe, -1);

  tprt_duration_probe *durations = NULL;
  tprt_result result;
  if (tprt_duration_probe_attach(&selector, onCall, NULL, 0, &durations, &result))
    puts(tprt_error_string());
  for (long i = 0; i < 10; ++i)
    jumps(i, i);
  printf("%d calls of jumps() timed, all by tail calls %d\n", timed, tails == timed);
  tprt_duration_probe_detach(durations, -1);

  attachAll("stays", &result);
  printf("stays: %zu of %zu sites refused\n", result.refused, result.matched);
  selector.function = "many";
  timed = tails = 0;
  tprt_duration_probe_attach(&selector, onCall, NULL, 0, &durations, &result);
  for (long i = 0; i < 10; ++i)
    jumps(i, i);
  printf("%d calls of many() timed, by tail calls %d\n", timed, tails);
  tprt_duration_probe_detach(durations, -1);

  selector.function = "thunk";
  memset(kinds, 0, sizeof kinds);
  const tprt_site *site;
  probe = attachSelected(selector, (tprt_action){.handler = onHit});
  tprt_probe *counted = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  wrong = thunk(1, 2, 3, 4, 5, 6, 7, 8) != 204;
  tprt_probe_detach(probe, -1);
  int hits = (int)tprt_probe_count(counted);
  tprt_probe_detach(counted, -1);
  tprt_site_visit(&selector, keep, &site);
  probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replace});
  original = (Many *)tprt_site_original(site);
  long replaced = thunk(1, 2, 3, 4, 5, 6, 7, 8);
  tprt_probe_detach(probe, -1);
  wrong += thunk(1, 2, 3, 4, 5, 6, 7, 8) != 204;
  printf("a jump alone: %d entries, %d counted, replaced %ld, %d results wrong\n", kinds[0], hits, replaced, wrong);
  printf("off: the same bytes %d\n", !memcmp(before, (void *)jumps, bytes));
  return 0;
}
