// The function has data or any number of nops before its label. If this fails, the function
// crashes after a uprobe or breakpoint was set on its enabled sled and removed again. The sled has
// 5 bytes, because 66 and an arbitrary distance to a slot could form any instruction.
//
// REQUIRES: x86_64-host
// DEFINE: %{flags} =
// DEFINE: %{check} = %clang -O2 %{flags} %s %tprt_flags -o %t && %t | FileCheck %s
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=2,0 -fsanitize=function -fno-sanitize-recover=all
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=2,0 -fsanitize=kcfi
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=2,0 -fsanitize=kcfi -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=4,2
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=3,1 -fcf-protection
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=3,1
// RUN: %{check}
// REDEFINE: %{flags} = -fplugin-arg-tp-entry=2,0 -fcf-protection
// RUN: %{check}
//
// CHECK: on: 43, 1 hits
// CHECK-NEXT: given back: 43, 0 hits
// CHECK-NEXT: attached again: 43, 2 hits
// CHECK-NEXT: detached: 43, 0 hits
#include "../Inputs/harness.h"

#include <fcntl.h>
#include <unistd.h>

#define PLAIN __attribute__((tp_never))
__attribute__((noinline)) int traced(int x) { return x + 1; }
static int (*volatile next)(int) = traced;
static int hits;
PLAIN static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
PLAIN static int find(const tprt_site *site, void *data) {
  tprt_site_info info;
  tprt_site_describe(site, &info);
  *(unsigned char **)data = info.sled;
  return 0;
}
PLAIN static void tell(const char *when) {
  hits = 0;
  int result = next(42);
  printf("%s: %d, %d hits\n", when, result, hits);
}

PLAIN int main(void) {
  tprt_selector selector = {.function = "traced", .kinds = TPRT_KIND_SET_ENTRY};
  tprt_action action = {.handler = onHit};
  unsigned char *sled = NULL;
  tprt_site_visit(&selector, find, &sled);
  const unsigned char first = *sled;
  tprt_probe *one, *two;
  tprt_probe_attach(&selector, &action, &one, NULL);
  tell("on");
  int memory = open("/proc/self/mem", O_RDWR);
  if (pwrite(memory, &first, 1, (off_t)(uintptr_t)sled) != 1)
    perror("/proc/self/mem");
  tell("given back");
  tprt_probe_attach(&selector, &action, &two, NULL);
  tell("attached again");
  tprt_probe_detach(one, -1);
  tprt_probe_detach(two, -1);
  tell("detached");
  return 0;
}
