// Variables of libraries, named as in libfoo!counter: by the library's debug information, or by its symbols and a cast.
// The program may have a copy of the variable, which the library uses as well. If this fails, a value is not that of the
// variable, or an error does not say why there is none.
//
// REQUIRES: tpctl, x86_64-host
// RUN: rm -rf %t.d && split-file %s %t.d && cd %t.d
// RUN: gcc -g -O1 -fPIC -shared lib.c -o libfoo.so && gcc -O1 -fPIC -shared lib.c -o libbare.so
// RUN: gcc -g -gsplit-dwarf -O1 -fPIC -shared lib.c -o libsplit.so
// RUN: gcc -g -O1 -fPIE -pie app.c -L. -lfoo -Wl,-rpath,%t.d -o app
// RUN: gcc -O1 -fno-pic -no-pie app.c -L. -lfoo -Wl,-rpath,%t.d -o copying
// RUN: gcc -O1 -fno-pic -no-pie app.c -L. -lbare -Wl,-rpath,%t.d -o bare
// RUN: gcc -O1 -fPIE -pie app.c -L. -lsplit -Wl,-rpath,%t.d -o split
//
// RUN: %tpctl count work --by 'libfoo!counter' --format csv -o - -- ./app | FileCheck %s --check-prefix=COUNTER
// RUN: %tpctl count work --by 'libfoo.so!::counter' --format csv -o - -- ./copying | FileCheck %s --check-prefix=COUNTER
// RUN: %tpctl count work --by '*(int *)&libbare!counter' --format csv -o - -- ./bare | FileCheck %s --check-prefix=COUNTER
// RUN: %tpctl count work --by 'libsplit!counter' --format csv -o - -- ./split | FileCheck %s --check-prefix=COUNTER
// COUNTER-DAG: ,7,1{{$}}
// COUNTER-DAG: ,8,1{{$}}
// COUNTER-DAG: ,9,1{{$}}
// RUN: %tpctl trace work --if 'libfoo!counter>8&&libfoo!how==libfoo!FAST' --print 'libfoo!place.x, libfoo!hidden, str(libfoo!label), libfoo!how' -- ./app | FileCheck %s --check-prefix=TYPED
// TYPED: libfoo!place.x=3, libfoo!hidden=3, str(libfoo!label)="abc", libfoo!how=FAST
// TYPED-NOT: "abc"
// At single instructions and with a value.
// RUN: %tpctl count 'work+*' --if 'libfoo!counter == 8' --of 'libfoo!place.x' --by thread!=0 --format csv -o - -- ./app | FileCheck %s --check-prefix=INSIDE
// INSIDE: ,1,{{[1-9]}}
//
// RUN: not %tpctl count work --by 'libbare!counter' -- ./bare 2>&1 | FileCheck %s --check-prefix=UNTYPED
// UNTYPED: error: --by: libbare!counter has no known type, because {{.*}}libbare.so has no debug information{{.*}}; write it, as in *(int *)&libbare!counter
// RUN: not %tpctl count work --by 'libbare!label' -- ./bare 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: write it, as in *(long *)&libbare!label
// RUN: not %tpctl count work --by 'libfoo!mine' -- ./app 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: --by: 'libfoo!mine' cannot be read: each thread has its own
// RUN: not %tpctl count work --by 'libbare!mine' -- ./bare 2>&1 | FileCheck %s --check-prefix=BARETHREADS
// BARETHREADS: error: --by: 'libbare!mine' cannot be read: each thread has its own
// RUN: not %tpctl count work --by 'libfoo!nothing' -- ./app 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --by: 'libfoo!nothing' cannot be read: libfoo.so has no variable of this name
// RUN: not %tpctl count work --by 'libother!counter' -- ./app 2>&1 | FileCheck %s --check-prefix=MODULE
// MODULE: error: --by: 'libother!counter' cannot be read: the process has loaded no module 'libother' so far; give the command when it has
//
// A '!' that is an operator stays one.
// RUN: %tpctl count work --by '!arg0+!arg0, arg0!=1' --format csv -o - -- ./app | FileCheck %s --check-prefix=NOT
// NOT-DAG: ,2,1,1{{$}}
// NOT-DAG: ,0,0,1{{$}}
//--- lib.c
int counter = 7;
static volatile int hidden = 3;
struct place { int x, y; } place = {1, 2};
__thread int mine;
const char *label = "abc";
enum mode { SLOW = 4, FAST } how = FAST;
int next(void) { return ++counter + hidden + mine + (place.x += 1); }
//--- app.c
extern int counter;
int next(void);
__attribute__((noinline)) int work(int n) {
  __asm__ volatile("" : "+r"(n));
  return n + next();
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += work(i);
  return sum + counter == 0;
}
