// If this fails, a program that flips many functions one after the other runs
// into the kernel's limit of mappings (65,530), and every later flip is slower.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t && %run %t
#include "../Inputs/harness.h"

// Each function is on separate pages.
#define F(n)                                                                   \
  int f##n(int x) {                                                            \
    __asm__("jmp 1f; .skip 16384, 0xcc; 1:");                                  \
    return x + n;                                                              \
  }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

static int mappings(void) {
  int lines = 0, c;
  FILE *file = fopen("/proc/self/maps", "r");
  while ((c = fgetc(file)) != EOF)
    lines += c == '\n';
  fclose(file);
  return lines;
}

int main(void) {
  int hits = 0, before = 0;
  char name[] = "f0";
  for (int i = 0; i < 8; ++i) {
    name[1] = "04261537"[i];
    tprt_probe *probe = attachHandler(name, countHit, &hits);
    int (*volatile functions[])(int) = {f0, f1, f2, f3, f4, f5, f6, f7};
    functions[name[1] - '0'](1);
    tprt_probe_detach(probe, -1);
    if (i == 0)
      before = mappings();
  }
  int after = mappings();
  if (after > before || hits != 8)
    printf("%d mappings after the first, %d after the last; %d hits\n", before, after, hits);
  return after > before || hits != 8;
}
