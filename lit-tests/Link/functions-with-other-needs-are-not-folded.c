// If this fails, identical code folding leaves one record for two functions with the same bytes,
// although one of them passes registers on that the other function does not use. A handler then
// destroys these registers.
// GNU as refuses what clang 16 writes for sections that are linked to others and in groups.
// REQUIRES: llvm-at-least-17
// REQUIRES: lld, gold, mold, x86_64-host
// DEFINE: %{as} =
// DEFINE: %{compile} = %clang -O2 -mavx -fPIE -ffunction-sections %{as} -fplugin-arg-tp-entry=2 -c %s -o %t.o
// DEFINE: %{with} = %use_lld
// DEFINE: %{check} = %plain_clang -pie -Wl,--icf=all %{with} %t.o -o %t && \
// DEFINE:   %check_linked %t | FileCheck %s
// RUN: %{compile} && %{check}
// REDEFINE: %{as} = -fno-integrated-as
// RUN: %{compile} && %{check}
// REDEFINE: %{with} = -fuse-ld=gold
// RUN: %{check}
// REDEFINE: %{with} = -fuse-ld=mold
// RUN: %{check}
// Each of these functions is one `ret`.
// CHECK: entry identity128=identity128too
// CHECK: entry identity256{{$}}
// CHECK: entry identity64{{$}}
// CHECK: entry main
// CHECK-NEXT: entry nothing=nothing_too
typedef float V256 __attribute__((vector_size(32)));
typedef float V128 __attribute__((vector_size(16)));
void nothing(void) {}
double identity64(double X) { return X; }
V128 identity128(V128 X) { return X; }
V256 identity256(V256 X) { return X; }
V128 identity128too(V128 X) { return X; }
void nothing_too(int X, int Y) {}
// Each of these functions is one `jmp *8(%rdi)`.
// CHECK: entry virtual_call{{$}}
// CHECK-NEXT: entry virtual_call_with_argument{{$}}
int virtual_call(int (**P)(void *)) { return P[1](P); }
int virtual_call_with_argument(int (**P)(void *, int), int X) { return P[1](P, X); }
int main(void) { return 0; }
