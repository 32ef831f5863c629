// Attaches to every sled of traced.c before main, with a handler that fills all registers
// that it may change. The program fails unless each call was entered and left once. This file is
// compiled without special flags; only traced.c gets the flags of a test.
#include "../../Inputs/spoil.h"
#include "tprt/tprt.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS 63 // the calls in traced.c, including main
static long Entries, Exits, TailExits, Depth;

static void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  (void)Regs, (void)Data;
  if (Event->kind == TPRT_KIND_ENTRY)
    ++Entries, ++Depth;
  else
    ++*(Event->kind == TPRT_KIND_EXIT ? &Exits : &TailExits), --Depth;
  spoil();
}

static void fail(const char *What) {
  puts(What);
  fflush(stdout);
  _exit(1);
}

static void report(void) {
  printf("%ld entries, %ld exits of which %s by tail call\n", Entries, Exits + TailExits,
         TailExits ? "some" : "none");
  fflush(stdout);
  if (Entries != CALLS || Exits + TailExits != CALLS || Depth)
    fail("these are not all");
}

__attribute__((constructor)) static void attach(void) {
  if (getenv("UNOBSERVED")) // to see the effect of the flags alone
    return;
  tprt_selector Selector = {.kinds = TPRT_KIND_SET_ALL};
  tprt_action Action = {.handler = onHit};
  tprt_probe *Probe;
  tprt_result Result;
  if (tprt_probe_attach(&Selector, &Action, &Probe, &Result) != TPRT_STATUS_OK)
    fail(tprt_error_string());
  atexit(report);
}
