// With -save-temps, clang compiles through .i, .bc and .s files. If this fails, sleds are
// lost, a function gets two sleds, or callers use the body of an opaque function.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// DEFINE: %{level} = -O2
// DEFINE: %{with} = %clang %{level} -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit
// DEFINE: %{show} = llvm-objdump -sr -j .text -j tp_sleds -
// DEFINE: %{check} = %{with} -S %s -o plain.s && %plain_clang -c plain.s -o plain.o && \
// DEFINE:   %{with} -c %s -save-temps -o cwd.o && %{with} -c %s -save-temps=obj -o obj.o && %{show} < plain.o > plain && \
// DEFINE:   %{show} < cwd.o | diff plain - && %{show} < obj.o | diff plain - && \
// DEFINE:   llvm-readelf -S cwd.o | FileCheck %s
// RUN: %{check}
// REDEFINE: %{level} = -O0
// RUN: %{check}
// CHECK: tp_sleds PROGBITS {{[0-9a-f]+ [0-9a-f]+}} 000030
__attribute__((tp_never)) int never(int X) { return X + 1; }
__attribute__((tp_opaque)) int one(int X) { return 1; }
int caller(int X) { return one(X) + never(X); }
