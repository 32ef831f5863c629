// A store to code in a shared mapping would change the code in every process that maps the file. So
// the sites of such code are refused.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -o %t/lib.so
// RUN: cp %t/lib.so %t/before.so
// RUN: %plain_clang -I %S/../Inputs %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
// RUN: cmp %t/lib.so %t/before.so
//
// CHECK: every matching site was refused: the code there is a shared mapping
// CHECK-NEXT: 7, 0 hits
//--- lib.c
int answer(int x) { return x + 1; }
//--- main.c
#include "refused-answer.h"
#include <fcntl.h>

int main(int argc, char **argv) {
  int (*answer)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "answer");
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    unsigned long low, high, offset;
    if (strstr(line, "lib.so") && sscanf(line, "%lx-%lx r-xp %lx", &low, &high, &offset) == 3)
      mmap((void *)low, high - low, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, open(argv[1], O_RDWR), (long)offset);
  }
  attachAndCall(answer);
}
