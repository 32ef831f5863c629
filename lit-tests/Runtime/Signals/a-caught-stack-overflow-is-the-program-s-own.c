// If this fails, a language runtime that catches stack overflows sees an overflow in libtprt's code. The language
// runtime does not know that address, and ends the program. The context that the program's
// handler gets must show an instruction of the program and the program's registers. The address
// of the fault must be right below the program's stack pointer. In each round, the stack ends
// at a different point of a hit.
//
// REQUIRES: x86_64-host
// RUN: %clang -O1 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env "TPRT_OPTIONS=signals=1 code=1 count=dive count=sink" %t 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=signals=1 code=1 time=dive time=sink" %t 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=signals=1 code=1 print=dive print=sink" %t few 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=signals=1 code=1 record=%t.tp:dive record=%t.tp:sink" %t 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=code=1 count=dive count=sink" %t 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=code=1 time=dive time=sink" %t 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=code=1 print=dive print=sink" %t few 2>/dev/null | FileCheck %s
// RUN: env "TPRT_OPTIONS=code=1 record=%t.tp:dive record=%t.tp:sink" %t 2>/dev/null | FileCheck %s
// RUN: %t general | FileCheck %s
// RUN: %t vectors | FileCheck %s
// RUN: %t general all | FileCheck %s
//
// CHECK: sleds: all overflows caught, 0 elsewhere, 0 with other registers
// CHECK-NEXT: code: all overflows caught, 0 elsewhere, 0 with other registers
#define _GNU_SOURCE
#include "tprt/tprt.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

// Calls itself until the stack ends, with a known value in all registers except rsp and r11.
__asm__(".section dives, \"ax\"\n.globl sink\n.type sink, @function\nsink: .cfi_startproc\n"
        "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\ncall sink\naddq $8, %rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
        ".size sink, .-sink\n.text\n"
        ".type fill_and_sink, @function\nfill_and_sink: .cfi_startproc\n"
        "movabsq $0x1122334455667788, %rax\n.irp r, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r12, r13, r14, r15\n"
        "movq %rax, %\\r\n.endr\ncall sink\nud2\n.cfi_endproc\n.size fill_and_sink, .-fill_and_sink\n");
void fill_and_sink(void);
extern const char __start_dives[], __stop_dives[];

__attribute__((noinline, section("dives"), disable_tail_calls)) int dive(int depth) {
  __asm__ volatile("" : "+r"(depth));
  return dive(depth + 1) + depth;
}

static sigjmp_buf back;
static volatile int overflows, elsewhere, others, isFilled;
static volatile long hits;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { ++hits; }

static void onFault(int number, siginfo_t *info, void *context) {
  const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const char *pc = (const char *)registers[REG_RIP], *stack = (const char *)registers[REG_RSP], *fault = info->si_addr;
  static const int filled[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
                               REG_R8,  REG_R9,  REG_R10, REG_R12, REG_R13, REG_R14, REG_R15};
  ++overflows;
  if (pc < __start_dives || pc >= __stop_dives || fault < stack - 16 || fault > stack + 16) {
    if (!elsewhere++)
      fprintf(stderr, "at %p, fault %p, stack %p\n", (void *)pc, (void *)fault, (void *)stack);
  }
  for (size_t i = 0; isFilled && i < sizeof filled / sizeof *filled; ++i)
    if (registers[filled[i]] != 0x1122334455667788) {
      fprintf(stderr, "register %d is %#llx\n", filled[i], registers[filled[i]]);
      ++others;
      break;
    }
  siglongjmp(back, 1);
}

__attribute__((noinline)) static int start(int bytes, int filled) {
  volatile char room[bytes]; // a different distance to the stack's end each time
  room[0] = 1;
  if (sigsetjmp(back, 1))
    return room[0];
  if (filled)
    fill_and_sink();
  return dive(0) + room[0];
}

static void try(const char *name, int filled, int rounds) {
  overflows = elsewhere = others = 0, isFilled = filled;
  for (int i = 0; i < rounds; ++i)
    start(16 + 4096 / rounds * i, filled);
  printf("%s: %s overflows caught, %d elsewhere, %d with other registers\n", name, overflows == rounds ? "all" : "some", elsewhere, others);
}

static void attach(const char *function, unsigned flags, const char *how) {
  tprt_selector selector = {.function = function, .kinds = TPRT_KIND_SET_ALL, .flags = flags};
  tprt_action action = {.handler = onHit, .flags = strcmp(how, "general") ? 0 : TPRT_HANDLER_GENERAL_REGS_ONLY};
  tprt_probe *probe;
  if (tprt_probe_attach(&selector, &action, &probe, NULL))
    puts(tprt_error_string());
}

int main(int count, char **arguments) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur != 160 << 10) { // quick to fill
    limit.rlim_cur = 160 << 10;
    setrlimit(RLIMIT_STACK, &limit);
    execv("/proc/self/exe", arguments);
  }
  stack_t stack = {.ss_size = 1 << 16, .ss_sp = malloc(1 << 16)};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_sigaction = onFault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
  const int isFew = count > 1 && !strcmp(arguments[1], "few"); // each hit prints
  if (count > 1 && !isFew) {
    if (count > 2)
      tprt_signal_translate();
    attach("dive", 0, arguments[1]);
    attach("sink", TPRT_SELECT_CODE, arguments[1]);
  }
  try("sleds", 0, isFew ? 4 : 256);
  try("code", 1, isFew ? 4 : 256);
}
