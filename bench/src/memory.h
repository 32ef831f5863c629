/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the private memory of the process.
 */
#ifndef TP_BENCH_MEMORY_H
#define TP_BENCH_MEMORY_H

#include <stdio.h>

/* The bytes of private pages that were written, or 0 if the system does not
 * report them.
 */
static inline double tp_bench_dirty_bytes(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r"); /* Linux 4.14 */
  char line[256];
  unsigned long kilobytes = 0;
  while (file && fgets(line, sizeof line, file) &&
         sscanf(line, "Private_Dirty: %lu kB", &kilobytes) != 1)
    ;
  if (file)
    fclose(file);
  return (double)kilobytes * 1024;
}

#endif
