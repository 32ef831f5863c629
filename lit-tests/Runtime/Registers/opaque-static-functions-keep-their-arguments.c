// If this fails, a handler reads wrong arguments of a static function, and -ftp-opaque,
// which the documents name as the remedy, does not help.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-opaque %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// CHECK: 7 1
// CHECK-NEXT: 7 2
#include "../Inputs/harness.h"

int sum;
__attribute__((noinline)) static void add(int constant, int other) { sum += constant + other; }

static void on_add(const tprt_event *event, const tprt_regs *regs, void *data) {
  printf("%d %d\n", (int)tprt_regs_argument(regs, 0), (int)tprt_regs_argument(regs, 1));
}

int main(int argc, char **argv) {
  attachHandler("add", on_add, NULL);
  add(7, argc);
  add(7, argc + 1);
}
