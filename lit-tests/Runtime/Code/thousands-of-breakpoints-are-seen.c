// Thousands of uprobes are set at once at probed instructions, as a tool for a whole library does. Later one more
// uprobe is set. Restoring the bytes of thousands of instructions is slow. If libtprt then checked less often, it
// would see the last uprobe too late, and the removal of that uprobe could crash the function. The breakpoints here
// are the program's own: libtprt cannot distinguish them from uprobes.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: thousands: given back
// CHECK-NEXT: one more: given back
// CHECK-NEXT: 0 wrong results
#include "../Inputs/harness.h"
#include <string.h>
#include <sys/mman.h>

// Functions of 16 bytes. With the last four bytes of the first instruction, a jump would lead into this program: so
// the jumps need the first byte.
enum { kCount = 4000, kBytes = 16 };
__asm__(".text\n.p2align 12, 0xcc\nalike:\n.set number, 0\n.altmacro\n"
        ".macro one n\n.globl alike_\\n\n.type alike_\\n, @function\nalike_\\n:\n.cfi_startproc\nmovl $1, %eax\naddl %edi, %eax\nret\n.cfi_endproc\n"
        ".size alike_\\n, . - alike_\\n\n.p2align 4, 0xcc\n.endm\n"
        ".rept 4000\none %number\n.set number, number + 1\n.endr\n.noaltmacro\n.p2align 12, 0xcc\n");
extern unsigned char alike[];

static void store(int first, int end, unsigned char byte) {
  mprotect(alike, kCount * kBytes, PROT_READ | PROT_WRITE | PROT_EXEC);
  for (int i = first; i < end; ++i)
    __atomic_store_n(&alike[i * kBytes], byte, __ATOMIC_RELAXED);
  mprotect(alike, kCount * kBytes, PROT_READ | PROT_EXEC);
}

// Waits until the bytes after the breakpoint are those of the original instruction.
static const char *await(int index) {
  static const unsigned char behind[] = {1, 0, 0, 0};
  for (int i = 0; i < 1000; ++i, usleep(10000))
    if (memcmp(&alike[index * kBytes + 1], behind, sizeof behind) == 0)
      return "given back";
  return "NOT given back";
}

int main(void) {
  long wrong = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  tprt_selector selector = {.function = "alike_*", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
  const int last = kCount - 1;
  store(0, last, 0xcc);
  printf("thousands: %s\n", await(last - 1));
  usleep(300000); // libtprt checks again what is already restored
  store(last, kCount, 0xcc);
  printf("one more: %s\n", await(last));
  store(0, kCount, 0xb8);
  for (int i = 0; i < kCount; ++i)
    wrong += ((long (*)(long))(alike + i * kBytes))(i) != i + 1;
  wrong += tprt_probe_count(probe) != 0;
  wrong += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  printf("%ld wrong results\n", wrong);
  return 0;
}
