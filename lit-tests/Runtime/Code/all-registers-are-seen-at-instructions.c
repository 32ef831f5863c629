// A handler at a single instruction sees all general registers, including callee-saved ones, the flags, and the stack
// pointer. This is tested for every form of jump and for traps, with a handler of each kind, at the thread's first
// hit, with an unaligned stack, and at a call. At an entry, the handler learns that these registers are not
// available.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: at pun, 16 + 0 mod 16: 4 of 4 hits right
// CHECK-NEXT: at pun, 16 + 8 mod 16: 4 of 4 hits right
// CHECK-NEXT: at jump, 16 + 0 mod 16: 4 of 4 hits right
// CHECK-NEXT: at jump, 16 + 8 mod 16: 4 of 4 hits right
// CHECK-NEXT: at a call, 16 + 0 mod 16: 4 of 4 hits right
// CHECK-NEXT: at a call, 16 + 8 mod 16: 4 of 4 hits right
// CHECK-NEXT: at an entry: 0
#include "../Inputs/harness.h"
#include <string.h>

// Loads all registers except rsp from `set`, clears or sets all flags by popfq, and runs three instructions.
__asm__(".text\n.fill 64, 1, 0xcc\n.globl all\n.type all, @function\n.p2align 4\nall:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\npushq %rbp\n.cfi_def_cfa_offset 24\n.cfi_offset %rbp, -24\n"
        "pushq %r12\n.cfi_def_cfa_offset 32\n.cfi_offset %r12, -32\npushq %r13\n.cfi_def_cfa_offset 40\n.cfi_offset %r13, -40\n"
        "pushq %r14\n.cfi_def_cfa_offset 48\n.cfi_offset %r14, -48\npushq %r15\n.cfi_def_cfa_offset 56\n.cfi_offset %r15, -56\n"
        "subq odd(%rip), %rsp\nmovq %rsp, set+56(%rip)\npushq set+128(%rip)\npopfq\n"
        "movq set+0(%rip), %rax\nmovq set+8(%rip), %rbx\nmovq set+16(%rip), %rcx\nmovq set+24(%rip), %rdx\n"
        "movq set+32(%rip), %rsi\nmovq set+40(%rip), %rdi\nmovq set+48(%rip), %rbp\nmovq set+64(%rip), %r8\n"
        "movq set+72(%rip), %r9\nmovq set+80(%rip), %r10\nmovq set+88(%rip), %r11\nmovq set+96(%rip), %r12\n"
        "movq set+104(%rip), %r13\nmovq set+112(%rip), %r14\nmovq set+120(%rip), %r15\njmp 1f\n"
        ".p2align 4\n1: .skip 4, 0x90\n"
        ".Lpun: .byte 0x66, 0x0f, 0x1f, 0x00\n" // in four bytes: before 0f 1f 84 00, its jump leads 2.2 GB back
        ".Ljump: .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n.p2align 3\n"
        ".Lcall: call nothing\n"
        "addq odd(%rip), %rsp\npopq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\nret\n.cfi_endproc\n.size all, .-all\n"
        ".fill 64, 1, 0xcc\n.type nothing, @function\n.p2align 4\nnothing:\n.cfi_startproc\nret\n.cfi_endproc\n.size nothing, .-nothing\n"
        ".fill 64, 1, 0xcc\n"
        // The table has distances: libtprt leaves a function alone if a word has an address inside the function.
        ".data\n.p2align 3\nplaces: .quad .Lpun - all, .Ljump - all, .Lcall - all\n.text\n");
void all(void);
extern const unsigned long places[];
uint64_t odd;
tprt_registers set;

static int hits, right, answer;

static void check(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_registers seen;
  (void)data;
  ++hits;
  answer = tprt_event_registers(event, regs, &seen);
  // popfq sets bit 1, and leaves the flags that are not shown.
  tprt_registers wanted = set;
  wanted.flags = (set.flags & 0x8d5) | 2;
  right += answer && memcmp(&seen, &wanted, sizeof seen) == 0;
}
static void checkAll(const tprt_event *event, const tprt_regs *regs, void *data) {
  check(event, regs, data);
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm15");
}

static void tryAt(const char *name, unsigned long place) {
  char pattern[32];
  sprintf(pattern, "all+%lu", place);
  for (odd = 0; odd <= 8; odd += 8) {
    hits = right = 0;
    for (int i = 0; i < 4; ++i) {
      uint64_t *words = (uint64_t *)&set;
      for (int k = 0; k < 16; ++k)
        words[k] = 0x1111111111111111u * (unsigned)(k + i);
      set.flags = i % 2 ? 0x8d5 : 0; // all of CF, PF, AF, ZF, SF, OF
      tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
      tprt_action general = {.handler = check, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY}, any = {.handler = checkAll};
      tprt_probe *probe = NULL;
      if (tprt_probe_attach(&selector, i < 2 ? &general : &any, &probe, NULL) != TPRT_STATUS_OK) {
        puts(tprt_error_string());
        continue;
      }
      all();
      tprt_probe_detach(probe, -1);
    }
    printf("at %s, 16 + %d mod 16: %d of %d hits right\n", name, (int)odd, right, hits);
  }
}

int main(void) {
  tryAt("pun", places[0]);
  tryAt("jump", places[1]);
  tryAt("a call", places[2]);
  tprt_selector selector = {.function = "all", .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
  tprt_action action = {.handler = check};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  odd = 0;
  all();
  printf("at an entry: %d\n", answer);
  return 0;
}
