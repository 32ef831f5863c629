// Under an auditor with la_pltexit (LD_AUDIT), calls through the PLT return to the loader. If dlsym() then looks
// up the next function of a name (RTLD_NEXT), it cannot find its caller, and crashes. So libtprt must not call
// dlsym() through the PLT.
//
// RUN: split-file %s %t.d
// RUN: %plain_clang -shared -fPIC %t.d/audit.c -o %t.d/audit.so
// RUN: %clang -O1 -I %S/../Inputs -fplugin-arg-tp-entry=2,0 %t.d/program.c %tprt_flags -o %t
// RUN: env LD_AUDIT=%t.d/audit.so %t | FileCheck %s
//
// REQUIRES: x86_64-host
// CHECK: 1 hits

//--- audit.c
#define _GNU_SOURCE
#include <link.h>
unsigned la_version(unsigned version) { return version; }
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  (void)map, (void)space, (void)cookie;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, La_x86_64_regs *registers,
                                  unsigned *flags, const char *name, long *frame) {
  (void)index, (void)from, (void)to, (void)registers, (void)flags, (void)name;
  *frame = 64; // makes the loader call la_pltexit, with so many bytes of arguments
  return symbol->st_value;
}
unsigned la_x86_64_gnu_pltexit(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, const La_x86_64_regs *registers,
                               La_x86_64_retval *results, const char *name) {
  (void)symbol, (void)index, (void)from, (void)to, (void)registers, (void)results, (void)name;
  return 0;
}

//--- program.c
#include "harness.h"
__attribute__((noinline)) int traced(int x) {
  __asm__ volatile("" : "+r"(x));
  return x;
}
int main(void) {
  int hits = 0;
  attachHandler("traced", countHit, &hits);
  traced(1);
  printf("%d hits\n", hits);
  return 0;
}
