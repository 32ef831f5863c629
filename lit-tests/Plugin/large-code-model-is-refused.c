// If this fails, a link ends with an obscure relocation overflow, or the same
// error is repeated for each function.
// DEFINE: %{large} = FileCheck %s --implicit-check-not=error:
// RUN: not %clang -mcmodel=large -fplugin-arg-tp-entry=2 -c %s -o /dev/null 2>&1 | %{large}
// RUN: %plain_clang -S -emit-llvm %s -o %t.ll
// RUN: not %llc -code-model=large -tp-exit %t.ll -o /dev/null 2>&1 | %{large}
// CHECK: error: tp: sleds are not supported with -mcmodel=large
// Here no function requests a sled, so there is no error.
// RUN: %clang -mcmodel=large -Werror -c %s -o /dev/null
void f(void) {}
void g(void) {}
