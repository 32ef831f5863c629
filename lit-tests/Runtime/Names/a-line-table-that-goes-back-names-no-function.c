// The address of a line table's second row is before the program's code. The first row
// must then name no function, instead of all functions after the row.
//
// RUN: %clang -O1 -no-pie -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: no site matches the selector
// CHECK-NEXT: in the source file back.c
#include "tprt/tprt.h"
#include <stdio.h>

void first(void) { __asm__ volatile(""); }
void second(void) { __asm__ volatile(""); }
void third(void) { __asm__ volatile(""); }
// The header (DWARF 5, 6.2.4, but of version 2), a row at `second`, and a row at 8.
__asm__(".pushsection .debug_line,\"\",%progbits\n"
        "  .long 2f-1f\n"
        "1: .short 2\n"
        "  .long 4f-3f\n"
        "3: .byte 1,1,-5,14,10,0,1,1,1,1,0,0,0,1, 0\n"
        "  .asciz \"back.c\"\n"
        "  .byte 0,0,0, 0\n"
        "4: .byte 0,9,2\n"
        "  .quad second\n"
        "  .byte 1, 0,9,2\n"
        "  .quad 8\n"
        "  .byte 1, 0,1,1\n"
        "2: .popsection");

static int ignore(const tprt_site *site, void *data) { return 0; }

int main() {
  tprt_selector selector = {.source = "back.c"};
  puts(tprt_status_string(tprt_site_visit(&selector, ignore, NULL)));
  puts(tprt_error_string());
}
