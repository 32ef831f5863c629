// Sleds are enabled when the code of their module is read for the first time. An enabled sled is a jump,
// but threads return from the stub and continue after the jump. So the alignment bytes of the loop there
// are executed, and are not padding.
//
// RUN: %clang -O2 -falign-loops=16 -falign-functions=1 -DSLEDS -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -c %s -o %t.sleds.o
// RUN: gcc -O2 %t.sleds.o %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: with sleds: it was done
// CHECK-NEXT: without: {{it was done|some sites were refused}}
// CHECK-NEXT: {{^}}0 wrong results
// CHECK-NEXT: {{^}}0 wrong results after the sleds are off
#ifdef SLEDS
volatile long turns = 3;
#define PAIR(n) \
  __attribute__((noinline)) long sled##n(const char *text) { do { } while (--turns > 0); turns = 3; return text[0]; } \
  __attribute__((noinline, tp_never)) long plain##n(long v) { __asm__ volatile(""); return v * 3 + n; }
PAIR(1) PAIR(2) PAIR(3) PAIR(4) PAIR(5) PAIR(6)
#else
#include "../Inputs/harness.h"

long sled1(const char *), sled2(const char *), sled3(const char *), sled4(const char *), sled5(const char *), sled6(const char *);
long plain1(long), plain2(long), plain3(long), plain4(long), plain5(long), plain6(long);

static long all(void) {
  return sled1("a") + sled2("b") + sled3("c") + sled4("d") + sled5("e") + sled6("f") + plain1(1) + plain2(2) + plain3(3) +
         plain4(4) + plain5(5) + plain6(6);
}

static tprt_probe *attachTo(const char *function, unsigned flags, const char *name) {
  tprt_selector selector = {.function = function, .module = "*.c.tmp", .kinds = TPRT_KIND_SET_ALL,
                            .flags = flags | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
  printf("%s: %s\n", name, tprt_status_string(status));
  fflush(stdout);
  return probe;
}

int main(void) {
  long before = all();
  int wrong = 0;
  tprt_probe *sleds = attachTo("sled*", 0, "with sleds");
  attachTo("plain*", TPRT_SELECT_CODE, "without");
  for (int i = 0; i < 100; ++i)
    wrong += all() != before;
  printf("%d wrong results\n", wrong);
  tprt_probe_detach(sleds, -1);
  for (int i = 0; i < 100; ++i)
    wrong += all() != before;
  printf("%d wrong results after the sleds are off\n", wrong);
  return 0;
}
#endif
