/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demo_handlers.h"

void demo_empty(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event;
  (void)regs;
  (void)data;
}

void demo_add(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event;
  (void)regs;
  __atomic_fetch_add((uint64_t *)data, 1, __ATOMIC_RELAXED);
}
