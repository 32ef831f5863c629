// If this fails, a function with tp_never or in [never] has sleds in its OpenMP
// regions, which are separate functions with parts of its code.
// clang 16 names regions without their function.
// REQUIRES: llvm-at-least-17
// DEFINE: %{builder} =
// DEFINE: %{check} = %clang -fopenmp %{builder} -O0 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t.filter -S %s -o - | FileCheck %s
// RUN: echo "[never]" > %t.filter && echo "fun:filtered" >> %t.filter
// RUN: %{check}
// REDEFINE: %{builder} = -fopenmp-enable-irbuilder
// RUN: %{check}
int work(int);
// CHECK-NOT:   xchgw
// CHECK-DAG:   {{^}}never{{\.omp_outlined|\.\.omp_par}}:
// CHECK-DAG:   {{^}}.omp_task_entry.:
__attribute__((tp_never)) void never(int N) {
#pragma omp parallel
  {
    work(1);
#pragma omp task
    work(N);
  }
}
// CHECK-DAG:   {{^}}filtered{{\.omp_outlined|\.\.omp_par}}:
void filtered(int N) {
#pragma omp parallel
  work(N);
}
// CHECK-LABEL: {{^}}flag:
// CHECK:       xchgw
// CHECK-LABEL: {{^}}flag{{\.omp_outlined|\.\.omp_par}}:
// CHECK:       xchgw
// Helpers for the OpenMP runtime do not belong to a function of the source.
// CHECK-LABEL: .omp.reduction.reduction_func:
// CHECK-NOT:   xchgw
int flag(int N) {
  int Sum = 0;
#pragma omp parallel for reduction(+ : Sum)
  for (int I = 0; I < N; ++I)
    Sum += work(I);
  return Sum;
}
