// The heap (brk) is after the program and grows towards the targets of puns in the program's functions.
// Mappings of libtprt there leave the heap 16 MB to grow; beyond that, malloc uses mmap. The heap begins
// at a different address in each run.
//
// RUN: gcc -O2 -no-pie %s %tprt_flags -o %t
// RUN: %t && %t && %t && %t && %t && %t && %t && %t
#define _GNU_SOURCE
#include "../Inputs/harness.h"

#define ONE(n) \
  __attribute__((noinline)) long f##n(long v) { \
    __asm__ volatile("" ::: "rbx", "rbp", "r12"); \
    return (v * (n + 3)) ^ (n * 77); \
  }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6)

static int growBy(int megabytes) {
  int grown = 0;
  while (grown < megabytes && sbrk(1 << 20) != (void *)-1)
    ++grown;
  return grown;
}

int main(void) {
  tprt_selector selector = {.function = "*", .kinds = TPRT_KIND_SET_ALL, .module = "*/the-heap-keeps*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  if (result.matched - result.refused < 50) {
    printf("only %zu sites are on\n", result.matched - result.refused);
    return 1;
  }
  int grown = growBy(15);
  if (grown < 15)
    printf("the heap took %d MB\n", grown);
  return grown < 15;
}
