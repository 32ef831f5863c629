// If this fails, tools that follow __patchable_function_entries find our sled there
// and overwrite it.
// RUN: not %clang -fplugin-arg-tp-entry=2 -fpatchable-function-entry=4 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: tp: 'flag' has nops of -fpatchable-function-entry
// CHECK-NOT: zero
int flag(int X) { return X; }
__attribute__((patchable_function_entry(0))) int zero(int X) { return X; }
__attribute__((tp_never)) int never(int X) { return X; }
