// If this fails, it depends on their order which attribute counts.
// RUN: not %clang -fno-caret-diagnostics -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: attribute 'tp_never' contradicts tp_entry, tp_exit or tp_always at the same place
__attribute__((tp_entry(2), tp_never)) void f(void);
// CHECK: error: attribute 'tp_always' contradicts tp_never at the same place
__attribute__((tp_never)) __attribute__((tp_always)) void g(void);
// CHECK: error: attribute 'tp_exit' contradicts tp_never at the same place
__attribute__((tp_never, tp_exit)) void h(void);
