// When the first probe is attached, the target page of the jump at this entry is in use, so the probe gets a trap. Then the page
// becomes free. The second probe must share the trap, and the detach of the last of the two probes must remove the trap.
// The trap once stayed, and both probes were refused.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: first: status 0, by a trap, 9 right
// CHECK-NEXT: second: status 0, by a trap, 9 right
// CHECK-NEXT: 18 counted, 9 counted
// CHECK-NEXT: off: 9 right, 0 traps
// CHECK-NEXT: third: status 0, by a jump, 9 right
// CHECK-NEXT: off: 9 right, 0 traps
#include "../Inputs/harness.h"
#include <sys/mman.h>

// One byte of the entry changes, and its jump leads 757 MiB back.
__asm__(".text\n.p2align 4\n.globl function\n.type function, @function\nfunction:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nmovl %edi, %ebx\nmovb $0xd0, %cl\nleal 1(%rbx), %eax\npopq %rbx\n"
        ".cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size function, . - function\nmovl $1, %eax\nmovl $2, %eax\n");
int function(int);

static int callRight(void) {
  int right = 0;
  for (int i = 0; i < 9; ++i)
    right += function(i) == i + 1;
  return right;
}

static tprt_probe *watch(const char *which) {
  tprt_selector selector = {.function = "function", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, NULL);
  printf("%s: status %d, by a %s, %d right\n", which, status, *(unsigned char *)function == 0xcc ? "trap" : "jump", callRight());
  return probe;
}

static void end(tprt_probe *probe, tprt_probe *other) {
  tprt_probe_detach(probe, -1);
  if (other)
    tprt_probe_detach(other, -1);
  printf("off: %d right, %d traps\n", callRight(), *(unsigned char *)function == 0xcc);
}

int main(void) {
  enum { kBytes = 64 << 20 };
  void *taken = mmap((char *)function - (757l << 20) - kBytes / 2, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tprt_probe *first = watch("first");
  munmap(taken, kBytes);
  tprt_probe *second = watch("second");
  printf("%d counted, %d counted\n", (int)tprt_probe_count(first), (int)tprt_probe_count(second));
  end(first, second);
  end(watch("third"), NULL);
}
