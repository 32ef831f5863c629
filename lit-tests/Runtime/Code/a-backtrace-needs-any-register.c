// At an instruction without a sled, the function's unwind table may refer to any register: to rcx at the point
// where an unwinder continues in the catching function, or to r10 where a function aligns its stack. A backtrace
// in a handler there must find the function and its callers, and so must one in a signal handler that interrupts
// the handler.
//
// RUN: gcc -O1 %s %tprt_flags -rdynamic -o %t
// RUN: %t | FileCheck %s
//
// CHECK: leaves_by_rcx: 3 instructions, 3 show its callers
// CHECK-NEXT: aligns: 11 instructions, 11 show its callers
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>

int leaves_by_rcx(void), aligns(void);
__asm__(".text\n.p2align 4\n.globl leaves_by_rcx\n.type leaves_by_rcx, @function\n"
        "leaves_by_rcx: .cfi_startproc\n"
        "movl $42, %eax\n"
        "popq %rcx\n.cfi_def_cfa_offset 0\n.cfi_register %rip, %rcx\n"
        "jmp *%rcx\n"
        ".cfi_endproc\n.size leaves_by_rcx, . - leaves_by_rcx\n"
        // Aligns the stack as GCC does in a function with large vectors.
        ".p2align 4\n.globl aligns\n.type aligns, @function\n"
        "aligns: .cfi_startproc\n"
        "leaq 8(%rsp), %r10\n.cfi_def_cfa %r10, 0\n"
        "andq $-32, %rsp\n"
        "pushq -8(%r10)\n"
        "pushq %rbp\n.cfi_escape 0x10, 6, 2, 0x76, 0\n" // rbp was saved at the address in rbp
        "movq %rsp, %rbp\n"
        "pushq %r10\n.cfi_escape 0xf, 3, 0x76, 0x78, 6\n" // the CFA is 8 bytes below it
        "movl $42, %eax\n"
        "popq %r10\n.cfi_def_cfa %r10, 0\n"
        "popq %rbp\n.cfi_same_value %rbp\n"
        "leaq -8(%r10), %rsp\n.cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n.size aligns, . - aligns\n");

static const char *tested;
static int backtraces, whole;

static int isNamed(void *frame, const char *name) {
  Dl_info info;
  return dladdr((char *)frame - 1, &info) && info.dli_sname && !strcmp(info.dli_sname, name);
}

// Counts whether the backtrace has the function, its caller after it, and main at last.
static void look(void) {
  void *frames[64];
  int count = backtrace(frames, 64), i = 0, last = 0;
  while (i < count && !isNamed(frames[i], tested))
    ++i;
  for (int j = i; j < count; ++j)
    last |= isNamed(frames[j], "main");
  ++backtraces;
  whole += i + 1 < count && isNamed(frames[i + 1], "caller") && last;
}

static void onSignal(int signal) {
  (void)signal;
  look();
}

static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  look();
  raise(SIGUSR1);
}

__attribute__((noinline)) int caller(int (*function)(void)) {
  int result = function();
  __asm__ volatile("");
  return result;
}

// Neighboring instructions may need the same bytes, so each instruction is probed separately.
static void probe(const char *name, int (*function)(void), int bytes) {
  int instructions = 0, right = 0;
  tested = name;
  for (int offset = 0; offset < bytes; ++offset) {
    char place[64];
    snprintf(place, sizeof place, "%s+%d", name, offset);
    tprt_selector selector = {.function = place, .kinds = TPRT_KIND_SET_INSTRUCTION, .module = "*/a-backtrace-needs*",
                              .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    tprt_action action = {.kind = TPRT_ACTION_CALL, .handler = on};
    tprt_probe *probe = NULL;
    tprt_result result;
    if (tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_OK)
      continue; // no instruction begins there
    backtraces = whole = 0;
    ++instructions;
    right += caller(function) == 42 && backtraces == 2 && whole == 2;
    tprt_probe_detach(probe, -1);
  }
  printf("%s: %d instructions, %d show its callers\n", name, instructions, right);
}

int main(void) {
  signal(SIGUSR1, onSignal);
  setvbuf(stdout, NULL, _IOLBF, 0);
  probe("leaves_by_rcx", leaves_by_rcx, 8);
  probe("aligns", aligns, 32);
  return 0;
}
