/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a script of the example interpreter a few times, so that it can be
 * recorded: record_script SCRIPT.
 */
#include "workload.h"

#include <stdio.h>

enum { RUNS = 5 };

int main(int count, char **arguments) {
  char result[512];
  if (count < 2)
    return 2;
  for (int i = 0; i < RUNS; ++i)
    if (workload_run(arguments[1], result, sizeof result) != 0) {
      fprintf(stderr, "%s\n", result);
      return 1;
    }
  return 0;
}
