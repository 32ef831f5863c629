// A call that is left by an exception ends where the exception is caught. So a catching loop is
// shown as a loop, and not as nested calls, and the calls of a catch clause belong to the
// catching function.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags
// RUN: rm -f %t.rec && env TPRT_OPTIONS="record=%t.rec:*e_*" %t
// RUN: %tpctl graph --share=0 %t.rec > %t.graph
// RUN: FileCheck %s --strict-whitespace --input-file=%t.graph
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s --check-prefix=REPORT
//
// CHECK: {{ }}1 100.0%  e_serve()
// CHECK-NEXT: {{ }}1000 {{.*}}%    e_request(int)
// CHECK-NEXT: {{ }}1000 {{.*}}%      e_parse(int)
// CHECK-NEXT: {{ }}250 {{.*}}%      e_clean()
// CHECK-NEXT: {{ }}500 {{.*}}%    e_log()
// CHECK-NOT: e_
// REPORT: note: {{.*}}: 1000 calls ended without an exit
static volatile int sink;
#define CALL __attribute__((noinline))
CALL void e_parse(int number) {
  if (number % 2)
    throw number;
  sink = number;
}
CALL void e_clean() { sink = 1; }
CALL void e_request(int number) {
  try {
    e_parse(number);
  } catch (int) {
    if (number % 4 == 1)
      e_clean();
    throw;
  }
  sink = number;
}
CALL void e_log() { sink = 2; }
CALL void e_serve() {
  for (int i = 0; i < 1000; ++i)
    try {
      e_request(i);
    } catch (int) {
      e_log();
    }
  sink = 3;
}
int main() { e_serve(); }
