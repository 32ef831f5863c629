// If this fails, a tp_opaque function is inlined because a call requests
// inlining, or the contradiction with always_inline is not reported.
// RUN: %clangxx --target=x86_64-linux-gnu -Wno-ignored-attributes -Wno-pass-failed -O2 -S %s -o - | FileCheck %s
__attribute__((tp_opaque)) int hidden(int X) { return X * 5; }
// CHECK-LABEL: {{^}}_Z6calleri:
// CHECK: {{callq|jmp}} _Z6hiddeni
int caller(int X) {
  [[clang::always_inline]] return hidden(X);
}
// The flag has no effect on functions that are always inlined.
// RUN: %clangxx -fplugin-arg-tp-entry=2 -fplugin-arg-tp-opaque -DALWAYS= --target=x86_64-linux-gnu -O2 -S %s -o - | FileCheck %s --check-prefix=FLAG
// RUN: not %clangxx -DALWAYS=[[tp::opaque]] -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
#ifdef ALWAYS
// ERROR: [[#@LINE+1]]:{{[0-9]+}}: error: function 'inlined' is 'tp_opaque' and cannot be 'always_inline' as well
ALWAYS __attribute__((always_inline)) inline int inlined(int X) { return X + 9; }
// FLAG-LABEL: {{^}}_Z5otheri:
// FLAG: leal 9(%rdi), %eax
// FLAG-NEXT: retq
int other(int X) { return inlined(X); }
#endif
