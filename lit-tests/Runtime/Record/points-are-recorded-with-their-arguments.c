// A point is recorded with its arguments, including strings, and is read with the format that the
// program was compiled with. This includes points with more arguments than registers, and NULL
// arguments.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:point:p_*" %t
// RUN: %tpctl trace %t.rec 2>&1 | FileCheck %s
//
// CHECK: * p_one: id=-5 name=first size=7 share=0.5
// CHECK: * p_one: id=-6 name=(null) size=8 share=-1
// CHECK: * p_many: 1 2 3 4 5 6 7 8 9 ten 11
// CHECK: * p_none: nothing
// CHECK-NOT: lost
#include <stddef.h>
#include <tprt/trace.h>
TPRT_POINT(p_one);
TPRT_POINT(p_many);
TPRT_POINT(p_none);

int main(void) {
  const char *names[] = {"first", NULL};
  double shares[] = {0.5, -1};
  for (int i = 0; i < 2; ++i) {
    const char *volatile name = names[i];
    TPRT_TRACE(p_one, "id=%d name=%s size=%zu share=%g", -5 - i, name, (size_t)(7 + i), shares[i]);
  }
  TPRT_TRACE(p_many, "%d %d %d %d %d %d %d %d %d %s %u", 1, 2, 3, 4, 5, 6, 7, 8, 9, "ten", 11u);
  TPRT_TRACE(p_none, "nothing");
}
