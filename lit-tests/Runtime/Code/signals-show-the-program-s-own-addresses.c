// A signal may arrive anywhere on the path from an uninstrumented site to its handler and back. Once the program
// has requested its own addresses, the signal handler sees such an address: at every instruction of jumps, short
// jumps, slots, islands, stubs and copies. Faults of a displaced instruction are found in a fault table, whose
// handler continues elsewhere or lets the instruction be executed once more.
//
// RUN: gcc -O2 -rdynamic %s %tprt_flags -o %t
// RUN: %t handler | FileCheck %s
// RUN: %t count | FileCheck %s
// RUN: env TPRT_OPTIONS=signals=1 %t option | FileCheck %s
// RUN: gcc -O2 -no-pie -rdynamic %s %tprt_flags -o %t.fixed
// RUN: %t.fixed handler | FileCheck %s
//
// CHECK: a division by zero went on by the table: -7
// CHECK-NEXT: a division after the displaced instruction: -7
// CHECK-NEXT: a bad address went on by the table: -7
// CHECK-NEXT: a bad address was mended and read again: 42
// CHECK-NEXT: left by siglongjmp: 1
// CHECK-NEXT: sigaction and signal show the program's handlers
// CHECK-NEXT: other addresses stay
// CHECK-NEXT: signals at every instruction: {{[0-9]+}} of ours, 0 unknown, 0 without caller, results right
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <execinfo.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>

// The functions' first instructions divide and read; the fault table has the addresses to
// continue at.
__asm__(".text\n"
        FUNCTION("divide", "0", ".Ldivides: idivl 8(%rdi,%rsi)\n.Ldivided: ret\n.byte 0x0f, 0x1f, 0x40, 0")
        // The jump ends in the division's bytes, so there are copies of all three. The last byte leads the jump far away.
        FUNCTION("divide_later", "0", "cltd\nmovl %eax, %eax\n.Ldivides_later: idivl 8(%rdi,%rsi)\nret\n.byte 0x0f, 0x1f, 0x40, 0")
        FUNCTION("fetch", "0", ".Lreads: movq 0x10(%rdi,%rsi), %rax\n.Lread: ret\n.byte 0x0f, 0x1f, 0x40, 0")
        FUNCTION("recover", "0", "movq $-7, %rax\nret")
        ".section .rodata\n.globl table\ntable: .quad .Ldivides, .Ldivides_later, .Lreads, 0\n.text\n"
        // This function pops rbp, but as with GCC, its unwind entry still says that rbp is in the old stack slot.
        FUNCTION("pops", "0", "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\nxorl %ebp, %ebp\nleaq 1(%rdi), %rax\n"
                              "popq %rbp\n.cfi_def_cfa_offset 8\nret\n.byte 0x0f, 0x1f, 0x40, 0")
        // Puts values into all registers that a caller expects back, and calls.
        FUNCTION("call_divide", "0", "subq $8, %rsp\nxorl %edx, %edx\nmovl $5, %eax\nxorl %esi, %esi\ncall divide\n"
                                     "cltq\naddq $8, %rsp\nret")
        FUNCTION("call_divide_later", "0", "subq $8, %rsp\nmovl $5, %eax\nxorl %esi, %esi\ncall divide_later\ncltq\naddq $8, %rsp\nret")
        // Four instructions that each begin inside the first one's jump, and an instruction that ends after the jump.
        PACKED("run", "0", PUSH("rbp") "movl %esp, %ebp\nxchgl %eax, %edx\n.byte 0xa9, 1, 0, 0, 0\nleaq 1(%rdi), %rax\nmovl $-1, %ebp\n" POP("rbp") RET_PADDED)
        PACKED("run_at_branch", "0", "leaq 1(%rdi), %rax\njs 1f\nret\n1: " RET_PADDED)
        PACKED("run_at_ret", "0", "leaq 1(%rdi), %rax\nret\n"));
extern const uint64_t table[];
long pops(long), divide(const int *), fetch(const char *, long), recover(void), call_divide(const int *), call_divide_later(const int *), run(long), run_at_branch(long), run_at_ret(long);

static volatile int mends, jumps;
static sigjmp_buf back;
static char *page;

static void onFault(int number, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (jumps)
    siglongjmp(back, 1);
  if (mends) { // continues at the same address
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    *(long *)(page + 0x10) = 42;
    return;
  }
  for (const uint64_t *at = table; *at; ++at)
    if (*at == (uint64_t)registers[REG_RIP] && (number != SIGFPE || (uint64_t)info->si_addr == *at)) {
      registers[REG_RIP] = (greg_t)recover;
      return;
    }
  write(1, "a fault at an unknown address\n", 30);
  _exit(1);
}

static tprt_probe *attachTo(const char *name, const char *how) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED,
                            .module = "*/signals-show*"};
  tprt_action action = {.handler = ignoreHit};
  if (!strcmp(how, "count"))
    action = (tprt_action){.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL); // a function may have an exit that is refused
  return probe;
}

// --- every instruction: a parent steps the child, and sends it a signal at each ------------------------------------

static volatile long ours, unknown, lost;
static volatile uint64_t raw; // where the child was; written by the parent
static const struct { const char *name; long (*call)(long); } all[] = {
    {"jump", jump}, {"hop", hop}, {"hop_odd", hop_odd}, {"pun", pun}, {"short_hop", short_hop}, {"short_pun", short_pun},
    {"landing_pad", landing_pad}, {"branch", call_branch}, {"relative", relative}, {"tail", tail}, {"pops", pops},
    {"behind_push", behind_push}, {"behind_pushes", behind_pushes}, {"behind_frame", behind_frame},
    {"run", run}, {"run_at_branch", run_at_branch}, {"run_at_ret", run_at_ret}};

static int isOfProgram(uint64_t address) {
  Dl_info info;
  return dladdr((void *)address, &info) && info.dli_fname && strstr(info.dli_fname, "signals-show");
}

// Whether a backtrace from here shows callEach(), and main() further out. callEach()'s rbp leads to main().
static int seesCaller(void) {
  void *frames[32];
  int count = backtrace(frames, 32), seen = 0;
  for (int i = 0; i < count && seen < 2; ++i) {
    Dl_info there;
    seen += dladdr((char *)frames[i] - 1, &there) && there.dli_sname && !strcmp(there.dli_sname, seen ? "main" : "callEach");
  }
  return seen == 2;
}

static void onStep(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  uint64_t shown = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  int isKnown = isOfProgram(shown) && (uint64_t)tprt_address_original((void *)raw) == shown, sees = seesCaller();
  ++ours, unknown += !isKnown, lost += !sees;
  if (!isKnown || !sees)
    printf("at %#lx shown %#lx%s\n", raw, shown, sees ? "" : ", without the caller");
  raise(SIGUSR2); // the parent steps from here on
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) int callEach(void) {
  int right = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    right += all[i].call(5) == 6;
  return right;
}

static int child(void) {
  signal(SIGSEGV, SIG_DFL); // a wrong backtrace
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  int right = callEach();
  raise(SIGSTOP);
  printf("signals at every instruction: %ld%s of ours, %ld unknown, %ld without caller, results %s\n", ours, ours > 50 ? "" : " (few)",
         unknown, lost, right == sizeof all / sizeof *all ? "right" : "wrong");
  fflush(stdout);
  _exit(0);
}

static uint64_t readPc(pid_t pid) {
  struct user_regs_struct registers;
  ptrace(PTRACE_GETREGS, pid, 0, &registers);
  return registers.rip;
}

// Steps the child through callEach(), and sends it a signal at each instruction in code that is in no file: slots
// are in the program's, but islands, stubs and copies are not.
static void stepThrough(pid_t pid) {
  int status;
  uint64_t last = 0;
  waitpid(pid, &status, 0);
  ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
  while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGSEGV) {
    uint64_t at = readPc(pid);
    Dl_info info;
    int isOurs = !dladdr((void *)at, &info) || !info.dli_fname;
    // After SIGUSR2 the handler is stepped to its end, and returns to the interrupted instruction.
    if (isOurs && at != last && WSTOPSIG(status) == SIGTRAP) {
      ptrace(PTRACE_POKEDATA, pid, (void *)&raw, at);
      ptrace(PTRACE_CONT, pid, 0, (void *)(long)SIGUSR1);
    } else {
      ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
    }
    if (isOurs)
      last = at;
  }
  ptrace(PTRACE_CONT, pid, 0, (void *)(long)(WSTOPSIG(status) == SIGSEGV ? SIGSEGV : 0));
  waitpid(pid, &status, 0);
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "handler";
  struct sigaction action = {.sa_sigaction = onFault, .sa_flags = SA_SIGINFO | SA_NODEFER}, old;
  sigaction(SIGFPE, &action, NULL); // before the request, and one after it
  if (strcmp(how, "option") && tprt_signal_translate() != TPRT_STATUS_OK)
    puts(tprt_error_string());
  sigaction(SIGSEGV, &action, NULL);
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  attachTo("divide", how);
  attachTo("divide_later", how);
  attachTo("fetch", how);

  int zeros[8] = {0};
  printf("a division by zero went on by the table: %ld\n", call_divide(zeros));
  printf("a division after the displaced instruction: %ld\n", call_divide_later(zeros));
  printf("a bad address went on by the table: %ld\n", fetch(NULL, 0));
  mends = 1;
  printf("a bad address was mended and read again: %ld\n", fetch(page, 0));
  mends = 0, jumps = 1;
  int left = sigsetjmp(back, 1);
  if (!left)
    call_divide(zeros);
  printf("left by siglongjmp: %d\n", left);
  jumps = 0;

  action.sa_sigaction = onStep;
  sigaction(SIGFPE, NULL, &old);
  int same = old.sa_sigaction == onFault && (old.sa_flags & ~0x04000000) == (SA_SIGINFO | SA_NODEFER); // SA_RESTORER is the C library's
  sigaction(SIGUSR1, &action, &old);
  same += old.sa_handler == SIG_DFL;
  void (*const plain)(int) = (void (*)(int))(void *)onFault;
  same += signal(SIGSEGV, SIG_DFL) == plain;
  same += signal(SIGSEGV, plain) == SIG_DFL && signal(SIGSEGV, SIG_IGN) == plain;
  puts(same == 4 ? "sigaction and signal show the program's handlers" : "other handlers are shown");
  puts(tprt_address_original((void *)main) == (void *)main && !tprt_address_original(NULL) ? "other addresses stay" : "another address");

  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    attachTo(all[i].name, how);
  void *frames[8];
  backtrace(frames, 8); // loads the unwinder
  callEach();           // the thread's first hits
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0)
    child();
  stepThrough(pid);
  return 0;
}
