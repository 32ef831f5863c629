// A process can have 16 million sites. A table with more sites is refused, and the error
// of attach has the reason, the number of sites, and the remedy. The sites of other
// modules can still be attached. (The table here consists of zeros that need no bytes in
// the file: it is refused before any record is read.)
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -fPIC -shared large.c -o liblarge.so
// RUN: %clang -O2 main.c %tprt_flags -L. -Wl,-rpath,%t -Wl,--no-as-needed -llarge -o alone
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 main.c %tprt_flags -L. -Wl,-rpath,%t -Wl,--no-as-needed -llarge -o beside
// RUN: ./alone 2>&1 | FileCheck --check-prefix=ALONE %s
// RUN: ./beside 2>&1 | FileCheck --check-prefix=BESIDE %s
//
// ALONE: f: not supported here: every sled table in this process was refused: {{.*}}liblarge.so: its 16777217 sleds, with the 0 of other modules, are more than the 16777216 that this runtime supports in one process; its sleds stay off (instrument fewer functions
// BESIDE: f: it was done
// BESIDE: nosuch: no site matches the selector: {{.*}} a table was refused: {{.*}}liblarge.so: its 16777217 sleds
//--- large.c
__asm__(".section tp_sleds,\"a\",%nobits\n"
        ".p2align 2\n"
        ".zero 12 * 16777217\n"
        ".section .note.tp,\"a\",%note\n"
        ".p2align 2\n"
        ".long 3, 16, 1\n"
        ".asciz \"tp\"\n"
        ".p2align 2\n"
        ".quad __start_tp_sleds - .\n"
        ".quad __stop_tp_sleds - .\n"
        ".weak __start_tp_sleds, __stop_tp_sleds\n"
        ".hidden __start_tp_sleds, __stop_tp_sleds\n"
        ".text\n");
//--- main.c
#include <stdio.h>
#include <tprt/tprt.h>
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
static void handler(const tprt_event *e, const tprt_regs *r, void *d) {}
static void attach(const char *function) {
  tprt_selector selector = {.function = function};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s: %s: %s\n", function, tprt_status_string(status), tprt_error_string());
}
int main() {
  attach("f");
  attach("nosuch");
}
