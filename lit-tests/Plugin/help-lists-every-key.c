// If this fails, a key is missing from the list, or the help fails.
// RUN: %clang -fplugin-arg-tp-help -fsyntax-only %s | FileCheck %s
// CHECK: {{^}}  -fplugin-arg-tp-entry=N[,M] entry sleds
// CHECK: {{^}}  -fplugin-arg-tp-exit {{ *}}sleds before returns
// CHECK: {{^}}  -fplugin-arg-tp-slot=auto|none
// CHECK: {{^}}  -fplugin-arg-tp-filter=FILE
// CHECK: {{^}}  -fplugin-arg-tp-instruction-threshold=K
// CHECK: {{^}}  -fplugin-arg-tp-opaque
// CHECK: {{^}}  -fplugin-arg-tp-names
// CHECK: {{^}}  -fplugin-arg-tp-help
void f(void) {}
