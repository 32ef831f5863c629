// A signal may arrive anywhere in the stub of an instruction inside a function, or in the copy of that instruction. Once
// the program has requested its own addresses, the signal handler sees the program's own address and stack pointer, and
// an unwinder finds the callers. The function's data below the stack pointer is unchanged. Only the stack pointer leads
// to the function's frame, so a wrong stack pointer is noticed.
//
// RUN: gcc -O2 -rdynamic %s %tprt_flags -o %t
// RUN: %t handler | FileCheck %s
// RUN: %t general | FileCheck %s
// RUN: %t count | FileCheck %s
// RUN: %t record %t.tp | FileCheck %s
//
// Of the 11 instructions, one or two get a jump only at some load addresses.
// CHECK: enough instructions: 0 signals at an unknown address, 0 without caller, 0 with another stack, 0 results wrong
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include "tprt/record.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>

__asm__(".text\n.fill 64, 1, 0xcc\n.globl inner\n.type inner, @function\n.p2align 4\ninner:\n.cfi_startproc\n"
        "pushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\nleaq -24(%rsp), %rsp\n.cfi_def_cfa_offset 40\n"
        "movq %rdi, %rbx\nmovq %rdi, -128(%rsp)\naddq -128(%rsp), %rbx\n.p2align 3\ncall outer_half\naddq %rbx, %rax\n"
        "leaq 24(%rsp), %rsp\n.cfi_def_cfa_offset 16\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
        ".size inner, .-inner\n.fill 64, 1, 0xcc\n"
        ".type outer_half, @function\n.p2align 4\nouter_half:\n.cfi_startproc\nleaq 1(%rdi), %rax\nret\n.cfi_endproc\n"
        ".size outer_half, .-outer_half\n.fill 64, 1, 0xcc\n");
long inner(long);

// In memory that parent and child share.
static struct Shared {
  volatile uint64_t raw;             // where the child was; written by the parent
  volatile long unknown, lost, moved; // written by the child
  volatile uint64_t stack;           // its stack pointer at inner()'s call
} *shared;

static int seesCaller(void) {
  void *frames[32];
  int count = backtrace(frames, 32);
  for (int i = 0; i < count; ++i) {
    Dl_info there;
    if (dladdr((char *)frames[i] - 1, &there) && there.dli_sname && !strcmp(there.dli_sname, "callInner"))
      return 1;
  }
  return 0;
}

static uint64_t place; // of the instruction that is on
static long depth;     // of its stack pointer, below that at the function's beginning

static void onStep(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  uint64_t shown = (uint64_t)registers[REG_RIP], begin = (uint64_t)inner;
  shared->unknown += shown < begin || shown >= begin + 64;
  shared->lost += !seesCaller();
  // At the instruction itself, the stack pointer is known.
  if (shown == place)
    shared->moved += (long)(shared->stack - (uint64_t)registers[REG_RSP]) != depth;
  raise(SIGUSR2); // the parent steps from here on
}

__attribute__((noipa)) long callInner(void) {
  long result;
  // inner() finds its return address 8 bytes below this stack pointer.
  __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tmovq %%rsp, (%1)\n\tcall inner\n\tleaq 128(%%rsp), %%rsp"
                   : "=a"(result) : "r"(&shared->stack), "D"(5L)
                   : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  return result;
}

static unsigned offsets[64];
static int places;
static int visit(const tprt_site *site, void *data) {
  (void)data;
  const tprt_site_info info = describe(site);
  offsets[places++] = (unsigned)((const char *)info.sled - (const char *)info.function);
  return 0;
}

// The stack pointer at an offset, by the function's own unwind table: 8 at the function's beginning and end.
static long depthAt(unsigned offset, unsigned last) {
  return offset == 0 || offset == last ? 8 : offset == 1 || offset == last - 1 ? 16 : 40;
}

static int child(const char *how, const char *file) {
  int taken = 0, wrong = 0, isRecord = !strcmp(how, "record");
  tprt_action action = {.handler = ignoreHit};
  if (!strcmp(how, "general"))
    action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  if (!strcmp(how, "count"))
    action = (tprt_action){.kind = TPRT_ACTION_COUNT};
  struct sigaction steps = {.sa_sigaction = onStep, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGUSR1, &steps, NULL);
  if (tprt_signal_translate() != TPRT_STATUS_OK)
    puts(tprt_error_string());
  void *frames[8];
  backtrace(frames, 8); // loads the unwinder
  unsigned last = 0;
  for (int i = 0; i < places; ++i)
    last = offsets[i] > last ? offsets[i] : last;
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  for (int i = 0; i < places; ++i) {
    char pattern[64];
    sprintf(pattern, "inner+%u", offsets[i]);
    tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    tprt_probe *probe = NULL;
    tprt_recording_options options = {.file = file};
    if (isRecord ? tprt_recording_start(&options) != TPRT_STATUS_OK || tprt_recording_add(&selector, NULL, NULL) != TPRT_STATUS_OK
                 : tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK) {
      if (isRecord)
        tprt_recording_stop();
      continue; // a traced process has no traps
    }
    ++taken;
    place = (uint64_t)inner + offsets[i];
    depth = depthAt(offsets[i], last);
    callInner(); // the thread's first hits
    raise(SIGSTOP);
    wrong += callInner() != 16;
    raise(SIGSTOP);
    if (isRecord)
      tprt_recording_stop();
    else
      tprt_probe_detach(probe, -1);
  }
  printf("%s instructions: %ld signals at an unknown address, %ld without caller, %ld with another stack, %d results wrong\n",
         taken >= 8 && places == 11 ? "enough" : "few", shared->unknown, shared->lost, shared->moved, wrong);
  fflush(stdout);
  _exit(0);
}

// Sends the child a signal at each instruction that is in no file.
static void stepThrough(pid_t pid) {
  int status, steps = 0;
  uint64_t last = 0;
  while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, pid, 0, &registers);
    Dl_info info;
    int signal = WSTOPSIG(status), isOurs = !dladdr((void *)registers.rip, &info) || !info.dli_fname;
    if (signal == SIGSTOP)
      steps = !steps;
    if (steps && isOurs && registers.rip != last && signal == SIGTRAP) {
      shared->raw = registers.rip;
      ptrace(PTRACE_CONT, pid, 0, (void *)(long)SIGUSR1);
    } else {
      int passes = signal != SIGSTOP && signal != SIGTRAP && signal != SIGUSR2;
      ptrace(steps ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0, (void *)(long)(passes ? signal : 0));
    }
    if (isOurs)
      last = registers.rip;
  }
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "handler";
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  tprt_selector all = {.function = "inner+*", .flags = TPRT_SELECT_CODE};
  if (tprt_site_visit(&all, visit, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  pid_t pid = fork();
  if (pid == 0)
    child(how, arguments[2]);
  stepThrough(pid);
  return 0;
}
