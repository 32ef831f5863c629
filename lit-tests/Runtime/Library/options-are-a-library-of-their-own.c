// If this fails, programs without TPRT_OPTIONS pay for its code, or libtprt.so does not find
// libtprt-options.so in its own folder.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: env -u TPRT_OPTIONS %t 2>&1 | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=libtprt-options.so
// RUN: env TPRT_OPTIONS=count=work %t 2>&1 | FileCheck %s --check-prefix=WITH
//
// WITHOUT: libtprt.so
// WITH: libtprt-options.so
// WITH: tprt: 1 call of 1 function
#include <stdio.h>
#include <string.h>
#include <tprt/tprt.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main() {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  work();
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "libtprt"))
      fputs(line, stderr);
  fclose(maps);
  return !tprt_version_string();
}
