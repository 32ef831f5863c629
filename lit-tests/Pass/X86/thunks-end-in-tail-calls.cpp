// If this fails, [always] on a thunk gives an exit sled in the wrong place, or
// a handler destroys the arguments that the jump of a thunk passes on.
// RUN: printf "[always]\nfun:_ZTh*\n" > %t.list
// RUN: %clangxx -O1 -fplugin-arg-tp-exit -fplugin-arg-tp-filter=%t.list -S %s -o - | FileCheck %s
// RUN: %clangxx -O1 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s --check-prefix=FLAG
// CHECK-LABEL: {{^}}_ZThn16_N1C1gEi:
// CHECK:       .asciz "\017\037D\000"
// CHECK-NEXT:  jmp _ZN1C1gEi
// FLAG-LABEL:  {{^}}_ZThn16_N1C1gEi:
// FLAG-NOT:    .asciz "\017\037D\000"
// FLAG:        jmp _ZN1C1gEi
struct A { virtual void f(int); long X; };
struct B { virtual void g(int); };
struct C : A, B { void g(int) override; };
int V;
__attribute__((noinline)) void C::g(int X) { V = X; }
