/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program for tpctl's budget: it does a fixed amount of work, and prints the
 * CPU time of all of its threads. `budget tiny PASSES` calls tiny functions,
 * about 30 million times a second. `budget server PASSES` handles requests of
 * about a hundred microseconds in some functions of different sizes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static uint64_t state = 1;
static inline uint64_t mix(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
static inline uint64_t spin(uint64_t x, int steps) {
  for (int i = 0; i < steps; ++i)
    x = mix(x ^ x >> 29);
  return x;
}

NOINLINE uint64_t tiny_first(uint64_t x) { return mix(x); }
NOINLINE uint64_t tiny_second(uint64_t x) { return mix(x ^ 1); }
NOINLINE uint64_t tiny_third(uint64_t x) { return mix(x ^ 2); }

/* 3,000,000 calls, with enough work between them that they are 33 ns apart. */
NOINLINE uint64_t tiny_pass(uint64_t x) {
  for (int i = 0; i < 1000000; ++i) {
    x = spin(tiny_first(x), 19);
    x = spin(tiny_second(x), 19);
    x = spin(tiny_third(x), 19);
  }
  return x;
}

NOINLINE uint64_t parse(uint64_t x) { return spin(x, 4000); }
NOINLINE uint64_t check(uint64_t x) { return spin(x, 2000); }
NOINLINE uint64_t look_up(uint64_t x) { return spin(x, 6000); }
NOINLINE uint64_t render(uint64_t x) {
  for (int i = 0; i < 10; ++i)
    x = check(x);
  return spin(x, 10000);
}
NOINLINE uint64_t handle_request(uint64_t x) { return render(look_up(check(parse(x)))); }
NOINLINE uint64_t server_pass(uint64_t x) {
  for (int i = 0; i < 1000; ++i)
    x = handle_request(x);
  return x;
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  int server = strcmp(words[1], "server") == 0;
  for (long passes = atol(words[2]); passes > 0; --passes)
    state = server ? server_pass(state) : tiny_pass(state);
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  printf("cpu_s %.6f\n", (double)time.tv_sec + (double)time.tv_nsec / 1e9);
  return state == 0;
}
