/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest use of libtprt: a handler at one function of this program,
 * and counters at all its functions. Built with
 *     tp-clang -ftp-entry=2,0 -O2 count_calls.c -o count_calls */
#include "tprt/tprt.h"

#include <stdio.h>

__attribute__((noinline)) int twice(int x) { return x + x; }
__attribute__((noinline)) int square(int x) { return x * x; }

/* main is compiled with a sled too, but nothing is attached to it. */
__attribute__((noinline)) static int work(void) {
  volatile int sum = 0;
  for (int i = 1; i <= 5; i++)
    sum += i % 2 ? twice(i) : square(i);
  return sum;
}

/* The first integer argument is in rdi. If the function may be called from a
 * signal handler, its handler must be async-signal-safe. That is not the
 * case here. */
static void on_twice(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event;
  printf("  %s %d\n", (const char *)data, (int)tprt_regs_argument(regs, 0));
}

static int print_count(const tprt_site *site, uint64_t count, void *data) {
  (void)data;
  tprt_site_info info;
  if (tprt_site_describe(site, &info) == TPRT_STATUS_OK && info.name)
    printf("  %-8s %llu\n", info.name, (unsigned long long)count);
  return 0;
}

static int fail(const char *what, tprt_status status) {
  fprintf(stderr, "%s: %s (%s)\n", what, tprt_status_string(status), tprt_error_string());
  return 1;
}

int main(void) {
  tprt_probe *probe;
  tprt_status status;

  printf("off: %d\n", work());

  tprt_selector one = {.function = "twice"};
  tprt_action handler = {.handler = on_twice, .data = "twice of"};
  if ((status = tprt_probe_attach(&one, &handler, &probe, NULL)))
    return fail("attach", status);
  printf("a handler on twice:\n");
  int result = work();
  printf("on: %d\n", result);
  if ((status = tprt_probe_detach(probe, -1)))
    return fail("detach", status);

  tprt_selector all = {.function = "*"};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  if ((status = tprt_probe_attach(&all, &count, &probe, NULL)))
    return fail("attach", status);
  work();
  printf("calls counted:\n");
  tprt_probe_visit_counts(probe, print_count, NULL);
  if ((status = tprt_probe_detach(probe, -1)))
    return fail("detach", status);

  printf("off again: %d\n", work());
  return 0;
}
