// Some sites get a pun although a jump would work, because uprobes may be set and removed at a pun. A pun needs a
// mapping, and this program leaves few mappings. If this fails, such puns use up all mappings, and functions that
// need a pun are refused.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: functions that need no pun: 300 of 300 are on, some by one byte, most by more
// CHECK-NEXT: functions that need one: 50 of 50 are on
// CHECK-NEXT: 0 wrong results
#include "../Inputs/harness.h"
#include "Inputs/mappings.h"
#include <string.h>

enum { LEFT = 600, OTHERS = 300, PUNS = 50 };

// A jump with the bytes after the first one leads at least 1 GB back, to a separate page.
__asm__(".text\n.macro other index\n.p2align 4, 0x90\n.skip 16, 0x50\n.globl other\\index\n.type other\\index, @function\n"
        "other\\index: .cfi_startproc\nmovl $0xc0000000 - 0x10000 * \\index, %eax\nleal 0x40000001 + 0x10000 * \\index(%rax,%rdi), %eax\n"
        "ret\n.cfi_endproc\n.size other\\index, . - other\\index\n.skip 16, 0x50\n.endm\n"
        ".macro pun index\n.p2align 4, 0x90\n.skip 16, 0x50\n.globl pun\\index\n.type pun\\index, @function\n"
        "pun\\index: .cfi_startproc\npushq %rbx\nmovl $0xa00000 - 0x100 * \\index, %ebx\npopq %rbx\nleal 1(%rdi), %eax\n"
        "ret\n.cfi_endproc\n.size pun\\index, . - pun\\index\n.skip 16, 0x50\n.endm\n"
        ".altmacro\n.set number, 0\n.rept 300\nother %number\n.set number, number + 1\n.endr\n"
        ".set number, 0\n.rept 50\npun %number\n.set number, number + 1\n.endr\n.noaltmacro\n"
        ".section .rodata\n.globl others, puns\n.p2align 3\n"
        ".altmacro\n.macro refer name, index\n.long name\\index - .\n.endm\n"
        ".set number, 0\nothers:\n.rept 300\nrefer other, %number\n.set number, number + 1\n.endr\n"
        ".set number, 0\npuns:\n.rept 50\nrefer pun, %number\n.set number, number + 1\n.endr\n.noaltmacro\n.text\n");
extern const int others[OTHERS], puns[PUNS];

static long (*functionOf(const int *place))(long) {
  return (long (*)(long))(void *)((const char *)place + *place);
}

// Attaches to some functions in one batch. Returns the number of functions that are on.
static int attachTo(const char *names) {
  tprt_selector selector = {.function = names, .module = "*/jumps-leave-mappings*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &action, &probe, &result);
  return (int)result.enabled;
}

int main(void) {
  if (!leaveMappings(LEFT)) {
    puts("functions that need no pun: 300 of 300 are on, some by one byte, most by more\n"
         "functions that need one: 50 of 50 are on\n0 wrong results, as this system allows too many mappings to try");
    return 0;
  }
  static unsigned char before[OTHERS][5];
  for (int i = 0; i < OTHERS; ++i)
    memcpy(before[i], (const void *)functionOf(&others[i]), 5);
  int on = attachTo("other?"), single = 0, wrong = 0;
  for (int i = 0; i < 10; ++i) {
    char names[16];
    snprintf(names, sizeof names, "other?%d", i);
    on += attachTo(names);
    snprintf(names, sizeof names, "other[12]?%d", i);
    on += attachTo(names);
  }
  for (int i = 0; i < OTHERS; ++i) {
    const unsigned char *now = (const void *)functionOf(&others[i]);
    single += now[0] != before[i][0] && memcmp(now + 1, before[i] + 1, 4) == 0;
  }
  printf("functions that need no pun: %d of %d are on, %s by one byte, %s by more\n", on, OTHERS, single ? "some" : "none",
         single < OTHERS / 2 ? "most" : "few");
  printf("functions that need one: %d of %d are on\n", attachTo("pun*"), PUNS);
  for (int i = 0; i < OTHERS; ++i)
    wrong += functionOf(&others[i])(i) != i + 1;
  for (int i = 0; i < PUNS; ++i)
    wrong += functionOf(&puns[i])(i) != i + 1;
  printf("%d wrong results\n", wrong);
  return 0;
}
