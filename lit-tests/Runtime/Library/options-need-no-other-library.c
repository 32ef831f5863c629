// If this fails, a copy of libtprt.so without the files around it ignores TPRT_OPTIONS, or a
// program opens another library to follow the variable.
//
// RUN: rm -rf %t && mkdir %t && cp %{libdir}/libtprt.so %t/libtprt.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t/program
// RUN: env LD_PRELOAD=%t/libtprt.so TPRT_OPTIONS=count=work %t/program 2>&1 | FileCheck %s --check-prefixes=CHECK,WITH
// RUN: env -u TPRT_OPTIONS LD_PRELOAD=%t/libtprt.so %t/program 2>&1 | FileCheck %s --implicit-check-not=tprt:
//
// CHECK: mapped: /{{.*}}/libtprt.so
// CHECK-NOT: mapped:
// CHECK: it ran
// WITH: tprt: 1 call of 1 function
// WITH-NEXT: calls
// WITH-NEXT: 1  work
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main() {
  char line[4096], last[4096] = "";
  FILE *maps = fopen("/proc/self/maps", "r");
  work();
  // Each of our libraries is loaded once.
  while (fgets(line, sizeof line, maps)) {
    char *path = strchr(line, '/');
    if (path && strstr(path, "libtprt") && strcmp(path, last) != 0)
      fprintf(stderr, "mapped: %s", strcpy(last, path));
  }
  fclose(maps);
  fputs("it ran\n", stderr);
}
