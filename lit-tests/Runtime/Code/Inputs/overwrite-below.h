// A handler that overwrites the stack below the frame of the function that was hit. A function that keeps data below
// its stack pointer (psABI, 3.2.2) loses the data if libtprt mistakes such a place for an entry or an exit.
#ifndef OVERWRITE_BELOW_H
#define OVERWRITE_BELOW_H

#include "../../Inputs/harness.h"
#include <string.h>

static int hits[2]; // at entries, at exits
__attribute__((noinline)) static void overwriteBelow(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)regs, (void)data;
  char kept[512];
  memset(kept, 0xaa, sizeof kept);
  __asm__ volatile("" : : "r"(kept) : "memory");
  ++hits[event->kind != TPRT_KIND_ENTRY];
}

#endif
