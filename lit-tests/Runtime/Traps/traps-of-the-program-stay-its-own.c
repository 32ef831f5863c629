// Sleds are on by traps. The SIGTRAP handler that the program had before must still get the
// program's own int3 and raise(), with the signal's details and mask. A one-shot handler
// (SA_RESETHAND) gets only one signal. If the program had no handler, or ignored SIGTRAP, each of
// these signals has the same effect as without libtprt.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=1 %s %tprt_flags -o %t
// RUN: %t info | FileCheck --check-prefixes=CHECK,INFO %s
// RUN: %t plain | FileCheck --check-prefixes=CHECK,PLAIN %s
// RUN: %t once | FileCheck --check-prefixes=CHECK,ONCE %s
// RUN: %t ignored | FileCheck --check-prefixes=CHECK,IGNORED %s
// RUN: %t default | FileCheck --check-prefixes=CHECK,DEFAULT %s
//
// INFO: int3: lives, 1 seen, after the int3, SIGUSR1 and SIGTRAP blocked
// INFO-NEXT: raise: lives, 1 seen, sent
// PLAIN: int3: lives, 1 seen
// PLAIN-NEXT: raise: lives, 1 seen
// ONCE: int3: lives, 1 seen
// ONCE-NEXT: raise: lives, 1 seen
// ONCE-NEXT: twice: dies of SIGTRAP
// IGNORED: int3: dies of SIGTRAP
// IGNORED-NEXT: raise: lives, 0 seen
// DEFAULT: int3: dies of SIGTRAP
// DEFAULT-NEXT: raise: dies of SIGTRAP
// CHECK-NEXT: 2 hits each
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PLAIN __attribute__((tp_never, noinline))
extern const char behind[];
static int seen, hits;
__attribute__((noinline)) void f(void) { __asm__ volatile(""); }
PLAIN static void onPlain(int number) { seen += number == SIGTRAP; }
PLAIN static void onInfo(int number, siginfo_t *info, void *context) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  ++seen;
  if (info->si_code == SI_TKILL)
    printf("%d seen, sent\n", seen);
  else
    printf("%d seen, %s, %s\n", seen,
           ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] == (long)behind ? "after the int3" : "elsewhere",
           sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGTRAP) && !sigismember(&mask, SIGUSR2)
               ? "SIGUSR1 and SIGTRAP blocked"
               : "another mask");
}
PLAIN static void breakpoint(void) { __asm__ volatile("int3\nbehind:"); }
PLAIN static void trap(void) { raise(SIGTRAP); }
PLAIN static void twice(void) { raise(SIGTRAP), raise(SIGTRAP); }

PLAIN static void inChild(const char *what, void (*work)(void), int quiet) {
  int status, ways[2];
  char text[200] = "";
  pipe(ways);
  if (fork() == 0) {
    dup2(ways[1], 1);
    f(); // a hit in the child, before
    work();
    f(); // and after
    if (!quiet)
      printf("%d seen\n", seen);
    fflush(stdout);
    _exit(hits == 2 ? 0 : 1);
  }
  close(ways[1]);
  wait(&status);
  long bytes = read(ways[0], text, sizeof text - 1);
  if (WIFSIGNALED(status))
    printf("%s: dies of %s\n", what, WTERMSIG(status) == SIGTRAP ? "SIGTRAP" : strsignal(WTERMSIG(status)));
  else
    printf("%s: %s, %s", what, WEXITSTATUS(status) ? "lost a hit" : "lives", bytes ? text : "silent\n");
  close(ways[0]);
}

PLAIN int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  int info = strcmp(argv[1], "info") == 0, once = strcmp(argv[1], "once") == 0;
  struct sigaction before = {.sa_flags = info ? SA_SIGINFO : once ? SA_RESETHAND : 0};
  sigaddset(&before.sa_mask, SIGUSR1);
  if (info)
    before.sa_sigaction = onInfo;
  else if (once || strcmp(argv[1], "plain") == 0)
    before.sa_handler = onPlain;
  else
    before.sa_handler = strcmp(argv[1], "ignored") == 0 ? SIG_IGN : SIG_DFL;
  sigaction(SIGTRAP, &before, NULL);
  tprt_selector selector = {.function = "f", .flags = TPRT_SELECT_TRAPS};
  tprt_probe *probe = attachSelected(selector, (tprt_action){.handler = countHit, .data = &hits});
  inChild("int3", breakpoint, info);
  inChild("raise", trap, info);
  if (once)
    inChild("twice", twice, 0);
  f(), f();
  printf("%d hits each\n", hits);
  tprt_probe_detach(probe, -1);
}
