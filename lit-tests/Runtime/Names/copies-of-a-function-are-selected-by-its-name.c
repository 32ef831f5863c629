// Compilers call a copy or a part of f f.constprop.0, f.isra.0, f.llvm.1234 or f.avx2. If
// this fails, the name in the source selects none of them. Dots of other languages' names
// stay, and a resolver is another function.
//
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS=count=grind %t 2>&1 | FileCheck %s
//
// CHECK-DAG: 1 grind.constprop.0
// CHECK-DAG: 1 grind.isra.0.llvm.1234
// CHECK-DAG: 1 grind.part.0.avx2
// CHECK-NOT: {{grind\.(cold|resolver|other)}}
#define COPY(NAME, SUFFIX) __attribute__((noinline)) int NAME(int X) __asm__("grind." SUFFIX); int NAME(int X) { return X * 3 + __LINE__; }
COPY(one, "constprop.0")
COPY(two, "isra.0.llvm.1234")
COPY(three, "part.0.avx2")
COPY(four, "cold")
COPY(five, "resolver")
COPY(six, "other.1")

int main(int Count, char **Names) { return one(two(three(four(five(six(Count)))))) == 99; }
