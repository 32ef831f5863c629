// If this fails, TP_CLANG may name a clang that cannot load the plugin, and the message
// does not name the required clang.
// REQUIRES: clang-without-plugin
// RUN: not env TP_CLANG=%unsupported_clang %tp_clang -ftp-entry=2,0 -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: tp-clang: error: '{{.*}}' is clang {{[0-9]+}}, but tp in '{{.*}}' is for clang {{.*}}: set TP_CLANG and TP_CLANGXX to one of these, or give --tp-clang
void f(void) {}
