// A program with every function probed ends by exit, by quick_exit or by a return from main. Hits in
// atexit handlers and static destructors are delivered, and the status is right.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: not --crash %t abort
// RUN: %t exit | FileCheck %s --check-prefix=EXIT
// RUN: %t quick | FileCheck %s --check-prefix=QUICK
// RUN: %t thread | FileCheck %s --check-prefix=EXIT
// RUN: not %t status
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t.exits
// RUN: not --crash %t.exits abort
// RUN: %t.exits exit | FileCheck %s --check-prefix=EXITS
// RUN: %t.exits quick | FileCheck %s --check-prefix=QUICKS
// RUN: %t.exits thread | FileCheck %s --check-prefix=EXITS
// RUN: not %t.exits status
//
// EXITS: hits of atExit 2, of destroyed 2
// QUICKS: hits of atExit 2, of destroyed 0
// EXIT: hits of atExit 1, of destroyed 1
// QUICK: hits of atExit 1, of destroyed 0
#include "../Inputs/harness.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

static int hits[2];
__attribute__((noinline)) void atExit() { __asm__ volatile(""); }
__attribute__((noinline)) void destroyed() { __asm__ volatile(""); }
static void report() {
  dprintf(1, "hits of atExit %d, of destroyed %d\n", hits[0], hits[1]);
}
struct Last {
  ~Last() { destroyed(), report(); }
} last;
__attribute__((noinline)) void leave(const char *how) {
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "quick"))
    quick_exit(0);
  exit(!strcmp(how, "status"));
}
static void onHit(const tprt_event *event, const tprt_regs *, void *) {
  tprt_site_info info = describe(event->site);
  hits[0] += info.function == (const void *)atExit;
  hits[1] += info.function == (const void *)destroyed;
}
int main(int, char **argv) {
  atexit(atExit);
  at_quick_exit(report);
  at_quick_exit(atExit);
  attachSelected({.kinds = TPRT_KIND_SET_ALL}, {.handler = onHit});
  if (!strcmp(argv[1], "thread"))
    std::thread([] { leave("exit"); }).join();
  leave(argv[1]);
}
