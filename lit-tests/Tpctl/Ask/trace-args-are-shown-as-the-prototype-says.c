// tpctl trace --args shows arguments and results by the function's prototype, and only those that exist. If this fails,
// values have wrong types, or values are shown that the function does not have.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -fno-builtin %s -o %t
// RUN: %tpctl trace --code --args 6 'libc*!{close,__close,__libc_close,free,cfree,malloc}' 'trace-args*!own' -- %t 2>&1 | FileCheck %s
//
// An int is negative, a function with one argument shows one, and a function without a result shows none.
// CHECK: close(fd=-5) = -1{{$}}
// CHECK: malloc(size=123457) = 0x{{[0-9a-f]+$}}
// CHECK: {{free|cfree.*}}(ptr=0x{{[0-9a-f]+}}){{$}}
// Of other functions nothing is known.
// CHECK: own(arg0=0x{{[0-9a-f]*}}ffffffff, arg1=0x
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int own(int number) {
  for (int i = 0; i < 3; ++i)
    __asm__ volatile("# some code, so that a jump fits\n\tnop\n\tnop\n\tnop\n\tnop" : "+r"(number));
  return number - 6;
}

int main(void) {
  close(-5);
  void *memory = malloc(123457);
  free(memory);
  return own(-1) == 0;
}
