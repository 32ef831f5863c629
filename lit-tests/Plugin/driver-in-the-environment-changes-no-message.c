// If this fails, a message names a flag that the user has not written, because tp-clang
// started this process with a variable in the environment.
// RUN: not env TP_CLANG_DEPTH=1 %clang -fplugin-arg-tp-entry=2,x -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: invalid argument '-fplugin-arg-tp-entry=2,x': expected N or N,M
void f(void) {}
