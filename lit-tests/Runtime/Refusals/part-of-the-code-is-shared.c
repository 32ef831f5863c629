// At each attach and detach, each page with a sled is judged by its current
// mapping. If a part of a module's code was remapped to a shared mapping, the
// functions there are refused with that reason, and the others are attached. If a
// page becomes shared later, detach does not write to it. No byte of a file that
// others map is ever changed.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2>&1 | FileCheck %s
//
// CHECK: some sites were refused, the others are on, on at 2 of 3: the code there is a shared mapping
// CHECK-NEXT: {{^}}0 bytes changed, hits 2 of 3
// CHECK: stays flipped, without effect: the code there is a shared mapping
// CHECK: it was done, 0 bytes changed, hits 0 of 3
// CHECK-NEXT: it was done, hits 3 of 3
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Page = 65536 };
#define CODE(part) __attribute__((noinline, section(".text." part), aligned(Page)))
CODE("1") int f1(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
CODE("2") int f2(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
CODE("3") int f3(int x) { __asm__ volatile("" : "+r"(x)); return x + 3; }
CODE("4") __attribute__((tp_never)) void last(void) {}

static int hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
static int callAll(void) {
  hits = 0;
  return f1(0) + f2(0) + f3(0) == 6 ? hits : -1;
}

static void *startOf(void *function) { return (char *)((uintptr_t)function & ~(uintptr_t)(Page - 1)) - 4096; }
static char before[Page], now[Page];
// Maps the function's page, and the slot's page before it, to a file that others may map.
static int share(void *function, int flags) {
  int file = memfd_create("text", 0);
  if (write(file, startOf(function), 8192) != 8192 ||
      mmap(startOf(function), 8192, PROT_READ | PROT_EXEC, flags | MAP_FIXED, file, 0) == MAP_FAILED)
    exit(1);
  memcpy(before, startOf(function), 8192);
  return file;
}
static int changed(int file) {
  int count = 0;
  if (pread(file, now, 8192, 0) != 8192)
    exit(1);
  for (int i = 0; i < 8192; ++i)
    count += before[i] != now[i];
  return count;
}

int main() {
  tprt_selector selector = {.function = "f?"};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  int file = share(f2, MAP_SHARED);
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s, on at %zu of %zu: %s\n", tprt_status_string(status), result.enabled, result.matched,
         tprt_refusal_string(result.first_refusal));
  printf("%d bytes changed, hits %d of 3\n", changed(file), callAll());
  fflush(stdout);
  file = share(f3, MAP_SHARED);
  status = tprt_probe_detach(probe, -1);
  printf("%s, %d bytes changed, hits %d of 3\n", tprt_status_string(status), changed(file), callAll());
  share(f2, MAP_PRIVATE), share(f3, MAP_PRIVATE);
  status = tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%s, hits %d of 3\n", tprt_status_string(status), callAll());
}
