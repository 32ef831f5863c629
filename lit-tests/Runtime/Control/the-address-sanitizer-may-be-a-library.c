// The runtime of GCC's address sanitizer is a library that must be loaded first. A libtprt that tpctl or the user preloads
// would come before that library. The user's own LD_PRELOAD must stay first. If this fails, such programs, and those that a
// command starts, end before main().
//
// REQUIRES: x86_64-host, tpctl
// RUN: gcc -g -O1 -fsanitize=address %s -o %t
// RUN: %tpctl count -o - --code '*!fill' -- %t | FileCheck %s --check-prefix=COUNT
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=fill code=1' %t 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not %tpctl count --code '*!fill' -- %t overflow 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not %tpctl count --code '*!fill' -- sh -c '%t; echo ended with $?' 2>&1 | FileCheck %s --check-prefix=CHILD
// RUN: gcc -g -O1 -shared -fPIC -DLIBRARY -fsanitize=address %s -o %t.so && gcc -O1 -DHOST %s -o %t.host %t.so
// RUN: env ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(gcc -print-file-name=libasan.so) %tpctl count -o - --code '*!fill' -- %t.host | FileCheck %s --check-prefix=COUNT
//
// COUNT: 7 {{.*}}fill
// FAULT: heap-buffer-overflow
// CHILD: ended with 0
#include <stdlib.h>

#ifndef HOST
__attribute__((noinline)) int fill(volatile int *p, int n) {
  for (int i = 0; i < n; ++i)
    p[i] = i;
  return p[n - 1];
}
int calls(int more) {
  int sum = 0;
  for (int i = 1; i < 8; ++i) {
    int *p = malloc((size_t)i * sizeof *p);
    sum += fill(p, i + more);
    free(p);
  }
  return sum != 21;
}
#endif
#ifndef LIBRARY
int calls(int);
int main(int count, char **arguments) {
  (void)arguments;
  return calls(count - 1);
}
#endif
