/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of ask.c, compiled without vector registers: one that does nothing,
 * and two that a user might write by hand for what `tpctl count --by` and
 * `--of` do.
 */
#include "ask_handler.h"

/* A table of one thread, with open addressing. */
struct ask_row ask_rows[ASK_ROWS];

void ask_empty(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

static struct ask_row *row_of(uint64_t key) {
  uint64_t at = key * 0x9e3779b97f4a7c15u >> 32;
  for (;; ++at) {
    struct ask_row *row = &ask_rows[at % ASK_ROWS];
    if (row->hits && row->key != key)
      continue;
    row->key = key;
    return row;
  }
}

void ask_count(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ++row_of(tprt_regs_argument(regs, 0))->hits;
}

void ask_sum(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  struct ask_row *row = row_of(tprt_regs_argument(regs, 0));
  const int64_t value = (int64_t)tprt_regs_argument(regs, 2);
  ++row->hits;
  row->sum += value;
  row->least = value < row->least ? value : row->least;
  row->greatest = value > row->greatest ? value : row->greatest;
}
