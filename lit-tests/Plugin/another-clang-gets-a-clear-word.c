// If this fails, a clang of another version crashes with the plugin, or its message names a
// missing symbol instead of the version that is needed.
// REQUIRES: clang-other
// RUN: not %other_clang -fplugin=%plugin -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: tp: this plugin is built for clang 22, but was loaded into a program of LLVM {{[0-9]+ \('.*'\)}}; use clang-22, the only version that tp is for
// CHECK-NOT: {{Stack dump|undefined symbol}}
void f(void) {}
