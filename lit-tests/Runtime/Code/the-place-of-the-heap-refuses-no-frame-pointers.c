// A function with a frame pointer that saves many registers begins with 55 48 89 e5 41 57. The jump over its first byte
// leads 1,054 MiB up. The heap of a position-independent program begins at a random address up to 1,024 MiB above the program,
// and libtprt keeps some memory after the heap free. If that is more than 30 MiB, the function is refused in some
// processes: with 128 MiB in one of ten.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 -fPIE -pie %s %tprt_flags -o %t
// RUN: sh -c 'for i in $(seq 50); do %t || exit 1; done' | sort | uniq -c | FileCheck %s
//
// CHECK: 50 1 matched, 0 refused, 3 hits
// CHECK-NOT: refused
#include "../Inputs/harness.h"
#include <stdlib.h>

__asm__(".text\n.globl saves\n.type saves, @function\nsaves:\n.cfi_startproc\n"
        "pushq %rbp\n.byte 0x48, 0x89, 0xe5\npushq %r15\npushq %r14\npushq %rbx\npopq %rbx\npopq %r14\npopq %r15\npopq %rbp\nret\n"
        ".cfi_endproc\n.size saves, .-saves\n");
void saves(void);

int main(void) {
  free(malloc(1)); // the heap exists
  tprt_selector selector = {.function = "saves", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &action, &probe, &result);
  for (int i = 0; i < 3; ++i)
    saves();
  printf("%d matched, %d refused, %d hits\n", (int)result.matched, (int)result.refused, probe ? (int)tprt_probe_count(probe) : 0);
  return 0;
}
