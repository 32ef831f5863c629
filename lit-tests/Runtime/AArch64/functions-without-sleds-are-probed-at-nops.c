// Functions without sleds are probed at their entries and returns: at a nop, or `bti c` and a nop, as GCC and clang make
// with -fpatchable-function-entry, and at any other instruction, whose page is exchanged. GCC begins a function's unwind
// entry after its nops. Handlers see the arguments, the call and the result, calls are counted and redirected, and the
// bytes are restored.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %plain_clang -O2 -fpatchable-function-entry=1 %s %tprt_flags -o clang && ./clang | FileCheck %s
// RUN: %plain_clang -O2 -fpatchable-function-entry=3 -mbranch-protection=standard %s %tprt_flags -o bti && ./bti | FileCheck %s
// RUN: aarch64-linux-gnu-gcc -O2 -fpatchable-function-entry=2 %s %tprt_flags -o gcc && ./gcc | FileCheck %s
// RUN: aarch64-linux-gnu-gcc -O2 -fpatchable-function-entry=2 -mbranch-protection=standard %s %tprt_flags -o gccbti && ./gccbti | FileCheck %s
// RUN: %plain_clang -O2 %s %tprt_flags -o plain && ./plain | FileCheck %s
// With -fipa-ra, the caller expects that add() changes no other registers; a replacement may not keep to that.
// RUN: aarch64-linux-gnu-gcc -O2 -fno-ipa-ra -mbranch-protection=standard %s %tprt_flags -o gccplain && ./gccplain | FileCheck %s
//
// CHECK: called: 10 hits, arguments 45 and 90, 10 backtraces reach main, 0 results wrong
// CHECK-NEXT: counted: 10, 0 results wrong
// CHECK-NEXT: redirected: 10 results of the replacement, 10 of the original, counted 20
// CHECK-NEXT: returned: 10 hits, results 135, 10 backtraces reach main, 0 results wrong
// CHECK-NEXT: off: the same bytes 1, 0 results wrong
#include "../Inputs/harness.h"
#include <string.h>
#include <unwind.h>

__attribute__((noinline)) long add(long a, long b) {
  __asm__ volatile("" : "+r"(a));
  return a + b;
}

static int results(long extra) {
  int wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += add(i, 2 * i) != 3 * i + extra;
  return wrong;
}

static char *begin, *end; // of main(), as far as hits are concerned
static int hits, reached;
static long sums[2];

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *isThere) {
  char *at = (char *)_Unwind_GetIP(context);
  *(int *)isThere |= at > begin && at <= end;
  return _URC_NO_REASON;
}

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  int isThere = 0;
  (void)event, (void)data;
  ++hits;
  sums[0] += (long)tprt_regs_argument(regs, 0);
  sums[1] += (long)tprt_regs_argument(regs, 1);
  _Unwind_Backtrace(visit, &isThere);
  reached += isThere;
}

static const void *original;
static long replace(long a, long b) {
  typedef long Function(long, long);
  return ((Function *)original)(a, b) + 1000;
}

static int keep(const tprt_site *site, void *data) {
  *(const tprt_site **)data = site;
  return 0;
}

int main(void) {
  char before[12];
  memcpy(before, (void *)add, sizeof before);
  begin = &&first, end = &&last;
first:;
  tprt_selector selector = {.function = "add", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe = attachSelected(selector, action);
  int wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += add(i, 2 * i) != 3 * i;
  printf("called: %d hits, arguments %ld and %ld, %d backtraces reach main, %d results wrong\n", hits, sums[0], sums[1], reached, wrong);
  tprt_probe_detach(probe, -1);

  tprt_probe *counted = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  wrong = results(0);
  printf("counted: %d, %d results wrong\n", (int)tprt_probe_count(counted), wrong);

  const tprt_site *site;
  tprt_site_visit(&selector, keep, &site);
  probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replace});
  original = tprt_site_original(site);
  int replaced = 10 - results(1000);
  tprt_probe_detach(probe, -1);
  int kept = 10 - results(0);
  // A replacement's call of the original does not count.
  printf("redirected: %d results of the replacement, %d of the original, counted %d\n", replaced, kept,
         (int)tprt_probe_count(counted) - 10);
  tprt_probe_detach(counted, -1);

  hits = reached = 0, sums[0] = 0;
  selector.kinds = TPRT_KIND_SET_EXIT;
  probe = attachSelected(selector, action);
  wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += add(i, 2 * i) != 3 * i;
  printf("returned: %d hits, results %ld, %d backtraces reach main, %d results wrong\n", hits, sums[0], reached, wrong);
  tprt_probe_detach(probe, -1);
  wrong = results(0);
last:
  printf("off: the same bytes %d, %d results wrong\n", !memcmp(before, (void *)add, sizeof before), wrong);
  return 0;
}
