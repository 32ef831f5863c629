// If this fails, a jump in uninstrumented code has its last bytes in an instruction that the program rewrites, such as
// a constant that it sets at run time: the next change sends the jump to a wrong address, or the constant is wrong.
// libtprt cannot foresee the first change, but detects code that was changed before the attach.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 -rdynamic %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: get is 11223344 at first, 1 after a change
// CHECK-NEXT: the entry of get has no jump: 1
// CHECK-NEXT: the entry of same has a jump: 1
// CHECK-NEXT: get is 2, 3, 4 after changes with the probe
// CHECK-NEXT: same is 5 with the probe
#include "tprt/tprt.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// A jump at the push has three of its bytes in the constant.
#define FUNCTION(name, constant)                                                                                                          \
  __asm__(".text\n.balign 16\n.globl " name "\n.type " name ",@function\n" name ": .cfi_startproc\npush %rbx\n"                           \
          ".cfi_adjust_cfa_offset 8\nmov $" constant ",%eax\nmov %eax,%ebx\npop %rbx\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"     \
          ".size " name ", .-" name "\n.balign 16\n")
FUNCTION("get", "0x11223344");
FUNCTION("same", "5");
int get(void), same(void);

static void set(uint32_t value) {
  void *page = (void *)((uintptr_t)get & ~(uintptr_t)4095);
  mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy((char *)get + 2, &value, sizeof value);
  mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

// Whether a probe at the function's entry works without a trap.
static int hasJump(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, NULL) == TPRT_STATUS_OK;
}

int main(void) {
  printf("get is %x at first, ", get());
  set(1);
  printf("%x after a change\n", get());
  fflush(stdout);
  printf("the entry of get has no jump: %d\n", !hasJump("get"));
  printf("the entry of same has a jump: %d\n", hasJump("same"));
  fflush(stdout);
  printf("get is ");
  for (uint32_t i = 2; i < 5; ++i)
    set(i), printf("%x%s", get(), i < 4 ? ", " : " after changes with the probe\n");
  printf("same is %x with the probe\n", same());
}
