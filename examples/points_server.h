/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small key-value server whose request path has ten points, and the
 * functions that turn these points on and off. */
#ifndef POINTS_SERVER_H
#define POINTS_SERVER_H

#include <stdio.h>

/* Serves one connection until its end. One thread per connection. */
void serve(int connection);

/* These functions turn on printing, or counting, of the points that match
 * the pattern, while other threads continue; turn everything off again; or
 * print the counts. Each function answers with a line. */
void points_print(const char *pattern, FILE *answer);
void points_count(const char *pattern, FILE *answer);
void points_off(FILE *answer);
void points_counts(FILE *answer);

#endif
