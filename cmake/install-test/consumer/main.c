/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the calls of one function in another source file. */
#include <stdio.h>
#include <tprt/tprt.h>

int work(int x);

int main(void) {
  tprt_selector selector = {.function = "work"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  if (status != TPRT_STATUS_OK) {
    fprintf(stderr, "attach: %s (%s)\n", tprt_status_string(status), tprt_error_string());
    return 1;
  }
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += work(i);
  printf("sum %d, counted %d\n", sum, (int)tprt_probe_count(probe));
  return tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
}
