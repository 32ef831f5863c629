// If this fails, hiding a function costs code: a landing pad at a static function without
// indirect calls, bytes in the body, or a dead function that is kept.
// DEFINE: %{cc} = %clang --target=x86_64-linux-gnu -O2 -fcf-protection=branch -S %s -o -
// RUN: %{cc} > %t.hidden
// RUN: %{cc} -Dtp_opaque=noinline,noipa > /dev/null 2>&1 || true
// RUN: FileCheck %s --implicit-check-not='#APP' --implicit-check-not=dead: < %t.hidden
static __attribute__((tp_opaque)) int local(int X) { return X; }
static __attribute__((tp_opaque)) int dead(int X) { return X; }
static int never_called(int X) { return dead(X); }
// CHECK-LABEL: {{^}}caller:
// CHECK: endbr64
// CHECK-LABEL: {{^}}local:
// CHECK-NOT: endbr64
// CHECK: movl %edi, %eax
// CHECK-NEXT: retq
int caller(int X) { return X ? local(X) : local(0); }
int (*const Unused)(int) __attribute__((unused)) = 0;
int other(int X) { return 0 ? never_called(X) : X; }
