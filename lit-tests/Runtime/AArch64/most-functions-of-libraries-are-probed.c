// Of Debian's arm64 C and C++ libraries, at least 97 % of the entries and 95 % of the exits are probed, and the program
// computes the same with all of them on. If this fails, a kind of instruction is no longer exchanged.
//
// RUN: %plain_clang -O1 %s %tprt_flags -Wl,--no-as-needed -lstdc++ -o %t
// RUN: %t | FileCheck %s
//
// CHECK: libc.so.6: entries 1, exits 1
// CHECK-NEXT: libstdc++.so.6: entries 1, exits 1
// CHECK-NEXT: the same text 1, counted 1
#include "../Inputs/harness.h"
#include <string.h>

static tprt_probe *probes[4];
static int used;
static int isMost(const char *functions, uint32_t kinds, size_t percent) {
  tprt_selector selector = {.function = functions, .kinds = kinds, .flags = TPRT_SELECT_CODE};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_result result = {0};
  tprt_probe_attach(&selector, &count, &probes[used++], &result);
  fprintf(stderr, "%s %u: %zu of %zu refused\n", functions, kinds, result.refused, result.matched);
  return result.matched > 1000 && (result.matched - result.refused) * 100 >= result.matched * percent;
}

static void write1000(char *out) {
  for (int i = 0; i < 1000; ++i)
    out += sprintf(out, "%d %x %g;", i, i * 77, i / 7.0);
}

int main(void) {
  static char before[40000], after[40000];
  static const char *const libraries[] = {"libc.so.6!*", "libstdc++.so.6!*"};
  int most[4];
  write1000(before);
  for (int i = 0; i < 4; ++i)
    most[i] = isMost(libraries[i / 2], i % 2 ? TPRT_KIND_SET_EXIT : TPRT_KIND_SET_ENTRY, i % 2 ? 95 : 97);
  write1000(after);
  uint64_t counted = 0;
  for (int i = 0; i < 4; ++i)
    if (probes[i])
      counted += tprt_probe_count(probes[i]), tprt_probe_detach(probes[i], -1);
  printf("libc.so.6: entries %d, exits %d\n", most[0], most[1]);
  printf("libstdc++.so.6: entries %d, exits %d\n", most[2], most[3]);
  printf("the same text %d, counted %d\n", !strcmp(before, after), counted > 6000);
  return 0;
}
