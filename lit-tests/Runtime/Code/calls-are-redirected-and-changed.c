// For each form of jump, a replacement runs instead of the function, with all arguments and the caller's stack. The
// replacement is tested alone, together with a counter and a handler, and inside another handler. The original
// function can be called. Handlers change arguments at entries and results at returns. After the detach everything is
// as before.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: redirected: 169 of 169 calls right
// CHECK-NEXT: with a counter and a handler: 169 of 169 right, 169 counted, 169 handled
// CHECK-NEXT: many arguments: 36, from the replacement 136
// CHECK-NEXT: variadic: 6.50
// CHECK-NEXT: the original in a replacement: 1042
// CHECK-NEXT: in another handler: 1008
// CHECK-NEXT: arguments changed: 169 of 169, results changed: 169 of 169
// CHECK-NEXT: a return is not redirected: {{.*}}refused
// CHECK-NEXT: off: 169 of 169 right
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <stdarg.h>

static const char *names[] = {"jump", "hop", "hop_odd", "pun", "short_hop", "short_pun", "landing_pad", "branch", "relative", "tail", "behind_push", "behind_pushes", "behind_frame"};
enum { COUNT = sizeof names / sizeof *names, CALLS = 13 };
static const tprt_site *calledSite, *hopSite;
static volatile long other;

static long plusThousand(long value) { return value + 1000; }

// Calls every function; `added` is the number that each function must add.
static int callAll(long added) {
  long (*const functions[])(long) = {jump, hop, hop_odd, pun, short_hop, short_pun, landing_pad, call_branch, relative, tail, behind_push, behind_pushes, behind_frame};
  int right = 0;
  for (int i = 0; i < COUNT; ++i)
    for (long value = 1; value <= CALLS; ++value)
      right += functions[i](value) == value + added;
  return right;
}

static tprt_probe *attachTo(const char *name, uint32_t kinds, tprt_action action) {
  tprt_selector selector = {.function = name, .kinds = kinds, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED,
                            .module = "*/calls-are-redirected*"};
  return attachSelected(selector, action);
}
static void attachAll(tprt_probe **probes, uint32_t kinds, tprt_action action) {
  for (int i = 0; i < COUNT; ++i)
    probes[i] = attachTo(names[i], kinds, action);
}
static void detachAll(tprt_probe **probes) {
  for (int i = 0; i < COUNT; ++i)
    if (tprt_probe_detach(probes[i], -1) != TPRT_STATUS_OK)
      puts(tprt_error_string());
}

__attribute__((noipa)) long sum(long a, long b, long c, long d, long e, long f, long g, long h) {
  return a + b + c + d + e + f + g + h;
}
static long sumMore(long a, long b, long c, long d, long e, long f, long g, long h) {
  return 100 + a + b + c + d + e + f + g + h;
}
__attribute__((noipa)) double add(int count, ...) {
  return count;
}
static double addAll(int count, ...) {
  va_list list;
  double sum = 0;
  va_start(list, count);
  while (count--)
    sum += va_arg(list, double);
  va_end(list);
  return sum;
}
__attribute__((noipa)) long answer(long value) { return value + 2; }
static long callOriginal(long value) {
  return 1000 + ((long (*)(long))tprt_site_original(calledSite))(value);
}
static int find(const tprt_site *site, void *to) {
  *(const tprt_site **)to = site;
  return 1;
}

__attribute__((noipa)) void work(void) { ++other; }
static void onWork(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs;
  *(long *)data = hop(8);
}

static void onEntry(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)data;
  tprt_regs_change(event, regs)->rdi += 500;
}
static void onExit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)data;
  tprt_regs_change(event, regs)->rax *= 2;
}

int main(void) {
  tprt_probe *probes[COUNT], *counters[COUNT], *handlers[COUNT];
  tprt_action redirect = {.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)plusThousand};
  attachAll(probes, TPRT_KIND_SET_ENTRY, redirect);
  printf("redirected: %d of %d calls right\n", callAll(1000), COUNT * CALLS);

  int handled = 0;
  uint64_t counted = 0;
  attachAll(counters, TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_COUNT});
  attachAll(handlers, TPRT_KIND_SET_ENTRY, (tprt_action){.handler = countHit, .data = &handled});
  int right = callAll(1000);
  for (int i = 0; i < COUNT; ++i)
    counted += tprt_probe_count(counters[i]);
  printf("with a counter and a handler: %d of %d right, %d counted, %d handled\n", right, COUNT * CALLS, (int)counted, handled);
  detachAll(counters);
  detachAll(handlers);

  long plain = sum(1, 2, 3, 4, 5, 6, 7, 8);
  attachTo("sum", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)sumMore});
  printf("many arguments: %ld, from the replacement %ld\n", plain, sum(1, 2, 3, 4, 5, 6, 7, 8));
  attachTo("add", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)addAll});
  printf("variadic: %.2f\n", add(3, 1.5, 2.0, 3.0));

  attachTo("answer", TPRT_KIND_SET_ENTRY, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)callOriginal});
  tprt_selector selector = {.function = "answer", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE,
                            .module = "*/calls-are-redirected*"};
  tprt_site_visit(&selector, find, &calledSite);
  printf("the original in a replacement: %ld\n", answer(40));

  long inside = 0;
  attachTo("work", TPRT_KIND_SET_ENTRY, (tprt_action){.handler = onWork, .data = &inside});
  work();
  printf("in another handler: %ld\n", inside);
  detachAll(probes);

  attachAll(probes, TPRT_KIND_SET_ENTRY, (tprt_action){.handler = onEntry, .flags = TPRT_HANDLER_CHANGES_REGS});
  int arguments = callAll(501);
  // tail jumps to hop, which has its own handler.
  arguments += CALLS * (tail(1) == 1002);
  detachAll(probes);
  static const char *returning[] = {"jump", "hop", "hop_odd", "pun", "short_hop", "short_pun", "landing_pad", "branch", "relative", "behind_push", "behind_pushes", "behind_frame"};
  for (int i = 0; i < COUNT - 1; ++i)
    probes[i] = attachTo(returning[i], TPRT_KIND_SET_EXIT, (tprt_action){.handler = onExit, .flags = TPRT_HANDLER_CHANGES_REGS});
  long (*const functions[])(long) = {jump, hop, hop_odd, pun, short_hop, short_pun, landing_pad, call_branch, relative, tail, behind_push, behind_pushes, behind_frame};
  int results = 0;
  for (int i = 0; i < COUNT; ++i)
    for (long value = 1; value <= CALLS; ++value)
      results += functions[i](value) == (value + 1) * 2;
  printf("arguments changed: %d of %d, results changed: %d of %d\n", arguments, COUNT * CALLS, results, COUNT * CALLS);
  for (int i = 0; i < COUNT - 1; ++i)
    tprt_probe_detach(probes[i], -1);

  selector = (tprt_selector){.function = "hop", .kinds = TPRT_KIND_SET_EXIT, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED,
                             .module = "*/calls-are-redirected*"};
  tprt_probe *refused = NULL;
  tprt_status status = tprt_probe_attach(&selector, &redirect, &refused, NULL);
  printf("a return is not redirected: %s\n", tprt_status_string(status));
  printf("off: %d of %d right\n", callAll(1), COUNT * CALLS);
  return 0;
}
