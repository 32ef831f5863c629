// If a word of data has the address of code, that code may be a function, or a part of one, such as a label of GCC's "labels as values".
// Without symbols, the two cannot be distinguished. If this fails, a hit at its beginning, or at a jump to it, overwrites the function's
// data below its stack pointer. If such code is a function, a handler sees the same registers and stack as at other
// functions.
//
// REQUIRES: x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: gcc -O1 -no-pie -fno-pie %s %tprt_flags -o %t.fixed && %t.fixed | FileCheck %s
// RUN: env TPRT_OPTIONS='code=1 record=%t.tp:parts-that-count*!*' %t plain | FileCheck %s --check-prefix=RECORDED
//
// CHECK: counted: 0 wrong results
// CHECK-NEXT: handled without vectors: 0 wrong results
// CHECK-NEXT: handled: 0 wrong results
// CHECK-NEXT: a part counts as a function: yes
// CHECK-NEXT: called by its address: 100 hits, 0 without its arguments, 0 wrong results, its caller is found
// CHECK-NEXT: redirected: 107
// CHECK-NEXT: off: 0 wrong results
// RECORDED: recorded: 0 wrong results
#include "../Inputs/harness.h"
#include <execinfo.h>

// All 128 bytes below the stack pointer are in use. The function and .Lcase jump to .Ljoin, and %r11 and the carry flag are
// live there as well.
#define PART(name, code) "\n.p2align 4\n" name ":\n.cfi_startproc\n" code "\n.cfi_endproc\n"
__asm__(".text\n.globl leaf\n.type leaf, @function" PART(
    "leaf",
    "movl $15, %ecx\nmovq %rdi, %rax\n1: movq %rax, -128(%rsp,%rcx,8)\nimulq $7, %rax\nincq %rax\ndecl %ecx\njns 1b\n"
    "leaq 3(%rdi), %r11\nleaq .Ltable(%rip), %rdx\nmovq %rdi, %rcx\nandl $1, %ecx\nmovslq (%rdx,%rcx,4), %rcx\naddq %rdx, %rcx\n"
    "notrack jmp *%rcx\n.Lhere: btq $2, %rdi\njmp .Ljoin") ".size leaf, . - leaf\n"
        PART(".Lcase", "addq $5, -128(%rsp)\nsubq $9, -8(%rsp)\nbtq $1, %rdi\njmp .Ljoin")
        PART(".Ljoin", "movq %r11, %rax\nadcq $0, %rax\nmovl $15, %ecx\n1: imulq $3, %rax\naddq -128(%rsp,%rcx,8), %rax\ndecl %ecx\njns 1b\nret")
        ".section .rodata\n.p2align 2\n.Ltable: .long .Lhere - .Ltable, .Lcase - .Ltable\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\n.quad .Ljoin\n.text\n"
        // A function whose address is in a word of data.
        PART(".Lsum", "leaq (%rdi,%rsi), %rax\naddq 8(%rsp), %rax\naddq 16(%rsp), %rax\nret")
        ".data\n.globl sum\nsum: .quad .Lsum\n.text\n");
long leaf(long);
extern long (*volatile sum)(long, long, long, long, long, long, long, long);


// What leaf() returns.
static long model(long x) {
  unsigned long v = (unsigned long)x, words[16], sum;
  for (int i = 15; i >= 0; --i, v = v * 7 + 1)
    words[i] = v;
  if (x & 1)
    words[0] += 5, words[15] -= 9;
  sum = (unsigned long)x + 3 + (x >> (x & 1 ? 1 : 2) & 1);
  for (int i = 15; i >= 0; --i)
    sum = sum * 3 + words[i];
  return (long)sum;
}

__attribute__((noipa)) static void check(const char *what) {
  int wrong = 0;
  for (long i = 0; i < 100; ++i)
    wrong += leaf(i) != model(i);
  printf("%s: %d wrong results\n", what, wrong);
}
__attribute__((noipa)) static long call_sum(long i) { return sum(i, 2, 3, 4, 5, 6, 7, i * 10) + 1; }
__attribute__((noipa)) static int isIn(uint64_t address, const void *function) { return address - (uint64_t)(uintptr_t)function < 160; }

static int entries, sums, unlike, found;
__attribute__((noinline)) static void overwrite(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)data;
  volatile char kept[4096]; // no memset(), which uses vectors
  for (unsigned i = 0; i < sizeof kept; ++i)
    kept[i] = 0x55;
  int isEntry = event->kind == TPRT_KIND_ENTRY;
  entries += isEntry && isIn(tprt_regs_return_address(regs), (void *)check);
  if (isEntry && isIn(tprt_regs_return_address(regs), (void *)call_sum)) {
    unlike += tprt_regs_argument(regs, 0) != (uint64_t)sums || tprt_regs_argument(regs, 1) != 2 ||
              tprt_regs_argument(regs, 6) != 7 || tprt_regs_argument(regs, 7) != (uint64_t)sums * 10;
    void *frames[16];
    int count = ++sums == 2 ? backtrace(frames, 16) : 0;
    for (int i = 0; i < count; ++i)
      found |= isIn((uint64_t)(uintptr_t)frames[i], (void *)call_sum);
  }
  __asm__ volatile("movq $-1, %%rax\nmovq %%rax, %%r11\nmovq %%rax, %%rcx\nmovq %%rax, %%rdx\nmovq %%rax, %%rdi\naddq %%rax, %%rax"
                   :
                   : "r"(kept)
                   : "memory", "cc", "rax", "rcx", "rdx", "rdi", "r11");
}

__attribute__((noipa)) static long replacement(void) { return 106; }

static tprt_probe *probe;
static void attachToAll(tprt_action action, const void *at) {
  tprt_selector selector = {.function = "*", .module = "*/parts-that-count*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  if (at)
    selector = (tprt_selector){.address = at, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_probe_detach(probe, -1);
  tprt_probe_attach(&selector, &action, &probe, NULL); // all but conditional exits
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    check("recorded");
    return 0;
  }
  attachToAll((tprt_action){.kind = TPRT_ACTION_COUNT}, NULL);
  check("counted");
  attachToAll((tprt_action){.handler = overwrite, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY}, NULL);
  check("handled without vectors");
  entries = 0;
  attachToAll((tprt_action){.handler = overwrite}, NULL);
  check("handled");
  printf("a part counts as a function: %s\n", entries == 200 ? "yes" : "no");
  int wrong = 0;
  for (long i = 0; i < 100; ++i)
    wrong += call_sum(i) != i * 11 + 10;
  printf("called by its address: %d hits, %d without its arguments, %d wrong results, its caller is %s\n", sums, unlike, wrong, found ? "found" : "lost");
  attachToAll((tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (void *)replacement}, (void *)sum);
  printf("redirected: %ld\n", call_sum(0));
  tprt_probe_detach(probe, -1);
  check("off");
  return 0;
}
