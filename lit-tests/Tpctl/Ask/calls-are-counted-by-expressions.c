// count with --if, --by and --of: the numbers are exact, whatever a call's arguments and results are. If this fails,
// a key, a condition or a sum is wrong, or calls are missing.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
//
// RUN: %tpctl count work --by '(int)arg0' -o - -- %t | FileCheck %s --check-prefix=NUMBER
// NUMBER: {{^}}          hits     per second  (int)arg0{{$}}
// NUMBER-NEXT: {{^ +1,500 +[0-9,]+}}  -1{{$}}
// NUMBER-NEXT: {{^ +1,500 +[0-9,]+}}  0{{$}}
// NUMBER-NEXT: {{^ +1,500 +[0-9,]+}}  1{{$}}
// NUMBER-NEXT: {{^ +1,500 +[0-9,]+}}  2{{$}}
// NUMBER-NEXT: {{^ +1 +[0-9,]+}}  77{{$}}
// NUMBER-NOT: {{.}}
//
// An argument of unknown type is in hex; -1 as an int has no upper half.
// RUN: %tpctl count work --by arg0 -o - --format csv -- %t | FileCheck %s --check-prefix=WORD
// WORD: seconds,arg0,hits
// WORD-DAG: ,0xffffffff,1500
// WORD-DAG: ,0x4d,1
//
// RUN: %tpctl count work --by 'str(arg1), (int)arg0 < 0' --of '(int)arg0' -o - --format csv -- %t | FileCheck %s --check-prefix=TEXT
// TEXT: seconds,str(arg1),(int)arg0 < 0,hits,sum,min,max,unknown
// TEXT-DAG: ,/etc/group,1,500,-500,-1,-1,0
// TEXT-DAG: ,/etc/group,0,1500,1500,0,2,0
// TEXT-DAG: ,/etc/passwd,0,1500,1500,0,2,0
// TEXT-DAG: ,/tmp/x,0,1500,1500,0,2,0
// TEXT-DAG: ,?,0,1,77,77,77,0
//
// RUN: %tpctl count work --if 'str(arg1) =~ "/etc/*" && (int)arg0 > 0' -o - --format csv -- %t 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: seconds,function,hits
// GLOB-NEXT: ,work,2000
// GLOB-NEXT: note: 1 call not counted, because the condition is not known
//
// RUN: %tpctl count 'work' leaf --by 'function, (int)result' --of 'arg0 + 1' -o - --format csv -- %t | FileCheck %s --check-prefix=RESULT
// RESULT: seconds,function,(int)result,hits,sum,min,max,unknown
// RESULT-DAG: ,work,-2,1500,
// RESULT-DAG: ,work,76,1,78,78,78,0
// RESULT-DAG: ,leaf,3,1000,3000,3,3,0
//
// RUN: %tpctl count leaf --by caller -o - --format csv -- %t | FileCheck %s --check-prefix=CALLER
// CALLER: seconds,caller,hits
// CALLER-DAG: ,first,300
// CALLER-DAG: ,second,700
//
// RUN: %tpctl count leaf --by 'process, thread' -o - --format json -- %t | FileCheck %s --check-prefix=JSON
// JSON: {"seconds":{{[0-9.]+}},"rows":[{"keys":{"process":[[PID:[0-9]+]],"thread":[[PID]]},"hits":1000}]}
//
// Nothing is counted: the reason is said.
// RUN: %tpctl count leaf --if 'arg0 == 5' -- %t 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: note: 1 site watched, but no call was seen for which the condition is true
//
// An error of a system call.
// RUN: %tpctl count fails --if '(int)result < 0' --by errno -o - --format csv -- %t | FileCheck %s --check-prefix=ERRNO
// ERRNO: seconds,errno,hits
// ERRNO-NEXT: ,2,10
// ERRNO-NOT: {{.}}
//
// RUN: %tpctl count jumps --by 'errno, result' -o - --format csv -- %t | FileCheck %s --check-prefix=JUMPS
// JUMPS: ,?,?,10
//
// RUN: %tpctl count work --interval 10ms --by '(int)arg0' --of arg0 -o - --format csv -- %t wait > %t.csv
// RUN: %python -c 'import csv, sys; print(sum(int(row["hits"]) for row in csv.DictReader(open(sys.argv[1]))), open(sys.argv[1]).read().count("seconds"))' %t.csv | FileCheck %s --check-prefix=INTERVAL
// INTERVAL: {{^}}6001 1{{$}}
// RUN: head -1 %t.csv | FileCheck %s --check-prefix=HEADING
// The least value of a single interval is not known.
// HEADING: {{^}}seconds,(int)arg0,hits,sum,unknown{{$}}
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define APART __attribute__((noinline))
APART int work(int mode, const char *path) {
  __asm__ volatile("" ::"r"(path));
  return mode - 1;
}
APART int leaf(long number) {
  __asm__ volatile("" : "+r"(number));
  return (int)number + 1;
}
APART int fails(const char *path) {
  int file = open(path, O_RDONLY);
  __asm__ volatile("" : "+r"(file));
  return file;
}
// What the function that it jumps to returns is not known.
APART int jumps(const char *path) { return open(path, O_RDONLY); }
APART int first(void) { return leaf(2) + 1; }
APART int second(void) { return leaf(2) + 2; }

int main(int argc, char **argv) {
  static const char *const paths[] = {"/etc/passwd", "/etc/group", "/tmp/x"};
  (void)argv;
  for (int i = 0; i < 6000; ++i) {
    work(i % 4 - 1, paths[i % 3]);
    if (argc > 1 && i % 1000 == 0)
      usleep(20000);
  }
  work(77, (const char *)8);
  for (int i = 0; i < 1000; ++i)
    i < 300 ? first() : second();
  for (int i = 0; i < 10; ++i) {
    fails("/no/such/file");
    fails("/dev/null");
    jumps("/no/such/file");
  }
  return 0;
}
