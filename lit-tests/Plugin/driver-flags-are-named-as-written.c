// If this fails, a message to a user of tp-clang names a flag that is not in the
// user's makefile.
// REQUIRES: tp-clang
// RUN: not %tp_clang -ftp-entry=2,x -c %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: invalid argument '-ftp-entry=2,x': expected N or N,M
void f(void) {}
