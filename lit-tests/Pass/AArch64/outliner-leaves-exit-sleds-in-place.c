// If this fails, the record of an exit points at a jump to outlined code.
// RUN: %clang --target=aarch64-linux-gnu -Oz -moutline -fplugin-arg-tp-exit -c %s -o %t.o
// RUN: llvm-objdump -d %t.o | FileCheck %s
// CHECK-LABEL: <a>:
// CHECK:       bl {{.*}}<OUTLINED_FUNCTION
// CHECK:       nop
// CHECK-NEXT:  ret
// CHECK-LABEL: <x>:
// CHECK:       bl {{.*}}<OUTLINED_FUNCTION
// CHECK:       nop
// CHECK-NEXT:  b
// CHECK-LABEL: <OUTLINED_FUNCTION_0>:
// CHECK-NOT:   nop
extern int U, V, W;
int g(int), h(int);
int a(int X) { U = X; V = X + 1; W = X * 3; return g(X) + 1; }
int b(int X) { U = X; V = X + 1; W = X * 3; return g(X) + 1; }
int c(int X) { U = X; V = X + 1; W = X * 3; return g(X) + 1; }
int x(int X) { U = X; V = X + 1; W = X * 3; return h(X); }
int y(int X) { U = X; V = X + 1; W = X * 3; return h(X); }
int z(int X) { U = X; V = X + 1; W = X * 3; return h(X); }
