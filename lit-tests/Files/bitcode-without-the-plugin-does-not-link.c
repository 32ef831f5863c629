// If this fails, code generated from bitcode by a compiler without the plugin silently has no
// sleds. With -fembed-bitcode, clang itself generates code without the plugin.
// REQUIRES: lld
// DEFINE: %{with} = %clang -O2 -fplugin-arg-tp-entry=2
// DEFINE: %{link} = not %plain_clang %use_lld %t.o -o %t 2>&1 | FileCheck %s
// RUN: %{with} -c -emit-llvm %s -o %t.bc && %plain_clang -c %t.bc -o %t.o && %{link}
// RUN: %{with} -S -emit-llvm %s -o %t.ll && llc -filetype=obj -relocation-model=pic %t.ll -o %t.o && %{link}
// RUN: %{with} -fembed-bitcode -c %s -o %t.o && %{link}
// CHECK: undefined hidden symbol: tp: code generated from bitcode without libtppass.so: compile with -fplugin=libtp.so
// A compiler with the plugin removes the symbol.
// RUN: %clang -c %t.bc -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=NONE
// NONE-NOT: tp:
int main(void) { return 0; }
