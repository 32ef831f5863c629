// `trace` and `record` show hits of single instructions with values of variables there, and only those for which a condition
// is true. If this fails, values are of other hits.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O0 %s -o %t
// RUN: %tpctl trace --code --traps @app.c:31 --if 'square > 200' --print 'i, square, str(name), (int)$rsp != 0' -- %t 2>&1 | FileCheck %s
// RUN: rm -f %t.tp && %tpctl record --code --traps -o %t.tp @app.c:31 --if 'square > 200' --values 'i, square, str(name), (int)$rsp != 0' -- %t 2>&1 | FileCheck %s --check-prefix=RECORD
// RUN: %tpctl trace %t.tp | FileCheck %s
// RUN: %tpctl trace --code --traps @app.c:31 --if 'thread != 0 && $rbp != 0' -- %t 2>&1 | FileCheck %s --check-prefix=ALL
// CHECK-NOT: step
// CHECK: step+0x{{[0-9a-f]+}}  i=15, square=225, str(name)="odd", (int)$rsp != 0=1{{$}}
// CHECK-NEXT: step+0x{{[0-9a-f]+}}  i=16, square=256, str(name)="even", (int)$rsp != 0=1{{$}}
// CHECK-NEXT: i=17, square=289
// CHECK-NEXT: i=18, square=324
// CHECK-NEXT: i=19, square=361
// CHECK-NOT: step
// RECORD: 5 events, none lost
// ALL-COUNT-20: step+0x{{[0-9a-f]+}}{{$}}
// ALL-NOT: step
//
// RUN: not %tpctl trace --code --traps @app.c:31 main --if 'square > 200' -- %t 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: tpctl: error: '@app.c:31' selects single instructions: with expressions, select functions in a command of their own
// RUN: not %tpctl trace --code --traps @app.c:31 --if 'sqare > 200' -- %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tpctl: error: --if: 'sqare' is no variable at step+0x{{[0-9a-f]+}} (app.c:31), where there are i, name, square
// NAME-NEXT: {{^ *}}sqare > 200{{$}}
// NAME-NEXT: {{^ *}}^~~~~{{$}}
volatile int sink;
#line 29 "app.c"
__attribute__((noinline)) void step(int i, const char *name) {
  int square = i * i;
  sink = square + name[0];
}

int main(void) {
  for (int i = 0; i < 20; i++)
    step(i, i % 2 ? "odd" : "even");
  return 0;
}
