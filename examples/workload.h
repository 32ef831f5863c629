/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What demo.c runs with its sleds off and on: an interpreter and its script.
 * workload_lua.c and workload_minilang.c are the two there are. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

extern const char workload_name[]; /* for people */
extern const char
    workload_pattern[]; /* glob of the interpreter's own functions */

/* Runs the script in an interpreter made for this run, and writes its result as
 * text. 0, or -1 with a message in result. Any number of threads at once. */
int workload_run(const char *script, char *result, size_t size);

#endif
