// A unit of the debug information whose entries have no end is read as far as it is whole. If this fails, tpctl crashes.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -gdwarf-5 %s -o %t
// RUN: %python %S/Inputs/damage.py %t %t.damaged
// RUN: %tpctl count --code --traps hit --by 'n,counter' --format csv -o - -- %t.damaged | FileCheck %s
// RUN: not %tpctl count --code --traps hit --by missing -- %t.damaged 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: ,7,5,1
// MISSING: error: --by: 'missing' is no argument of hit(int n)
int counter = 5;

__attribute__((noinline)) int hit(int n) {
  asm volatile("" ::"r"(n), "r"(&counter) : "memory");
  return n + counter;
}

int main(void) { return hit(7) == 12 ? 0 : 1; }
