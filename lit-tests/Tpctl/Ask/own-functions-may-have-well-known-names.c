// A program may have a function of its own with the name of one of libc, and other arguments. If this fails, the prototype
// of libc's function is applied to it, and registers of others are shown.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -fno-builtin -w %s -o %t
// RUN: %tpctl count --code --traps '*.tmp!write' --by 'a,b,c,result' --format csv -o - -- %t | FileCheck %s --check-prefix=WRITE
// RUN: %tpctl count --code --traps '*.tmp!access' --by 'p->n,q' --format csv -o - -- %t | FileCheck %s --check-prefix=ACCESS
// RUN: %tpctl count --code --traps '*.tmp!dup' --by 'fd' --format csv -o - -- %t | FileCheck %s --check-prefix=DUP
// WRITE: ,1.5,7,2.5,3.75,1{{$}}
// ACCESS: ,3,0.5,1{{$}}
// With the same types, the names of the prototype are those that the documents promise.
// DUP: ,5,1{{$}}
struct pair {
  int n;
};
double write(double a, int b, double c) { return a * c; }
int access(struct pair *p, double q) { return p->n; }
int dup(int mine) { return mine; }

int main(void) {
  struct pair p = {3};
  return write(1.5, 7, 2.5) == 3.75 && access(&p, 0.5) == 3 && dup(5) == 5 ? 0 : 1;
}
