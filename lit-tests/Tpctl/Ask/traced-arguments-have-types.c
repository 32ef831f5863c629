// trace --args shows the arguments and the result as the debug information describes them, also when the process has
// ended before they are read: names, signs, enumerators, as many as there are, and no result of a void function.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O2 %s -o %t
// RUN: %tpctl trace --code --traps with_mode with_double no_result below_zero --args 3 --rate 0 -- %t 2>&1 | FileCheck %s
// CHECK: with_mode(how=WRITE, count=-5) = 250
// CHECK: with_double(x=?, n=3){{( = \?)?$}}
// CHECK: no_result(is_old=true, letter='z', text=0x{{[0-9a-f]+}}){{$}}
// CHECK: below_zero() = -7
// RUN: cp %t %t.stripped && strip -g %t.stripped
// RUN: %tpctl trace --code --traps with_mode --args 2 --rate 0 -- %t.stripped 2>&1 | FileCheck %s --check-prefix=UNTYPED
// UNTYPED: with_mode(arg0=0x2, arg1=0x{{[0-9a-f]+}}) = 0x{{[0-9a-f]+}}
#define KEPT __attribute__((noinline, used))

enum mode { READ = 1, WRITE = 2 };

KEPT unsigned char with_mode(enum mode how, short count) {
  __asm__ volatile("" ::"r"(how), "r"(count) : "memory");
  return 250;
}
KEPT double with_double(double x, int n) {
  __asm__ volatile("" : "+x"(x) : "r"(n) : "memory");
  return x;
}
KEPT void no_result(_Bool is_old, char letter, const char *text) {
  __asm__ volatile("" ::"r"(is_old), "r"(letter), "r"(text) : "memory");
}
KEPT int below_zero(void) {
  int result = -7;
  __asm__ volatile("" : "+r"(result)::"memory");
  return result;
}

int main(void) {
  with_mode(WRITE, -5);
  with_double(1.5, 3);
  no_result(1, 'z', "text");
  return below_zero() == 0;
}
