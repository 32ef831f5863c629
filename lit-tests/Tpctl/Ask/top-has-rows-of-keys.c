// top with --if and --by: the calls and times of keys. The calls are exact, the self times of a function and of what it
// calls add up to its total, and each interval has its own calls. If this fails, keys have the times of others.
//
// REQUIRES: tpctl
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && %clang -g -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o app
// RUN: touch go
//
// RUN: %tpctl top serve --by kind --sort name --format csv -o - -- ./app | FileCheck %s --check-prefix=CSV
// CSV: {{^}}seconds,kind,calls_per_second,calls,total_ns,self_ns,p50_ns,p99_ns,max_ns{{$}}
// CSV-NEXT: {{^}}{{[0-9.]+}},0,{{[0-9.]+}},500,{{[0-9.]+}},{{[0-9.]+}},{{[0-9.]+}},{{[0-9.]+}},{{[0-9.]+}}{{$}}
// CSV-NEXT: {{^}}{{[0-9.]+}},1,{{[0-9.]+}},400,
// CSV-NEXT: {{^}}{{[0-9.]+}},2,{{[0-9.]+}},200,
//
// RUN: %tpctl top serve --by 'str(name), kind' --sort calls -n 2 --batch -o - -- ./app | FileCheck %s --check-prefix=TEXT
// TEXT: {{^}}    calls/s         calls      total       self      p50      p99      max    str(name)  kind{{$}}
// TEXT-NEXT: {{^ +[0-9,]+ +}}500 {{.*}}    tea\n      0{{$}}
// TEXT-NEXT: {{^ +[0-9,]+ +}}400 {{.*}}    coffee     1{{$}}
// TEXT-NOT: milk
//
// RUN: %tpctl top serve step --by 'function, thread' --format json -o all -- ./app
// RUN: %tpctl top serve step --if 'arg0 == 2' --format json -o some -- ./app
// RUN: rm go
// RUN: %tpctl top serve --by kind --last --interval 500ms --format json -o go -- ./app
// RUN: %python %S/Inputs/top_keys.py | FileCheck %s
// CHECK: {{^}}serve and step: 1100 and 1100 calls
// CHECK: {{^}}own times add up: True
// CHECK: {{^}}serve of kind 2: 200 calls, step is left out of it: True
// CHECK: {{^}}intervals: 2 and more, 500 400 200 calls
//
// RUN: not %tpctl top serve --by sort -- ./app 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tpctl: error: --by: 'sort' is no argument of serve(int kind, const char *name)
// RUN: not %tpctl top serve --by kind --budget 5% -- ./app 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: tpctl: error: --budget has no effect with expressions: leave it out
// RUN: not %tpctl top 'serve+*' --by thread -- ./app 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: tpctl: error: 'serve+*' selects no calls, whose times top shows: select functions, or use tpctl count --by
// RUN: %tpctl top serve --if 'kind == 7' --batch -o - -- ./app 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tpctl: note: {{.*}} watched, but no call was seen for which the condition is true
#include <unistd.h>
__attribute__((noinline)) static int step(int kind) {
  for (volatile int i = 0; i < 20; ++i)
    ;
  return kind;
}
__attribute__((noinline)) static int serve(int kind, const char *name) {
  int sum = step(kind) + name[0];
  __asm__ volatile("" : "+r"(sum)); // the call of step is no tail call
  return sum;
}
static const char *const names[] = {"tea\n", "coffee", "milk"};
static void run(int of, int calls) {
  for (int i = 0; i < calls; ++i)
    serve(of, names[of]);
}
int main(void) {
  run(0, 100);
  while (access("go", F_OK)) // the first table
    usleep(1000);
  usleep(20000);
  run(0, 400);
  run(1, 400);
  run(2, 200);
  return 0;
}
