// If this fails, a handler runs on the last bytes of a split stack and overwrites the
// memory below it.
// RUN: not %clang -fsplit-stack -fplugin-arg-tp-entry=2 -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %clang -fsplit-stack -fplugin-arg-tp-exit -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: error: tp: 'f' has a split stack (-fsplit-stack)
// RUN: %clang -fsplit-stack -c %s -o /dev/null
int f(int X) { return X; }
__attribute__((no_split_stack)) int whole(int X) { return X; }
__attribute__((tp_never)) int never(int X) { return X; }
