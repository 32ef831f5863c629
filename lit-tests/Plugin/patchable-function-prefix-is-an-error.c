// If this fails, nops that are all before the label are overlooked. Such nops are between
// the slot and the label, so the sled's jump misses the slot.
// DEFINE: %{with} = not %clang -fplugin-arg-tp-entry=2 -c -o /dev/null
// RUN: %{with} %s -fpatchable-function-entry=5,5 2>&1 | FileCheck %s --check-prefixes=CHECK,FLAG
// RUN: %{with} %s 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: error: tp: 'attribute' has nops of -fpatchable-function-entry
// FLAG:  error: tp: 'plain' has nops of -fpatchable-function-entry
// Exit sleds are far from these nops, so they are allowed.
// RUN: %clang -fplugin-arg-tp-exit -c %s -o /dev/null -fpatchable-function-entry=5,5
__attribute__((patchable_function_entry(5, 5))) int attribute(int X) { return X; }
__attribute__((patchable_function_entry(0, 0))) int none(int X) { return X; }
int plain(int X) { return X; }
__attribute__((tp_never)) int never(int X) { return X; }
