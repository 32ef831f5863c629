/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program with the functions of scale.S, of which it calls a few.
 *
 *   count wait THREADS  for each line of input, each thread calls ten functions; the
 *                       program answers by a line
 *   count run SECONDS   calls ten functions without a pause for so long, and prints how
 *                       often it called one, and the time (CLOCK_MONOTONIC) of its end
 */
#include "clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 10
/* These functions are so far apart that no two of them share a block of counters. */
#define DISTANCE (COUNT / FUNCTIONS * 16)

extern char function_of_scale_0[];

static void call(void) {
  for (int i = 0; i < FUNCTIONS; ++i)
    ((int (*)(int))(void *)(function_of_scale_0 + i * DISTANCE))(i);
}

static pthread_barrier_t begin, end;

static void *serve(void *unused) {
  for (;;) {
    pthread_barrier_wait(&begin);
    call();
    pthread_barrier_wait(&end);
  }
  return unused;
}

static void wait_for_lines(int threads) {
  char line[16];
  pthread_barrier_init(&begin, 0, (unsigned)threads + 1);
  pthread_barrier_init(&end, 0, (unsigned)threads + 1);
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
  }
  while (fgets(line, sizeof line, stdin)) {
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    puts("called");
    fflush(stdout);
  }
}

static void run(double seconds) {
  long calls = 0;
  double until = tp_bench_wall() + seconds;
  do {
    for (int i = 0; i < 1000; ++i)
      call();
    calls += 1000 * FUNCTIONS;
  } while (tp_bench_wall() < until);
  printf("calls %ld\nended %.6f\n", calls, tp_bench_wall());
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  if (strcmp(words[1], "wait") == 0)
    wait_for_lines(atoi(words[2]));
  else
    run(atof(words[2]));
  return 0;
}
