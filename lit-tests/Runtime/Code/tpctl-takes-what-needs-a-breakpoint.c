// tpctl refuses a function that is too short for any jump, and prints that reason. With --traps its hits are
// counted by breakpoints. If a pattern matches nothing, tpctl says why.
//
// REQUIRES: tpctl
// RUN: gcc -O2 -no-pie %s -o %t
// RUN: not %tpctl count --code 'tpctl-takes*!short_one' -- %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %tpctl count --code --traps 'tpctl-takes*!short_one' -- %t 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: %tpctl count --code --traps '/^short_one$/' 'tpctl-takes*!main' -- %t 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: not %tpctl count --code 'libc.so*!strlen' -- %t 2>&1 | FileCheck %s --check-prefix=IFUNC
// RUN: not %tpctl hist --code 'libc.so*!strlen' -- %t 2>&1 | FileCheck %s --check-prefix=IFUNC
// RUN: not %tpctl top --batch --code 'libc.so*!strlen' -- %t 2>&1 | FileCheck %s --check-prefix=IFUNC
// RUN: %tpctl list --code -v 'tpctl-takes*!has_cold' -- %t | FileCheck %s --check-prefix=COLD
//
// REFUSED: tpctl: error: 1 of 1 site refused, the first short_one {{.*}}no jump fits over its instruction {{.*}} (--traps)
// TRAP: {{^ *}}1,000 {{.*}} short_one
// IFUNC: matches libc.so*!strlen: {{.*}}IFUNC
// COLD: exit {{.*}} -0x
// COLD: entry {{.*}} +0x0
#include <stdio.h>

// No dead bytes are near. A jump that ended in the next bytes, 0f 1f 80, would lead 2 GB back. In a program without PIE
// nothing can lie there, wherever the kernel puts the heap.
__asm__(".text\n.globl short_one\n.type short_one, @function\n.p2align 4\n.fill 256, 1, 0x50\nud2\n"
        ".p2align 4\nshort_one:\n.cfi_startproc\nmovl %edi, %eax\n.byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\nret\n"
        ".cfi_endproc\n.size short_one, . - short_one\n.fill 256, 1, 0x50\nud2\n");
int short_one(int i);
int volatile zero;

__attribute__((cold, noinline)) static int rarely(int i) { return printf("%d\n", i); }
__attribute__((noinline, noclone)) int has_cold(int i) {
  if (__builtin_expect(i > 2000000, 0)) {
    if (i == 5000000)
      return rarely(i) + 3;
    return rarely(i + 1) * 5;
  }
  return i + 1;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += short_one(i) + has_cold(i);
  return sum == zero;
}
