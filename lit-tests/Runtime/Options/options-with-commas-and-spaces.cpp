// Parameters of a C++ function are part of its name: a comma between parameters does not
// end an option, and a quoted comma or space does not either.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=f(long, int),top=3" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="top=3 count='f(long, int)'" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count="f(long, int)",top=3' %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS='count=(anonymous namespace)::h(int),top=3' %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ANONYMOUS
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=f( top=3,count=main" %t 2>&1 | FileCheck %s --check-prefix=OPEN
//
// CHECK-NOT: TPRT_OPTIONS
// CHECK: tprt: 1 call of 1 function (1 watched)
// CHECK: 1 f(long, int)
// ANONYMOUS: 1 (anonymous namespace)::h(int)
// OPEN: count=f(: no function or point matches so far
// OPEN: 1 main
#include <stdexcept>
__attribute__((noinline)) int f(long a, int b) { asm volatile(""); return int(a) + b; }
__attribute__((noinline)) int f(int a) { asm volatile(""); return a; }
namespace {
__attribute__((noinline)) int h(int a) { asm volatile(""); return a; }
} // namespace
int main(int argc, char **) {
  if (argc > 5)
    throw std::runtime_error("libstdc++ is there");
  return f(1, 2) + f(3) + h(4) - 10;
}
