// If this fails, the record of an exit points at a jump to outlined code, or the end of
// an outlined function is reported as its caller's exit.
// RUN: %clang -Oz -mllvm -enable-machine-outliner -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}a:
// CHECK:       xchgw %ax, %ax
// CHECK:       callq OUTLINED_FUNCTION
// CHECK:       .Ltp_exit0:
// CHECK-NEXT:  retq
// CHECK-LABEL: {{^}}x:
// CHECK:       xchgw %ax, %ax
// CHECK:       callq OUTLINED_FUNCTION
// CHECK:       .Ltp_exit2:
// CHECK-NEXT:  .asciz "\017\037D\000"
// CHECK-NEXT:  jmp g@PLT
// CHECK-LABEL: {{^}}OUTLINED_FUNCTION_0:
// CHECK-NOT:   .Ltp_
// CHECK:       .ident
extern int U, V, W;
int g(int);
int a(int X) { U = X; V = X + 1; W = X * 3; return g(X) + 1; }
int b(int X) { U = X; V = X + 1; W = X * 3; return g(X) + 1; }
int x(int X) { U = X; V = X + 1; W = X * 3; return g(X); }
int y(int X) { U = X; V = X + 1; W = X * 3; return g(X); }
