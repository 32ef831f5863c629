/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A small key-value server whose request path has ten points, and the part of
 * it that turns them on and off. */
#ifndef POINTS_SERVER_H
#define POINTS_SERVER_H

#include <stdio.h>

/* Serves one connection until its end. One thread per connection. */
void serve(int connection);

/* Turn on printing, or counting, of the points that match the pattern, while
 * other threads go on; take all of it off again; print the counts. Each answers
 * with a line. */
void points_print(const char *pattern, FILE *answer);
void points_count(const char *pattern, FILE *answer);
void points_off(FILE *answer);
void points_counts(FILE *answer);

#endif
