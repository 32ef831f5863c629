// clang 16 describes no argument that it leaves without a location. The name of the function tells that one is missing. If
// this fails, the values of other arguments are shown.
//
// REQUIRES: tpctl, x86_64-host
// RUN: %plain_clangxx -g -O0 -S -emit-llvm -fno-discard-value-names %s -o %t.ll
// RUN: sed -e '/dbg.declare.*%unused/d' -e '/dbg_declare.*%unused/d' %t.ll > %t.less.ll
// RUN: %plain_clangxx %t.ll -o %t.whole && %plain_clangxx %t.less.ll -o %t.less
// RUN: %tpctl count --code --traps 'work*' --by n --format csv -o - -- %t.whole | FileCheck %s --check-prefix=WHOLE
// RUN: not %tpctl count --code --traps 'work*' --by n -- %t.less 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: %tpctl count --code --traps 'several*' --by n --format csv -o - -- %t.less | FileCheck %s --check-prefix=SEVERAL
// WHOLE: ,5,1{{$}}
// LESS: error: --by: 'n' cannot be read: the debug information leaves out another argument of this function
// SEVERAL: ,7,1{{$}}
template <class A, class B> struct two {};

__attribute__((noinline)) int work(long unused, long n) { return n; }
// The name has commas that are not between arguments.
__attribute__((noinline)) int several(void (*)(int, int), two<int, long> *, long n, ...) { return n; }

int main() { return work(4, 5) + several(nullptr, nullptr, 7, 8) == 12 ? 0 : 1; }
