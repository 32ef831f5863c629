// If this fails, a probe breaks hand-written code that has no unwind entry. For libtprt, such code is not a function, and
// has no sites. But a function may leave data below the stack pointer and jump to such code. Such code may also jump to a
// function's nops, or past a lock prefix. An exported function may begin with a nop before its unwind entry.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 -rdynamic %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
// RUN: gcc -O2 -rdynamic -s -no-pie %s %tprt_flags -o %t.fixed && env TPRT_OPTIONS=uprobes=0 %t.fixed | FileCheck %s
//
// CHECK: probed: {{[1-9][0-9]*}}
// CHECK-NEXT: data below the stack pointer: 0 wrong
// CHECK-NEXT: a jump to nops: 0 wrong
// CHECK-NEXT: a jump after a prefix: 0 wrong
// CHECK-NEXT: a nop before the unwind entry: 0 wrong
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>

#define FUNCTION(name, body) \
  ".p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " name ", . - " name "\n"
__asm__(".text\n"
        FUNCTION("keeps", "movq %rdi, -8(%rsp)\nmovq %rdi, -128(%rsp)\nincq %rdi\njmp .Lsum")
        ".Lsum: addq -8(%rsp), %rdi\naddq -128(%rsp), %rdi\nmovq %rdi, %rax\nret\n.skip 160, 0x50\n"
        // The entry of the second function has room for a jump only in the nops of the first function.
        FUNCTION("aligns", ".byte 0x48, 0x81, 0xc7\n.long 100\njmp .Lslow\n.Lback: .nops 4\n.nops 5\nmovq %rdi, %rax\nret\nud2")
        ".Lslow: addq $4, %rdi\njmp .Lback\n"
        FUNCTION("borrows", "movq %rdi, %rax\nincq %rax\nret\nud2") ".skip 160, 0x50\n"
        FUNCTION("locks", "lock incl count(%rip)\nmovq %rdi, %rax\nret\nud2")
        ".p2align 4\n.globl locks_not\n.hidden locks_not\n.type locks_not, @function\nlocks_not: jmp locks + 1\n.skip 160, 0x50\n"
        FUNCTION("before", "movq %rdi, %rax\nud2")
        ".p2align 4\n.globl begins_with_nop\n.type begins_with_nop, @function\nbegins_with_nop: .byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\n"
        ".cfi_startproc\nleaq 8(%rdi), %rax\nret\n.cfi_endproc\n.size begins_with_nop, . - begins_with_nop\n.skip 160, 0x50\n"
        ".data\ncount: .long 0\n.text\n");
typedef long (*function)(long);
long keeps(long), aligns(long), borrows(long), locks(long);
long locks_not(long) __attribute__((visibility("hidden")));

static void spoil(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  volatile char kept[512];
  for (unsigned i = 0; i < sizeof kept; ++i)
    kept[i] = 0x55;
}

static void check(const char *what, function call, long factor, long more) {
  long wrong = 0;
  for (long i = 0; i < 800; i += 8)
    wrong += call(i) != factor * i + more;
  printf("%s: %ld wrong\n", what, wrong);
  fflush(stdout); // the next one may crash
}

int main(void) {
  const void *all[] = {(void *)keeps, (void *)borrows, (void *)locks, dlsym(NULL, "before")};
  size_t probed = 0;
  for (int i = 0; i < 4; ++i) {
    tprt_selector selector = {.address = all[i], .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
    tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = spoil};
    tprt_probe *probe = NULL;
    tprt_result result;
    tprt_probe_attach(&selector, &action, &probe, &result);
    probed += result.enabled;
  }
  printf("probed: %zu\n", probed);
  check("data below the stack pointer", keeps, 3, 1);
  check("a jump to nops", aligns, 1, 104);
  check("a jump after a prefix", locks_not, 1, 0);
  check("a nop before the unwind entry", (function)dlsym(NULL, "begins_with_nop"), 1, 8);
  return 0;
}
