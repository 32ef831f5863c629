// If this fails, a page from which the program removed all rights, or the right
// to execute, becomes executable again when a single sled in the next page is
// flipped: the sled's slot might be in that page.
//
// REQUIRES: lld
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %use_lld %s %tprt_flags -o %t
// RUN: %t
#include "../Inputs/harness.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int f(int x);
__attribute__((tp_never)) int g(int x) { return x; }
__asm__(".text; .p2align 16; .skip 65536, 0xcc"); // the pages before f
__attribute__((aligned(65536))) int f(int x) { return x + 1; }

static char *rights(uintptr_t page, char now[8]) {
  unsigned long low, high;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fscanf(maps, "%lx-%lx %7s%*[^\n]", &low, &high, now) == 3 && (page < low || page >= high))
    continue;
  fclose(maps);
  return now;
}

int main(void) {
  const int protections[] = {PROT_READ | PROT_EXEC, PROT_NONE, PROT_READ};
  uintptr_t page = (uintptr_t)f - (uintptr_t)getpagesize();
  char before[8], on[8], off[8];
  for (int i = 0; i < 3; ++i) { // the first attach makes all code writable
    mprotect((void *)page, getpagesize(), protections[i]);
    rights(page, before);
    tprt_probe *probe = attachHandler("f", ignoreHit, NULL);
    rights(page, on);
    tprt_probe_detach(probe, -1);
    if (strcmp(before, on) || strcmp(before, rights(page, off)))
      return printf("%s before, %s on, %s off\n", before, on, off);
  }
  return 0;
}
