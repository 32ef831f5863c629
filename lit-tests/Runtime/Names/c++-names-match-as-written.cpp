// In a C++ program, patterns match the names of the source, with and without parameters, and
// mangled names. Names of scopes may also have parentheses. The name of a template's instance
// begins with the type of its result, which a pattern may leave out.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t "shop::*" "shop::sell(int)" "shop::sell" "_ZN4shop4sellEi" "shop::nothing" \
// RUN:   "(anonymous namespace)::lend" "(anonymous namespace)::lend(int)" "(anonymous namespace)" "Till::operator()" \
// RUN:   "(anonymous namespace)::lend(int)::Slip::sign" "void shop::rent<int>" "shop::rent<*" | FileCheck %s
//
// CHECK: shop::*: 3
// CHECK-NEXT: shop::sell(int): 1
// CHECK-NEXT: shop::sell: 1
// CHECK-NEXT: _ZN4shop4sellEi: 1
// CHECK-NEXT: shop::nothing: 0
// CHECK-NEXT: (anonymous namespace)::lend: 1
// CHECK-NEXT: (anonymous namespace)::lend(int): 1
// CHECK-NEXT: (anonymous namespace): 0
// CHECK-NEXT: Till::operator(): 1
// CHECK-NEXT: (anonymous namespace)::lend(int)::Slip::sign: 1
// CHECK-NEXT: void shop::rent<int>: 1
// CHECK-NEXT: shop::rent<*: 1
#include "tprt/tprt.h"
#include <cstdio>

namespace shop {
__attribute__((noinline)) int sell(int x) { return x; }
__attribute__((noinline)) int buy(int x) { return -x; }
template <class T> __attribute__((noinline)) void rent(T) { __asm__ volatile(""); }
} // namespace shop
namespace {
__attribute__((noinline)) int lend(int x) {
  struct Slip {
    __attribute__((noinline)) int sign() { return number + 1; }
    volatile int number;
  };
  return Slip{x}.sign();
}
} // namespace
struct Till {
  __attribute__((noinline)) int operator()(int x) const { return 2 * x; }
};

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    int found = 0;
    tprt_selector selector{};
    selector.function = argv[i];
    tprt_site_visit(&selector, [](const tprt_site *, void *count) { return ++*static_cast<int *>(count), 0; }, &found);
    std::printf("%s: %d\n", argv[i], found);
  }
  shop::rent(argc);
  return shop::sell(1) + shop::buy(1) + (lend(argc) + Till()(argc) == 0);
}
