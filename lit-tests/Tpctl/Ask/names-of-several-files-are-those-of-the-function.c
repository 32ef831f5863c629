// Source files may have different types, variables and enumerators of one name. Those of the function's file apply; an
// external variable goes before static ones of other files; and what cannot be decided is refused. If this fails, a
// value of another file is shown.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -c %s -o %t.1.o && gcc -g -DSECOND -c %s -o %t.2.o && gcc -g -DTHIRD -c %s -o %t.3.o
// RUN: gcc %t.1.o %t.2.o %t.3.o -o %t
// RUN: %tpctl count --code --traps one --by 'counter,K+0,((struct S *)p)->x,(Number)arg1' --format csv -o - -- %t | FileCheck %s --check-prefix=ONE
// RUN: %tpctl count --code --traps two --by 'counter,K+0,((struct S *)p)->x,(Number)arg1' --format csv -o - -- %t | FileCheck %s --check-prefix=TWO
// RUN: %tpctl count --code --traps three --by 'shared' --format csv -o - -- %t | FileCheck %s --check-prefix=THREE
// ONE: ,11,1,4,-1,1{{$}}
// TWO: ,22,2,77,4294967295,1{{$}}
// THREE: ,33,1{{$}}
//
// RUN: not %tpctl count --code --traps three --by counter -- %t 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: not %tpctl count --code --traps three --by K -- %t 2>&1 | FileCheck %s --check-prefix=K
// RUN: not %tpctl count --code --traps three --by '((struct S *)p)->x' -- %t 2>&1 | FileCheck %s --check-prefix=S
// COUNTER: error: --by: 'counter' has different meanings in several source files, and that of the function does not define it
// K: error: --by: 'K' has different meanings in several source files
// S: error: --by: the type 'S' has different meanings in several source files
void two(void *p, long n);
void three(void *p, long n);

#ifdef THIRD
extern int shared;
__attribute__((noinline)) void three(void *p, long n) { asm volatile("" ::"r"(p), "r"(n), "r"(&shared) : "memory"); }
#elif defined(SECOND)
struct S {
  double q;
  long pad;
  int x;
};
enum { K = 2 };
typedef unsigned Number;
static int counter = 22;
int shared = 33;
__attribute__((noinline)) void two(void *p, long n) {
  Number Kept = n;
  struct S *s = p;
  asm volatile("" ::"r"(s->x + Kept + K), "r"(&counter), "r"(&shared) : "memory");
}
#else
struct S {
  int a;
  int x;
};
enum { K = 1 };
typedef int Number;
static int counter = 11;
static int shared = 44;
__attribute__((noinline)) void one(void *p, long n) {
  Number Kept = n;
  struct S *s = p;
  asm volatile("" ::"r"(s->x + Kept + K), "r"(&counter), "r"(&shared) : "memory");
}

int main(void) {
  struct S s = {3, 4};
  struct {
    double q;
    long pad;
    int x;
  } other = {1.5, 0, 77};
  one(&s, -1);
  two(&other, -1);
  three(&s, 0);
  return 0;
}
#endif
