// In a program below 4 GB, a function begins with a tail jump to another one. While that jump is probed, it becomes a jump
// through a word, whose first byte is different. A uprobe is set there and removed: the kernel restores the first byte,
// and the original jump must be complete by then. With uprobes=1 no jump through a word is used, because a probe then
// changes only first bytes.
//
// RUN: gcc -O1 -no-pie %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=1 %t | FileCheck %s --check-prefix=ONE
//
// CHECK: on: 67 ff 25
// CHECK-NEXT: 43, hits 1
// CHECK-NEXT: under a breakpoint: cc 6b 00
// CHECK-NEXT: without it: 43, hits 1
// CHECK-NEXT: off: e9 6b 00
// ONE: on: e9 6b 00
// ONE-NEXT: 43, hits 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <sys/mman.h>

// Three bytes of the jump lie in one aligned word. The distance leads into the program, where a jump of five bytes has
// no room for an island.
long tested(long);
__asm__(".text\n.skip 1 << 18, 0x50\n.p2align 4\n.skip 5, 0x50\n.type tested, @function\ntested: .cfi_startproc\n"
        ".byte 0xe9\n.long target - 1f\n1: .cfi_endproc\n.size tested, . - tested\n.byte 0x50, 0x90\n.skip 105, 0x50\n"
        ".type target, @function\ntarget: .cfi_startproc\nleaq 1(%rdi), %rax\nret\n.cfi_endproc\n.size target, . - target\n"
        ".skip 1 << 18, 0x50\n");

static volatile unsigned char *const kCode = (unsigned char *)tested;

static void show(const char *when) {
  printf("%s: %02x %02x %02x\n", when, kCode[0], kCode[1], kCode[2]);
}

int main(void) {
  setlinebuf(stdout);
  tprt_selector selector = {.function = "tested", .kinds = TPRT_KIND_SET_ENTRY, .module = "*/a-jump-that*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &count, &probe, NULL);
  show("on");
  long result = tested(42);
  printf("%ld, hits %d\n", result, probe ? (int)tprt_probe_count(probe) : 0);
  if (!probe)
    return 0;
  uintptr_t page = sysconf(_SC_PAGESIZE);
  mprotect((void *)((uintptr_t)kCode & -page), page, PROT_READ | PROT_WRITE | PROT_EXEC);
  kCode[0] = 0xcc;
  // An attach checks for uprobes, and so does libtprt's thread.
  for (int i = 0; i < 200 && kCode[1] == 0xff; ++i) {
    usleep(10000);
    tprt_selector other = selector;
    other.function = "main";
    tprt_probe_detach(attachSelected(other, count), -1);
  }
  show("under a breakpoint");
  kCode[0] = 0xe9;
  result = tested(42);
  printf("without it: %ld, hits %d\n", result, (int)tprt_probe_count(probe));
  tprt_probe_detach(probe, -1);
  show("off");
  return 0;
}
