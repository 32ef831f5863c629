// If this fails, a filter line with braces in its name matches nothing, or is refused. Demangled names
// have the values of template arguments in braces, and so do names of lambdas from libstdc++'s
// demangler.
// LLVM 16 has no alternatives in globs.
// REQUIRES: llvm-at-least-17
// RUN: rm -rf %t && split-file %s %t
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/never.txt -S %t/a.cpp -o - | FileCheck %s
// CHECK-LABEL: _Z3putIXtl3BoxLi1ELi2EEEEiv:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z3putIXtl3BoxLi1ELi3EEEEiv:
// CHECK: xchgw
// CHECK-LABEL: _Z4nestIXtl4Pairtl3BoxLi1ELi2EELi1EEEEiv:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z1av:
// CHECK-NOT: xchgw
// CHECK-LABEL: _Z1cv:
// CHECK: xchgw
// CHECK-LABEL: _ZZ4takevENKUlicE_clEic:
// CHECK-NOT: xchgw
//--- never.txt
[never]
fun:int put<Box{1, 2}>()
fun:nest<Pair{Box{1, 2}, 1}>
fun:take()::{lambda(int, char)#1}::operator()(int, char) const
fun:{a,b}()
//--- a.cpp
struct Box {
  int A, B;
};
struct Pair {
  Box One;
  int Two;
};
template <Box V> int put() { return V.A; }
template <Pair V> int nest() { return V.Two; }
template int put<Box{1, 2}>();
template int put<Box{1, 3}>();
template int nest<Pair{{1, 2}, 1}>();
int a() { return 1; }
int c() { return 2; }
inline int take() {
  auto Add = [](int V, char C) __attribute__((noinline)) {
    __asm__ volatile("");
    return V + C;
  };
  return Add(1, 2);
}
int call() { return take(); }
