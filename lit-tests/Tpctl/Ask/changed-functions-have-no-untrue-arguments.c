// Compilers leave out arguments and results of functions that only they call, or pass another value in place of an
// argument. What is left is right; what is gone is refused. If this fails, a wrong register is shown as the argument.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O2 %s -o %t.gcc
// RUN: %plain_clang -g -O2 %s -o %t.clang
// RUN: nm %t.gcc | FileCheck %s --check-prefix=CLONES
// CLONES-DAG: take_part.{{[a-z]+}}
// CLONES-DAG: know_mode.constprop.0
// CLONES-DAG: forget.isra
//
// RUN: %tpctl count --code 'take_part*' --of k --format csv -o - -- %t.gcc | FileCheck %s --check-prefix=K
// RUN: %tpctl count --code 'take_part*' --of k --format csv -o - -- %t.clang | FileCheck %s --check-prefix=K
// K: take_part{{.*}},50,123,1,4,0
//
// RUN: %tpctl count --code 'know_mode*' --of x --format csv -o - -- %t.gcc | FileCheck %s --check-prefix=X
// RUN: %tpctl count --code 'know_mode*' --of x --format csv -o - -- %t.clang | FileCheck %s --check-prefix=X
// X: know_mode{{.*}},50,1225,0,49,0
//
// RUN: not %tpctl count --code 'take_part*' --by unused -- %t.gcc 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: not %tpctl count --code 'take_part*' --by unused -- %t.clang 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: --by: 'unused' cannot be read: the compiler has left it out, or passes it in another way
//
// The result of a function whose callers do not use it is left out too. That of a copy for a constant is there.
// RUN: not %tpctl count --code 'forget*' --by result -- %t.gcc 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not %tpctl count --code 'forget*' --by result -- %t.clang 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: --by: 'result' cannot be read: the compiler has changed this function, and may have left out its result
// RUN: %tpctl count --code 'know_mode*' --of result --format csv -o - -- %t.gcc | FileCheck %s --check-prefix=KEPT
// KEPT: know_mode{{.*}},50,362087,0,14578,0
//
// Without debug information, a message says where it would be found.
// RUN: cp %t.gcc %t.stripped && strip -g %t.stripped
// RUN: not %tpctl count --code 'take_part*' --by k -- %t.stripped 2>&1 | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: error: --by: 'k' is no known name, because {{.*}}.stripped has no debug information, and /usr/lib/debug/.build-id/{{[0-9a-f]+/[0-9a-f]+}}.debug is not there
// RUN: not %tpctl count --code 'take_part*' --by '((struct parts *)arg0)->used' -- %t.stripped 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: --by: the type 'parts' is unknown, because {{.*}}.stripped has no debug information
#include <stdio.h>

struct parts {
  long a, b, c;
  int used;
};

static __attribute__((noinline)) long take_part(struct parts *p, int unused, int k) {
  long s = 0;
  for (int i = 0; i < k; i++)
    s += p->used ^ (s << 1);
  return s;
}

static __attribute__((noinline)) long know_mode(int mode, long x) {
  long s = x;
  for (int i = 0; i < mode; i++)
    s = s * 3 + (s >> 3);
  return s;
}

static __attribute__((noinline)) long forget(long *to, long x) {
  *to += x;
  return x * 3;
}

int main(void) {
  struct parts all = {1, 2, 3, 4};
  long sum = 0;
  for (int i = 0; i < 50; i++) {
    all.used = i;
    sum += take_part(&all, i, i % 4 + 1);
    sum += know_mode(5, i);
    forget(&sum, i);
  }
  fprintf(stderr, "%ld\n", sum);
  return 0;
}
