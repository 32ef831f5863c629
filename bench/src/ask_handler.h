/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TP_BENCH_ASK_HANDLER_H
#define TP_BENCH_ASK_HANDLER_H

#include "tprt/tprt.h"

#define ASK_ROWS 64
struct ask_row {
  uint64_t key, hits;
  int64_t sum, least, greatest;
};
extern struct ask_row ask_rows[ASK_ROWS];

void ask_empty(const tprt_event *event, const tprt_regs *regs, void *data);
void ask_count(const tprt_event *event, const tprt_regs *regs, void *data);
void ask_sum(const tprt_event *event, const tprt_regs *regs, void *data);

#endif
