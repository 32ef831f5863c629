// If this fails, the order of two contradicting attributes decides which of them counts.
// RUN: not %clang -fno-caret-diagnostics -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+2]]:29: error: attribute 'tp_never' contradicts 'tp_entry'
// CHECK: [[@LINE+1]]:16: note: 'tp_entry' stands here
__attribute__((tp_entry(2), tp_never)) void f(void);
// CHECK: error: attribute 'tp_always' contradicts 'tp_never'
__attribute__((tp_never)) __attribute__((tp_always)) void g(void);
// CHECK: error: attribute 'tp_exit' contradicts 'tp_never'
__attribute__((tp_never, tp_exit)) void h(void);
// CHECK: error: attribute 'tp_entry' contradicts 'tp_entry'
__attribute__((tp_entry(2), tp_entry(2, 1))) void sizes(void);
// These attributes do not contradict each other.
__attribute__((tp_entry(2), tp_entry(2, 0), tp_exit, tp_always, tp_opaque)) void one(void);
