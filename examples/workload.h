/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The interpreter that demo.c runs with its sleds off and on. workload_lua.c
 * and workload_minilang.c each implement this header. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

extern const char workload_name[]; /* for people */
extern const char
    workload_pattern[]; /* glob of the interpreter's own functions */

/* Runs the script in an interpreter made for this run, and writes its result as
 * text. Returns 0, or -1 with a message in result. Any number of threads
 * may call this function at the same time. */
int workload_run(const char *script, char *result, size_t size);

#endif
