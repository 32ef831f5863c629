// The islands of puns lie scattered within reach of the code. After them, no free range may be large enough for stubs.
// Here a tracer lets no large range near the code be mapped from the first island on. All stubs have got their places
// before, so no site is refused for want of a stub.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: nearly all sites are on
// CHECK-NEXT: ranges refused after the first island: 0
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void attachAll(void) {
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  tprt_selector selector = {
      .function = "*", .module = "*/libc.so*", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  tprt_probe_detach(probe, -1);
  if (result.matched > 1000 && result.refused < result.matched / 20)
    puts("nearly all sites are on");
  else
    printf("%zu of %zu sites are refused\n", result.refused, result.matched);
  fflush(stdout);
  _exit(0);
}

// Only islands are mapped as code from a file at a chosen address.
static int hasIslands;
static int isRefused(const struct user_regs_struct *regs) {
  enum { LARGE = 1 << 18 };
  if (regs->orig_rax != SYS_mmap || (regs->r10 & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE)
    return 0;
  const int isFile = !(regs->r10 & MAP_ANONYMOUS);
  hasIslands |= isFile && regs->rdx & PROT_EXEC;
  return hasIslands && !isFile && regs->rsi >= LARGE;
}

int main(void) {
  int status, refused = 0, isEntry = 1, isRefusing = 0;
  const pid_t child = fork();
  if (!child)
    attachAll();
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (int signal = 0;;) {
    ptrace(PTRACE_SYSCALL, child, 0, signal);
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
      break;
    signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
    if (signal)
      continue;
    struct user_regs_struct regs;
    ptrace(PTRACE_GETREGS, child, 0, &regs);
    if (isEntry && (isRefusing = isRefused(&regs))) {
      ++refused;
      regs.orig_rax = -1;
      ptrace(PTRACE_SETREGS, child, 0, &regs);
    } else if (!isEntry && isRefusing) {
      regs.rax = -EEXIST;
      ptrace(PTRACE_SETREGS, child, 0, &regs);
    }
    isEntry = !isEntry;
  }
  printf("ranges refused after the first island: %d\n", hasIslands ? refused : -1);
  return 0;
}
