// In a C++ program patterns match the names of the source, with and without
// parameters, and mangled names too.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t "shop::*" "shop::sell(int)" "shop::sell" "_ZN4shop4sellEi" "shop::nothing" | FileCheck %s
//
// CHECK: shop::*: 2
// CHECK-NEXT: shop::sell(int): 1
// CHECK-NEXT: shop::sell: 1
// CHECK-NEXT: _ZN4shop4sellEi: 1
// CHECK-NEXT: shop::nothing: 0
#include "tprt/tprt.h"
#include <cstdio>

namespace shop {
__attribute__((noinline)) int sell(int x) { return x; }
__attribute__((noinline)) int buy(int x) { return -x; }
} // namespace shop

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    int found = 0;
    tprt_selector selector{};
    selector.function = argv[i];
    tprt_sites_visit(&selector, [](const tprt_site *, void *count) { return ++*static_cast<int *>(count), 0; }, &found);
    std::printf("%s: %d\n", argv[i], found);
  }
  return shop::sell(1) + shop::buy(1);
}
