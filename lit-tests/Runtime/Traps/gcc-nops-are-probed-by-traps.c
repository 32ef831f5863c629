// Some nops cannot be flipped by a single store: one to five one-byte nops as GCC emits them,
// and some nops of clang's. On request, an int3 replaces the first byte, which is restored later;
// no other byte changes. Arguments are preserved.
//
// REQUIRES: gcc, x86_64-host
// RUN: rm -rf %t && split-file %s %t
// RUN: gcc -O2 -fPIC -shared -fcf-protection=none -fpatchable-function-entry=1 %t/lib.c -o %t/1.so
// RUN: gcc -O2 -fPIC -shared -fcf-protection=branch -fpatchable-function-entry=2 %t/lib.c -o %t/2.so
// RUN: gcc -O2 -fPIC -shared -fcf-protection=none -fpatchable-function-entry=5 %t/lib.c -o %t/5.so
// RUN: %plain_clang -O2 -fPIC -shared -fpatchable-function-entry=3 %t/lib.c -o %t/clang3.so
// RUN: %plain_clang -O2 -fPIC -shared -fcf-protection=branch -fpatchable-function-entry=5 %t/lib.c -o %t/clang5.so
// RUN: %plain_clang -O2 -I %S/../Inputs %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/1.so 1 | FileCheck --check-prefixes=CHECK,ONE %s
// RUN: %t/main %t/2.so 2 | FileCheck --check-prefixes=CHECK,TWO %s
// RUN: %t/main %t/5.so 5 | FileCheck --check-prefixes=CHECK,FIVE %s
// RUN: %t/main %t/clang3.so 3 | FileCheck --check-prefixes=CHECK,CLANG3 %s
// RUN: %t/main %t/clang5.so 5 | FileCheck --check-prefixes=CHECK,CLANG5 %s
//
// ONE: 90 then cc
// TWO: 90 90 then cc 90
// FIVE: 90 90 90 90 90 then cc 90 90 90 90
// CLANG3: 0f 1f 00 then cc 1f 00
// CLANG5: 0f 1f 44 00 08 then cc 1f 44 00 08
// CHECK-NEXT: 42, 1 hit of 21, state 2
// CHECK-NEXT: detached: 44, 1 hit, same bytes 1, state 0
//--- lib.c
int twice(int x) { return 2 * x; }
//--- main.c
#include "harness.h"
#include <dlfcn.h>
#include <string.h>

static const tprt_site *site;
static int hits;
static long seen;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  site = event->site;
  ++hits;
  seen = (int)tprt_regs_argument(regs, 0);
}
static void print(const unsigned char *bytes, int count) {
  for (int i = bytes[0] == 0xf3 ? 4 : 0; count-- > 0; ++i)
    printf("%02x ", bytes[i]);
}

int main(int argc, char **argv) {
  int (*twice)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "twice");
  unsigned char before[16];
  memcpy(before, (void *)twice, 16);
  tprt_selector selector = {.flags = TPRT_SELECT_PATCHABLE | TPRT_SELECT_TRAPS};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = onHit});
  int count = atoi(argv[2]);
  print(before, count);
  printf("then ");
  print((unsigned char *)twice, count);
  int result = twice(21);
  printf("\n%d, %d hit of %ld, state %d\n", result, hits, seen, describe(site).state);
  tprt_probe_detach(probe, -1);
  result = twice(22);
  printf("detached: %d, %d hit, same bytes %d, state %d\n", result, hits, !memcmp(before, (void *)twice, 16),
         describe(site).state);
}
