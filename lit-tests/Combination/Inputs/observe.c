// Attaches to every sled of traced.c before main, with a handler that spoils all
// registers it may. The program fails unless each call was entered and left once.
// Compiled plainly; a test's flags are for traced.c alone.
#include "tprt/tprt.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS 63 // of traced.c, with main
static long Entries, Exits, TailExits, Depth;

static void spoil(void) {
#if defined(__x86_64__)
  __asm__ volatile("mov $-1, %%rax\n mov %%rax, %%rcx\n mov %%rax, %%rdx\n mov %%rax, %%rsi\n"
                   "mov %%rax, %%rdi\n mov %%rax, %%r8\n mov %%rax, %%r9\n mov %%rax, %%r10\n"
                   "mov %%rax, %%r11\n movq %%rax, %%xmm0\n movq %%rax, %%xmm1\n"
                   "movq %%rax, %%xmm2\n movq %%rax, %%xmm7\n movq %%rax, %%xmm15\n stc" ::
                       : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm7",
                         "xmm15", "cc", "memory");
#else
  __asm__ volatile("mov x0, #-1\n mov x1, x0\n mov x2, x0\n mov x3, x0\n mov x4, x0\n mov x5, x0\n"
                   "mov x6, x0\n mov x7, x0\n mov x8, x0\n mov x9, x0\n mov x10, x0\n mov x15, x0\n"
                   "mov x16, x0\n mov x17, x0\n mov x18, x0\n fmov d0, x0\n fmov d1, x0\n fmov d7, x0\n cmp x0, x0" ::
                       : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x15", "x16", "x17", "x18", "d0",
                         "d1", "d7", "cc", "memory");
#endif
}

static void onHit(const tprt_event *Event, const tprt_regs *Regs, void *Data) {
  (void)Regs, (void)Data;
  if (Event->event == TPRT_RECORD_ENTRY)
    ++Entries, ++Depth;
  else
    ++*(Event->event == TPRT_RECORD_EXIT ? &Exits : &TailExits), --Depth;
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
  if (getenv("UNOBSERVED")) // for a look at what the flags alone do
    return;
  tprt_selector Selector = {.events = TPRT_EVENTS_ALL};
  tprt_action Action = {.handler = onHit};
  tprt_probe *Probe;
  tprt_result Result;
  if (tprt_probe_attach(&Selector, &Action, &Probe, &Result) != TPRT_STATUS_OK)
    fail(tprt_last_error());
  atexit(report);
}
