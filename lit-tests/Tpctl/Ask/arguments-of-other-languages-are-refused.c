// Fortran passes addresses of what it calls numbers, and Rust passes structures in a way of its own. The language is that
// of the debug information. If this fails, parts of addresses are shown as arguments.
//
// REQUIRES: tpctl, x86_64-host
// RUN: %plain_clang -g -O0 -S -emit-llvm %s -o %t.ll
// RUN: sed 's/DW_LANG_C[0-9]*/DW_LANG_Fortran90/' %t.ll > %t.fortran.ll && %plain_clang %t.fortran.ll -o %t.fortran
// RUN: sed 's/DW_LANG_C[0-9]*/DW_LANG_Rust/' %t.ll > %t.rust.ll && %plain_clang %t.rust.ll -o %t.rust
// RUN: not %tpctl count --code --traps plain --by n -- %t.fortran 2>&1 | FileCheck %s
// RUN: not %tpctl count --code --traps mixed --by n -- %t.rust 2>&1 | FileCheck %s
// CHECK: error: --by: 'n' cannot be read: how the language of this function passes it is unknown
// RUN: %tpctl count --code --traps plain --by '(int)arg0' --format csv -o - -- %t.fortran | FileCheck %s --check-prefix=READ
// RUN: %tpctl count --code --traps plain --by n --format csv -o - -- %t.rust | FileCheck %s --check-prefix=READ
// READ: ,7,1{{$}}
struct pair {
  long a, b;
};

__attribute__((noinline)) int plain(int n) { return n; }
__attribute__((noinline)) int mixed(struct pair p, int n) { return p.a + n; }

int main(void) {
  struct pair p = {1, 2};
  return plain(7) + mixed(p, 8) == 16 ? 0 : 1;
}
