/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program with many calls: a stack machine with one function per operation,
 * called through a table. It computes a sum of remainders and prints its time
 * in seconds.
 */
#include "clock.h"
#include <stdint.h>
#include <stdio.h>

typedef struct machine {
  const uint8_t *pc;
  int64_t stack[32], *top;
  int64_t local[4];
  int running;
} machine;

static void push(machine *m, int64_t value) { *m->top++ = value; }
static int64_t pop(machine *m) { return *--m->top; }
static uint8_t fetch(machine *m) { return *m->pc++; }

static void op_halt(machine *m) { m->running = 0; }
static void op_const(machine *m) { push(m, fetch(m)); }
static void op_load(machine *m) { push(m, m->local[fetch(m)]); }
static void op_store(machine *m) {
  uint8_t index = fetch(m);
  m->local[index] = pop(m);
}
static void op_add(machine *m) {
  int64_t right = pop(m);
  push(m, pop(m) + right);
}
static void op_rest(machine *m) {
  int64_t right = pop(m);
  push(m, pop(m) & (right - 1));
}
static void op_less(machine *m) {
  int64_t right = pop(m);
  push(m, pop(m) < right);
}
static void op_branch(machine *m) {
  int8_t distance = (int8_t)fetch(m);
  if (pop(m))
    m->pc += distance;
}

enum { HALT, CONST, LOAD, STORE, ADD, REST, LESS, BRANCH };
static void (*const operations[])(machine *) = {op_halt, op_const, op_load, op_store,
                                                op_add,  op_rest,  op_less, op_branch};

/* do { sum += i % 16; i += 1; } while (i < limit); locals: 0 i, 1 sum, 2 limit */
static const uint8_t program[] = {
    LOAD, 1, LOAD, 0, CONST, 16, REST, ADD,  STORE, 1, LOAD,   0,
    CONST, 1, ADD, STORE, 0, LOAD, 0, LOAD, 2, LESS, BRANCH, (uint8_t)-24,
    HALT};

static void run(machine *m) {
  while (m->running)
    operations[fetch(m)](m);
}

int main(int argc, char **argv) {
  machine m = {.pc = program, .running = 1};
  m.top = m.stack;
  m.local[2] = argc > 1 ? atoi(argv[1]) : 1600000;
  double start = tp_bench_cpu();
  run(&m);
  double seconds = tp_bench_cpu() - start;
  if (argc == 1 && m.local[1] != 1600000 / 16 * 120)
    return 1;
  printf("%.9f\n", seconds);
  return 0;
}
