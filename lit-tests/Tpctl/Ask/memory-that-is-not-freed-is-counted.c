// count --since malloc --open: what is allocated and not freed, in programs without sleds. If this fails, freed memory
// is counted, or a leak is not.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -fno-builtin %s -o %t
//
// RUN: %tpctl count --since 'libc*!malloc:result' 'libc*!free:ptr' --if 'size > 100000' --open --of size -o - --format csv -- %t | FileCheck %s --check-prefix=LEAK
// LEAK: seconds,function,open,sum,unknown
// LEAK-NEXT: ,malloc,4,900009,0
//
// realloc ends one pair and starts another. Above, it is not known that it has freed its argument.
// RUN: %tpctl count --since 'libc*!malloc:result' --since 'libc*!realloc:result' 'libc*!free:ptr' 'libc*!realloc:ptr' --if 'size > 100000' --open --of size --by caller -o - --format csv -- %t | FileCheck %s --check-prefix=GROWN
// GROWN: seconds,caller,open,sum,unknown
// GROWN-NEXT: ,leak,3,600009,0
// GROWN-NEXT: ,grow,1,300009,0
//
// RUN: %tpctl count --since 'libc*!malloc:result' 'libc*!free:ptr' --if 'size > 100000' -o - --format csv -- %t | FileCheck %s --check-prefix=ENDED
// ENDED: seconds,function,hits
// ENDED-NEXT: ,{{.*}}free{{.*}},17{{$}}
//
// In a program of Debian: 60 of 100 are left.
// RUN: %tpctl count --since 'libc*!malloc:result' 'libc*!free:ptr' --if 'size == 123457' --open --of size -o - --format csv -- /usr/bin/python3 -S -c 'import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p; c.free.argtypes = [ctypes.c_void_p]; all = [c.malloc(123457) for i in range(100)]; [c.free(p) for p in all[:40]]' | FileCheck %s --check-prefix=PYTHON
// PYTHON: seconds,function,open,sum,unknown
// PYTHON-NEXT: ,malloc,60,7407420,0
#include <stdlib.h>

__attribute__((noinline)) void *leak(int i) {
  void *volatile own = malloc(200000 + i);
  return own;
}
__attribute__((noinline)) void *grow(void *from, int i) {
  void *volatile own = realloc(from, 300000 + i);
  return own;
}
static void *all[20], *grown;

int main(void) {
  for (int i = 0; i < 20; ++i)
    all[i] = leak(i);
  for (int i = 0; i < 20; ++i)
    if (i != 2 && i != 3 && i != 4)
      free(all[i]);
  grown = leak(100000);
  for (int i = 0; i < 10; ++i)
    grown = grow(grown, i);
  return 0;
}
