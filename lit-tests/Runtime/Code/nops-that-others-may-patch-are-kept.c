// Nops between functions look like padding. But if a table in the program has their address, another patcher
// may write code there, such as a live patch. So no probe puts a jump there. Nops without such a word are
// padding.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: listed nops were changed: no; other nops: yes
// CHECK-NEXT: {{^}}0 wrong results
#include "../Inputs/harness.h"
#include <string.h>

// Each function begins with an instruction of four bytes, which needs five dead bytes nearby.
#define FUNCTION(name, body) \
  ".p2align 4\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body ".cfi_endproc\n.size " name ", . - " name "\n"
long first(long), second(long);
extern const unsigned char *const table[1];
// The code between keeps each function's dead bytes out of the other's reach.
#define WALL(name) FUNCTION(name, ".fill 256, 1, 0x50\nud2\n")
__asm__(".text\n" WALL("wall.1") FUNCTION("first", "imulq %rdi, %rdi\nmovq %rdi, %rax\nret\n")
        "nops: .fill 12, 1, 0x90\n" WALL("wall.2") FUNCTION("second", "imulq %rdi, %rdi\nleaq 1(%rdi), %rax\nret\n")
        ".fill 12, 1, 0x90\n" WALL("wall.3")
        ".section .data.rel.ro, \"aw\"\n.p2align 3\ntable: .quad nops\n.text\n");

static const char *areChanged(const unsigned char *bytes) {
  for (int i = 0; i < 12; ++i)
    if (bytes[i] != 0x90)
      return "yes";
  return "no";
}

int main(void) {
  tprt_selector all = {.function = "*", .module = "*.c.tmp", .kinds = TPRT_KIND_SET_ALL,
                       .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&all, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
  printf("listed nops were changed: %s; other nops: %s\n", areChanged(table[0]), areChanged((const unsigned char *)second + 9));
  int wrong = 0;
  for (long i = 0; i < 10; ++i)
    wrong += first(i) != i * i || second(i) != i * i + 1;
  printf("%d wrong results\n", wrong);
  return 0;
}
