/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program for tpctl's budget: it does a fixed amount of work, and prints the
 * CPU time of all of its threads. `budget tiny PASSES` calls tiny functions,
 * about 30 million times a second. `budget server PASSES` handles requests of
 * about a hundred microseconds in some functions of different sizes. `budget busy
 * PASSES` handles requests of some fifteen microseconds in such functions, which call
 * 64 helpers of some nanoseconds.
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

/* 64 helpers. Each request calls 32 of them: none is called as often as the others. */
#define EIGHT(of, row) of(row##0) of(row##1) of(row##2) of(row##3) of(row##4) of(row##5) of(row##6) of(row##7)
#define DEFINE(n) NOINLINE uint64_t helper_##n(uint64_t x) { return spin(x, 9); }
EIGHT(DEFINE, a) EIGHT(DEFINE, b) EIGHT(DEFINE, c) EIGHT(DEFINE, d)
EIGHT(DEFINE, e) EIGHT(DEFINE, f) EIGHT(DEFINE, g) EIGHT(DEFINE, h)
#define CALL(n) x = helper_##n(x);
#define HELP(even, odd) \
  if (request & 1) { EIGHT(CALL, odd) } else { EIGHT(CALL, even) }
NOINLINE uint64_t busy_parse(uint64_t x, int request) { HELP(a, b) return spin(x, 1500); }
NOINLINE uint64_t busy_check(uint64_t x) { return spin(x, 500); }
NOINLINE uint64_t busy_look_up(uint64_t x, int request) { HELP(c, d) return spin(x, 1000); }
NOINLINE uint64_t busy_render(uint64_t x, int request) { HELP(e, f) HELP(g, h) return spin(x, 5000); }
NOINLINE uint64_t busy_log(uint64_t x) { return spin(x, 700); }
NOINLINE uint64_t busy_request(uint64_t x, int request) {
  return busy_log(busy_render(busy_look_up(busy_check(busy_parse(x, request)), request), request));
}
NOINLINE uint64_t busy_pass(uint64_t x) {
  for (int i = 0; i < 5000; ++i)
    x = busy_request(x, i);
  return x;
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  int server = strcmp(words[1], "server") == 0, busy = strcmp(words[1], "busy") == 0;
  for (long passes = atol(words[2]); passes > 0; --passes)
    state = server ? server_pass(state) : busy ? busy_pass(state) : tiny_pass(state);
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  printf("cpu_s %.6f\n", (double)time.tv_sec + (double)time.tv_nsec / 1e9);
  return state == 0;
}
