// If this fails, a clang of another version crashes with the plugin.
// REQUIRES: clang-other
// RUN: not %other_clang -fplugin=%plugin -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: {{tp: this plugin is built for clang 22, but was loaded into|unable to load plugin '.*libtp.so': '.*undefined symbol}}
// CHECK-NOT: Stack dump
void f(void) {}
