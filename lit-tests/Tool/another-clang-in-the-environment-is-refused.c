// If this fails, TP_CLANG may name a clang that cannot load the plugin, and the message
// does not name the required clang.
// REQUIRES: clang-other
// RUN: not env TP_CLANG=%other_clang %tp_clang -ftp-entry=2,0 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: tp: this plugin is built for clang 22
// CHECK-SAME: use clang-22
void f(void) {}
