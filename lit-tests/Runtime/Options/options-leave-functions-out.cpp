// not=GLOB and !GLOB exclude functions from count and time, also those of later modules. The time of an excluded
// function counts as its caller's own time. not=in::* also keeps out the instances of templates in that namespace,
// whose names begin with the type of the result: int in::twice<int>(int).
//
// RUN: %tp_clangxx -O2 -ftp-entry=2,0 -ftp-exit %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=* not=in::* !main" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="time=*,!in::*" %t 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=in::*,!in::*" %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so "TPRT_OPTIONS=count=*,!options-leave*!*" %t 2>&1 | FileCheck %s --check-prefix=MODULE
//
// A function that two patterns match has one row.
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=main count=m*" %t 2>&1 | FileCheck %s --check-prefix=TWICE
//
// CHECK: tprt: 1 call of 1 function (1 watched)
// CHECK: 1 outside(int)
// CHECK-NOT: twice
// TIME: tprt: 2 calls of 2 functions took {{.*}} (2 watched)
// ALL: nothing was counted by count=in::*: everything that matches in::* is excluded
// MODULE: nothing was counted by count=*: everything that matches * is excluded
// TWICE: tprt: 1 call of 1 function (1 watched)
#include <stdexcept>
namespace in {
__attribute__((noinline)) int side(int a) { asm volatile(""); return a + 1; }
__attribute__((noinline)) int other(int a) { asm volatile(""); return side(a) + 1; }
template <class T> __attribute__((noinline)) T twice(T a) { asm volatile(""); return a + a; }
} // namespace in
__attribute__((noinline)) int outside(int a) { asm volatile(""); return in::other(a) + in::twice(a) - 1; }
int main(int argc, char **) {
  if (argc > 5)
    throw std::runtime_error("libstdc++ is there");
  return outside(argc) - 4;
}
