/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a function of sleds.S with every register filled at random, and checks
 * that all that is live at its sled came through, and that it got its arguments:
 * x0 is a mix of them. Thread-safe. Handlers that overwrite what they may.
 */
#include "layout.h"
#include "tprt/tprt.h"
#include <stdio.h>
#include <string.h>

struct State {
  uint64_t x[31], nzcv, v[32][8], p[72], stack[CALL_STACK_WORDS];
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct State) == CALL_SIZE, "layout.h");

struct Function {
  const void *entry;
  uint8_t offset, shape, pad, needs;
  uint32_t event;
};
extern const struct Function stress_functions[], stress_functions_end[];
void stress_call_128(struct State *in, struct State *out, const void *function);
void stress_call_scalable(struct State *in, struct State *out, const void *function);
void stress_call_streaming(struct State *in, struct State *out, const void *function);
uint64_t stress_vector_bytes(int streaming);
void stress_trample_scalable(void);

static int faults;
static void compare(const char *what, int number, uint64_t got, uint64_t want, const struct Function *f) {
  if (got != want && __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED) < 20)
    printf("needs %d event %d offset %d: %s%d is %lx, was %lx\n", f->needs, f->event, f->offset, what, number, got, want);
}

static uint64_t next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  return *seed ^= *seed << 17;
}

/* What sleds.S makes of the arguments. */
static uint64_t mixOf(const struct State *in, int whole) {
  static const uint8_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 18};
  uint64_t mix = in->x[0];
  for (unsigned i = 0; i < sizeof numbers; ++i)
    mix = (mix << 7 | mix >> 57) ^ in->x[numbers[i]];
  return whole ? mix : (mix << 7 | mix >> 57) ^ in->stack[0];
}

static void checkedCall(const struct Function *f, uint64_t *seed) {
  struct State in, out;
  for (unsigned i = 0; i < sizeof in / 8; ++i)
    ((uint64_t *)&in)[i] = next(seed);
  in.nzcv &= 0xf0000000;
  memset(&out, 0, sizeof out);
  int scalable = f->needs & TPRT_NEEDS_SCALABLE, streaming = f->needs & TPRT_NEEDS_STREAMING;
  int other = f->needs & TPRT_NEEDS_OTHER, tail = f->event == TPRT_RECORD_TAIL_EXIT, exits = f->event == TPRT_RECORD_EXIT;
  int whole = tail || other;
  (streaming ? stress_call_streaming : scalable ? stress_call_scalable : stress_call_128)(&in, &out, f->entry);
  compare("x", 0, out.x[0], mixOf(&in, whole), f);
  for (int i = 1; i < 30; ++i)
    if (i < 8 || i >= 18 || (!exits && (i == 8 || i == 15)) || (whole && !(tail && i == 16)))
      compare("x", i, out.x[i], in.x[i], f);
  if (whole)
    compare("nzcv", 0, out.nzcv, in.nzcv, f);
  if (!scalable && !streaming) {
    for (int i = 0; i < 32; ++i) {
      if (i < 16 || other)
        compare("low half of q", i, out.v[i][0], in.v[i][0], f);
      if (i < 8 || other)
        compare("high half of q", i, out.v[i][1], in.v[i][1], f);
    }
    return;
  }
  uint64_t bytes = stress_vector_bytes(streaming);
  for (int i = 0; i < 32; ++i)
    for (unsigned j = 0; j < 8 && j < bytes / 8; ++j)
      compare("z", i, out.v[i][j], in.v[i][j], f);
  compare("p", 0, memcmp(in.p, out.p, 2 * bytes), 0, f);
  for (unsigned i = 0; scalable && i < bytes / 8; ++i)
    compare("ffr", i, ((uint8_t *)out.p)[2 * bytes + i], 0xff, f);
}

static int hits[3]; /* by event */
#define ONES(n) "mov x" #n ", #-1\n\t"
static void trampleGeneral(const tprt_event *event, const tprt_regs *regs, void *data) {
  __atomic_fetch_add(&hits[event->event], 1, __ATOMIC_RELAXED);
  __asm__ volatile(ONES(0) ONES(1) ONES(2) ONES(3) ONES(4) ONES(5) ONES(6) ONES(7) ONES(8) ONES(9) ONES(10) ONES(11)
                   ONES(12) ONES(13) ONES(14) ONES(15) ONES(16) ONES(17) ONES(18) "msr nzcv, x0" ::: "x0", "x1", "x2",
                   "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                   "x18", "cc");
}
static void trampleAll(const tprt_event *event, const tprt_regs *regs, void *data) {
  trampleGeneral(event, regs, data);
  stress_trample_scalable();
  __asm__ volatile("" ::: "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
}

/* Kind 0: trampleGeneral; 1: trampleAll; 2: counts. */
static tprt_action actionOf(int kind) {
  tprt_action action = {.kind = kind == 2 ? TPRT_ACTION_COUNT : TPRT_ACTION_CALL};
  if (kind < 2)
    action.handler = kind ? trampleAll : trampleGeneral;
  if (kind == 0)
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  return action;
}
