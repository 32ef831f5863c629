// A jump may be put into padding, because no thread executes it. This program has bytes that look like padding but are not: a nop of the program's own where a case of a switch
// begins, a constant of zeros between functions, alignment after a breakpoint, and alignment between two functions, of
// which the first ends with a call that returns. libtprt also detects data between the instructions of a function, and
// refuses the function.
//
// RUN: gcc -O2 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: functions with data: every matching site was refused: the function could not be decoded to its end
// CHECK-NEXT: a function with a breakpoint: {{it was done|some sites were refused}}
// CHECK-NEXT: all others: {{it was done|some sites were refused}}
// CHECK-NEXT: one that goes on in the next: {{it was done|some sites were refused}}
// CHECK-NEXT: {{^}}0 wrong results
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

// The nop is the one that a USDT probe (sys/sdt.h) puts into the code. gcc aligns the cases'
// labels.
#define PROBE() __asm__ volatile("nop")
static volatile long state;
__attribute__((noinline)) static long has_cases(long op, long v) {
  switch (op) {
  case 0: PROBE(); return v * 3;
  case 1: PROBE(); return v + state;
  case 2: PROBE(); state = 7; return v - 1;
  case 3: PROBE(); return v << 4;
  case 4: PROBE(); return v ^ 5;
  case 5: PROBE(); return -v;
  }
  return 0;
}

long data_table(long), data_skewed(long), data_called(long), falls(long), has_nothing(long), has_zeros(long), traced(long);
#define FUNCTION(name, body) \
  ".p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" body ".cfi_endproc\n" \
  ".size " name ", . - " name "\n"
__asm__(".text\n"
        FUNCTION("data_table", "leaq 1f(%rip), %rax\nmovzbl (%rax,%rdi), %eax\njmp 2f\n"
                          "1: .byte 0x90, 0xc3, 0x90, 0x90, 0x90, 0x90, 0xc3, 0x90, 0x90, 0x90, 0x90\n2: ret\n")
        // The byte 0xb8 looks like the beginning of movl $0x34567805, %eax, after which comes a ret.
        FUNCTION("data_skewed", "movq %rdi, %rax\njmp 1f\n.byte 0xb8\n1: addl $0xc3345678, %eax\nnop\nnop\nret\n")
        // The call stands in for leaq 1f(%rip), %rax.
        FUNCTION("data_called", "call 1f\n1: popq %rax\nmovzbl 2f - 1b(%rax,%rdi), %eax\njmp 3f\n"
                                "2: .byte 0xc3, 0x90, 0x90, 0x90, 0x90, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90\n3: ret\n")
        FUNCTION("falls", ".byte 0x48, 0x81, 0xec\n.long 8\n.byte 0x48, 0x81, 0xc7\n.long 0\ncall has_nothing\n") // subq $8, %rsp; addq $0, %rdi
        FUNCTION("has_rest", "addq $8, %rsp\nret\n")
        ".skip 160, 0x50\n"
        FUNCTION("has_nothing", "movq %rdi, %rax\nincq %rax\nret\n")
        ".p2align 4\n.quad 0, 0\n"
        FUNCTION("has_zeros", "movq %rdi, %rax\nleaq has_zeros(%rip), %rcx\naddq -16(%rcx), %rax\naddq -8(%rcx), %rax\nret\n")
        ".skip 8, 0x50\n"
        FUNCTION("traced", "movq %rdi, %rax\npushq %rbx\nmovl $10, %ecx\nnop\n.nops 12\n"
                           "1: addq $1, %rax\ndecl %ecx\njnz 1b\npopq %rbx\nret\n"));

static void results(long out[40]) {
  memset(out, 0, 40 * sizeof *out);
  for (long i = 0; i < 6; ++i)
    out[i] = has_cases(i, 10);
  for (long i = 0; i < 11; ++i)
    out[6 + i] = data_table(i);
  out[17] = data_skewed(1);
  out[18] = has_nothing(5);
  out[19] = has_zeros(5);
  out[20] = traced(1);
  out[21] = falls(1);
  for (long i = 0; i < 11; ++i)
    out[22 + i] = data_called(i);
}

static void onTrap(int signal) { (void)signal; } // the thread continues after the breakpoint

static void setBreakpoint(void) {
  unsigned char *breakpoint = (unsigned char *)traced + 9; // the nop
  char *page = (char *)((uintptr_t)breakpoint & ~(uintptr_t)4095);
  signal(SIGTRAP, onTrap);
  mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  if (*breakpoint != 0x90)
    puts("the nop is not there");
  *breakpoint = 0xcc;
  mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static void attachTo(const char *function, const char *name) {
  tprt_selector selector = {.function = function, .module = "*.c.tmp", .kinds = TPRT_KIND_SET_ALL,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_status status = tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, &result);
  printf("%s: %s%s%s\n", name, tprt_status_string(status), result.refused ? ": " : "",
         result.refused ? tprt_refusal_string(result.first_refusal) : "");
}

int main(void) {
  long before[40], now[40];
  int wrong = 0;
  setBreakpoint();
  results(before);
  state = 7;
  results(before);
  attachTo("data_*", "functions with data");
  attachTo("traced", "a function with a breakpoint");
  attachTo("has_*", "all others");
  attachTo("falls", "one that goes on in the next");
  fflush(stdout);
  for (int i = 0; i < 100; ++i) {
    results(now);
    wrong += memcmp(before, now, sizeof now) != 0;
  }
  printf("%d wrong results\n", wrong);
  return 0;
}
