// If this fails, a link ends in a relocation overflow nobody understands, or each
// function brings the same error.
// DEFINE: %{large} = FileCheck %s --implicit-check-not=error:
// RUN: not %clang -mcmodel=large -fplugin-arg-tp-entry=2 -c %s -o /dev/null 2>&1 | %{large}
// RUN: %plain_clang -S -emit-llvm %s -o %t.ll
// RUN: not %llc -code-model=large -tp-exit %t.ll -o /dev/null 2>&1 | %{large}
// CHECK: error: tp: sleds are not supported with -mcmodel=large
// Nothing asks for a sled.
// RUN: %clang -mcmodel=large -Werror -c %s -o /dev/null
void f(void) {}
void g(void) {}
