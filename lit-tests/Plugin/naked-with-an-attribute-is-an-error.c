// If this fails, an impossible attribute at a naked function is reported only for
// one order of the attributes.
// RUN: not %clang -fno-caret-diagnostics -ferror-limit=0 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+2]]:23: error: attribute 'tp_always': a naked function gets no sled
// CHECK-NEXT: [[@LINE+1]]:16: note: 'naked' stands here
__attribute__((naked, tp_always)) void before(void) { __asm__("ret"); }
// CHECK: [[@LINE+2]]:16: error: attribute 'tp_exit': a naked function gets no sled
// CHECK-NEXT: [[@LINE+1]]:25: note: 'naked' stands here
__attribute__((tp_exit, naked)) void after(void) { __asm__("ret"); }
// CHECK: [[@LINE+3]]:16: error: attribute 'tp_entry': a naked function gets no sled
// CHECK-NEXT: [[@LINE+1]]:16: note: 'tp_entry' stands here
__attribute__((tp_entry(2))) void header(void);
__attribute__((naked)) void header(void) { __asm__("ret"); }
// CHECK: [[@LINE+2]]:16: error: attribute 'tp_opaque': a naked function cannot be opaque
__attribute__((naked)) void definition(void);
__attribute__((tp_opaque)) void definition(void);
__attribute__((tp_never, naked)) void agreed(void) { __asm__("ret"); }
