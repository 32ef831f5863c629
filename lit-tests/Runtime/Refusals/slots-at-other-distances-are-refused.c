// A 2-byte sled has the distance to its slot after 66. The removal of a uprobe would leave 66 and that
// byte. If they form a harmful instruction, the sled is refused with a message. Traps need no slot.
// Objects of earlier versions have such sleds, after prefix data.
//
// REQUIRES: x86_64-host
// RUN: split-file %s %t
// RUN: %clang -fplugin-arg-tp-entry=2,0 %t/main.c -x assembler-with-cpp %t/far.S %tprt_flags -o %t.exe && %t.exe 2>&1 | FileCheck %s
//
// CHECK: 7: it was done
// CHECK-NEXT: 8: it was done
// CHECK-NEXT: 11: it was done
// CHECK-NEXT: 9: every matching site was refused: {{.*}}the sled has no room for a jump
// CHECK-NEXT: 9, traps: it was done
// CHECK-NEXT: 15: every matching site was refused: {{.*}}the sled has no room for a jump
// CHECK-NEXT: 15, traps: it was done

//--- far.S
        // A function whose slot begins `distance` bytes before the end of its sled.
        .macro  sledded distance
        .p2align 4
        .fill   16 - ((\distance - 2) % 16), 1, 0xcc
.Lslot\@:
        .fill   5, 1, 0xcc
        .fill   \distance - 7, 1, 0x90
        .globl  f\distance
        .type   f\distance, @function
f\distance:
.Lsled\@:
        .byte   0x66, 0x90
        ret     $0
        .size   f\distance, . - f\distance
        // SHORT, an entry
        .pushsection tp_sleds,"ao",@progbits,.text
        .p2align 2
        .long   .Lsled\@ - .
        .long   f\distance - .
        .byte   1 << 4, 2, \distance - 2, 0
        .popsection
        .endm

        .text
        sledded 7
        sledded 8
        sledded 9
        sledded 11
        sledded 15
        .section .note.GNU-stack,"",@progbits

//--- main.c
#include "tprt/tprt.h"

#include <stdio.h>

void f7(void), f8(void), f9(void), f11(void), f15(void);
__attribute__((tp_entry(2, 0))) static void makesTable(void) {}
static int hits;
__attribute__((tp_never)) static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }
__attribute__((tp_never)) static void try(const char *name, void (*function)(void), unsigned flags) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .flags = flags};
  tprt_action action = {.handler = onHit};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  hits = 0;
  function();
  printf("%s%s: %s", name + 1, flags ? ", traps" : "", tprt_status_string(status));
  printf(status == TPRT_STATUS_OK && hits == 1 ? "\n" : ": %d hits: %s\n", hits, tprt_error_string());
  tprt_probe_detach(probe, -1);
}
__attribute__((tp_never)) int main(void) {
  makesTable();
  try("f7", f7, 0);
  try("f8", f8, 0);
  try("f11", f11, 0);
  try("f9", f9, 0);
  try("f9", f9, TPRT_SELECT_TRAPS);
  try("f15", f15, 0);
  try("f15", f15, TPRT_SELECT_TRAPS);
  return 0;
}
