// If this fails, an attribute after the definition is
// silently ignored, or silently has only part of its effect.
// RUN: %clang -fno-caret-diagnostics -fplugin-arg-tp-entry=2 -S %s -o %t.s 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.s
// CODE-LABEL: {{^}}plain:
// CODE:       xchgw
// CODE-LABEL: {{^}}marked:
// CODE:       xchgw
// CODE-NOT:   nopl
// CODE:       retq
// CODE-LABEL: {{^}}same:
// CHECK: [[@LINE+3]]:16: warning: attribute declaration must precede definition
// CHECK: [[@LINE+1]]:6: note: previous definition is here
void plain(void) {}
__attribute__((tp_never)) void plain(void);
// CHECK: [[@LINE+3]]:16: warning: attribute declaration must precede definition
// CHECK: [[@LINE+1]]:35: note: previous definition is here
__attribute__((tp_entry(2))) void marked(void) {}
__attribute__((tp_entry(5))) void marked(void);
// CHECK-NOT: warning:
__attribute__((tp_entry(2))) void same(void) {}
__attribute__((tp_entry(2))) void same(void);
