// In a file without symbols, a static function may be known only from a table of functions, and a separate part
// of it may jump back into its middle. The function must be found nevertheless. In a program for a fixed
// address, that table has no relocations, and an instruction may contain the function's address as a number.
//
// RUN: gcc -O2 -s -fPIE -pie %s %tprt_flags -o %t
// RUN: gcc -O2 -s -no-pie -fno-pie %s %tprt_flags -o %t.fixed
// RUN: %t | FileCheck %s
// RUN: %t.fixed | FileCheck %s
//
// CHECK: listed: 10 hits
// CHECK-NEXT: loaded: 10 hits
// CHECK-NEXT: {{^}}0 wrong results
#include "../Inputs/harness.h"
#include <string.h>

// A part that was moved away, as by GCC: a jump leads to the part, and the part jumps back into the
// middle of the function.
__asm__(".text\n.p2align 4\n.type listed, @function\nlisted:\n.cfi_startproc\npushq %rbx\n.cfi_def_cfa_offset 16\n"
        ".cfi_offset 3, -16\nmovq %rdi, %rbx\ntestq %rdi, %rdi\njs listed.cold\nlisted.middle: leaq 5(%rbx), %rax\n"
        "popq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size listed, . - listed\n"
        ".section .text.unlikely, \"ax\", @progbits\n.type listed.cold, @function\nlisted.cold:\n.cfi_startproc\n"
        ".cfi_def_cfa_offset 16\n.cfi_offset 3, -16\nnegq %rbx\njmp listed.middle\n"
        ".cfi_endproc\n.size listed.cold, . - listed.cold\n"
        ".text\n.p2align 4\n.type loaded, @function\nloaded:\n.cfi_startproc\npushq %rbx\n.cfi_def_cfa_offset 16\n"
        ".cfi_offset 3, -16\nleaq 9(%rdi), %rax\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
        ".size loaded, . - loaded\n"
        ".globl table\n.hidden table\n.section .data.rel.ro, \"aw\"\n.p2align 3\ntable: .quad listed\n.text\n");
typedef long (*call)(long);
extern const call table[1] __attribute__((visibility("hidden")));
long loaded(long) __attribute__((visibility("hidden")));

static int hits;
static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  ++hits;
}

static long callMany(const char *name, call volatile function, long expected) {
  hits = 0;
  tprt_selector selector = {.address = (void *)function, .kinds = TPRT_KIND_SET_ENTRY,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_CALL, .handler = on}, &probe, NULL);
  if (!probe)
    puts(tprt_error_string());
  long wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += function(i) != i + expected;
  printf("%s: %d hits\n", name, hits);
  tprt_probe_detach(probe, -1);
  return wrong;
}

int main(void) {
  long wrong = callMany("listed", table[0], 5);
  call volatile by_number = loaded;
  wrong += callMany("loaded", by_number, 9);
  wrong += table[0](-4) != 9;
  printf("%ld wrong results\n", wrong);
  return 0;
}
