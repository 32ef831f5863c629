// If this fails, some return of a function has no sled, so its exit is not reported.
// RUN: %clang -O1 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// RUN: %clang -Oz -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}f:
// CHECK:       .Ltp_exit[[FIRST:[0-9]+]]:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
// CHECK:       .Ltp_exit[[SECOND:[0-9]+]]:
// CHECK-NEXT:  retq
// CHECK-NEXT:  .ascii "\314\314\314\314"
// CHECK-NOT:   retq
// CHECK-DAG:   .long .Ltp_exit[[FIRST]]-
// CHECK-DAG:   .long .Ltp_exit[[SECOND]]-
void g(int *);
int f(int X) { // shrink-wrapped: the early return has no frame to undo
  if (__builtin_expect(X == 0, 1))
    return 1;
  int A[20];
  g(A);
  g(A);
  return A[X];
}
