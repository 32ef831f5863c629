// Most functions with frame pointers begin with the same five bytes. A jump there has an island for each combination of
// breakpoints at the instructions after it. A mapping at the address of one of these islands does not prevent the
// functions' jumps, and a line reports that mapping. Threads still meet a breakpoint whose island has room. If the
// island of a breakpoint that is set has no room, no jump is made.
//
// RUN: gcc -O0 -fPIE -pie %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=verbose=1 %t 2> %t.lines | FileCheck %s
// RUN: FileCheck --check-prefix=LINE --input-file %t.lines %s
//
// LINE: 8 jumps have no room for a breakpoint after them
// CHECK: 8 matched, 0 refused, 8 counted, sum 44
// CHECK-NEXT: a breakpoint that has an island: 4, 1 stops, 9 counted
// CHECK-NEXT: attached while one has none: 8 matched, 1 refused, 7 counted, sum 44
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ONE(n)                       \
  long f##n(long v) {                \
    volatile long room[16] = {n, v}; \
    return room[0] + room[1];        \
  }
ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8)

static unsigned char *place, under;
static int stops;

static void setAt(int offset) {
  volatile uintptr_t third = (uintptr_t)f3;
  place = (unsigned char *)third + offset;
  under = *place;
  *place = 0xcc;
}

static void onTrap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  --((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  *place = under;
  ++stops;
}

static long callAll(void) { return f1(1) + f2(1) + f3(1) + f4(1) + f5(1) + f6(1) + f7(1) + f8(1); }

int main(void) {
  int32_t distance;
  volatile uintptr_t first = (uintptr_t)f1; // no instruction may have an address inside f1()
  memcpy(&distance, (const char *)first + 1, sizeof distance);
  if (memcmp((const void *)f1, "\x55\x48\x89\xe5\x48", 5)) {
    puts("the compiler begins functions in another way");
    return 1;
  }
  uintptr_t page = first & -(uintptr_t)4096;
  struct sigaction action = {.sa_sigaction = onTrap, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  // The target of the jumps if a breakpoint is at the fifth byte.
  uintptr_t away = first + 5 + (intptr_t)(int32_t)(((uint32_t)distance & 0xffffff) | 0xcc000000);
  if (mmap((void *)((away & -(uintptr_t)4096) - (1 << 20)), 2 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
    puts("somebody has the addresses");

  tprt_selector selector = {.function = "f?", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/one-mapping-costs*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &count, &probe, &result);
  long sum = callAll();
  printf("%d matched, %d refused, %d counted, sum %ld\n", (int)result.matched, (int)result.refused, (int)tprt_probe_count(probe), sum);
  setAt(1);
  sum = f3(1);
  printf("a breakpoint that has an island: %ld, %d stops, %d counted\n", sum, stops, (int)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  setAt(4);
  tprt_probe_attach(&selector, &count, &probe, &result);
  sum = callAll();
  printf("attached while one has none: %d matched, %d refused, %d counted, sum %ld\n", (int)result.matched, (int)result.refused,
         (int)tprt_probe_count(probe), sum);
  return 0;
}
