/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The example interpreter as the demo's workload. */
#include "minilang.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

const char workload_name[] = "minilang";
const char workload_pattern[] = "ml_*";

int workload_run(const char *script, char *result, size_t size) {
  char text[8192];
  FILE *file = fopen(script, "r");
  if (!file) {
    snprintf(result, size, "cannot read %s", script);
    return -1;
  }
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);

  int64_t value = 0;
  ml_program *program = ml_compile(text, result, size);
  if (!program)
    return -1;
  int failed = ml_run(program, &value, result, size);
  ml_free(program);
  if (!failed)
    snprintf(result, size, "%" PRId64, value);
  return failed;
}
