// A library's file was removed while it is loaded, as by an upgrade. Functions that are called inside the library
// are known, but have no names. If the selector names the file, the message says so.
//
// RUN: rm -rf %t && mkdir %t
// RUN: gcc -O1 -fPIC -shared -DLIBRARY %s -o %t/lib.so
// RUN: gcc -O1 %s %tprt_flags -ldl -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: matches of_library so far: no function of {{.*}}lib.so has a name; was the file stripped, or removed or replaced since it was loaded?
// CHECK-NEXT: all functions: 1 hit
#ifdef LIBRARY
__attribute__((noinline)) static int sum_up(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("" : "+r"(sum));
    sum += i;
  }
  return sum;
}
int of_library(int n) { return sum_up(n) + 1; }
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>

int main(int argc, char **argv) {
  void *library = dlopen(argv[argc - 1], RTLD_NOW);
  int (*function)(int) = (int (*)(int))dlsym(library, "of_library");
  tprt_selector selector = {.function = "of_library", .module = "*/lib.so", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  remove(argv[argc - 1]);
  tprt_probe_attach(&selector, &action, &probe, NULL);
  puts(tprt_error_string());
  selector.function = "*";
  tprt_probe_attach(&selector, &action, &probe, NULL);
  int result = function(3);
  printf("all functions: %d hit\n", (int)tprt_probe_count(probe));
  return result != 4 || tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
}
#endif
