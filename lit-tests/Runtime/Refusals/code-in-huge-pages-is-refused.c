// Code that was moved to huge pages of hugetlbfs cannot be written page by page, so its sites
// are refused with that reason.
//
// REQUIRES: hugepages
// RUN: rm -rf %t && split-file %s %t
// RUN: %clang -O2 -fPIC -shared -fplugin-arg-tp-entry=2,0 %t/lib.c -Wl,-z,max-page-size=0x200000 -o %t/lib.so
// RUN: %plain_clang -I %S/../Inputs %t/main.c %tprt_flags -o %t/main
// RUN: %t/main %t/lib.so | FileCheck %s
//
// CHECK: every matching site was refused: the code there is {{.*}} hugetlbfs
// CHECK-NEXT: 7, 0 hits
//--- lib.c
int answer(int x) { return x + 1; }
//--- main.c
#define _GNU_SOURCE
#include "refused-answer.h"

int main(int argc, char **argv) {
  int (*answer)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "answer");
  const unsigned long huge = 2ul << 20;
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    unsigned long low, high;
    if (!strstr(line, "lib.so") || sscanf(line, "%lx-%lx r-xp", &low, &high) != 2 || !strstr(line, "r-xp"))
      continue;
    char *to = (char *)(low & -huge);
    char *from = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (from == MAP_FAILED)
      return perror("mmap"), 1;
    memcpy(from + ((char *)low - to), (void *)low, high - low);
    mprotect(from, huge, PROT_READ | PROT_EXEC);
    if (mremap(from, huge, huge, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED)
      return perror("mremap"), 1;
  }
  attachAndCall(answer);
}
