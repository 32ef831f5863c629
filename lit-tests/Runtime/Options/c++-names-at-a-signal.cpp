// When a signal ends a program, no name can be demangled. The names must have been
// demangled before.
//
// REQUIRES: x86_64-host
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: not --crash env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*work*" %t 2>&1 | FileCheck %s
// RUN: not --crash env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*work* names=linked" %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LINKED
//
// CHECK: , ended by signal 15
// CHECK: 1  work(std::string const&, long)  (
// LINKED: 1  _Z4workRK
#include <csignal>
#include <string>
__attribute__((noinline)) void work(const std::string &, long) { raise(SIGTERM); }
int main() { work("", 1); }
