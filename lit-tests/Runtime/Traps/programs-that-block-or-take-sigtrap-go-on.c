// With traps in its code, a program blocks all signals, has handlers with full masks, starts threads and other programs, and
// sets and gets actions of SIGTRAP. It continues as without traps, and each hit is counted.
//
// REQUIRES: x86_64-host
// RUN: gcc -O2 -no-pie -fno-inline %s %tprt_flags -pthread -o %t
// RUN: %t | FileCheck %s
//
// CHECK: a thread blocks SIGTRAP at the attach, which is refused: 0, 0 hits
// CHECK-NEXT: all signals are blocked: 0, 1 hit
// CHECK-NEXT: a handler blocks all signals: 0, 1 hit
// CHECK-NEXT: the same, set before the attach: 0, 1 hit
// CHECK-NEXT: threads: 0, 2 hits
// CHECK-NEXT: vfork while all signals are blocked: 0, 2 hits
// CHECK-NEXT: posix_spawn and system: 0, 1 hit
// CHECK-NEXT: a handler is set by sigaction: 0, 1 hit
// CHECK-NEXT: by signal: 0, 1 hit
// CHECK-NEXT: for one signal alone: signal 5, 1 hit
// CHECK-NEXT: the default action: 0, 1 hit
// CHECK-NEXT: the same, and the program's own int3: signal 5, 1 hit
// CHECK-NEXT: ignored: 0, 1 hit
// CHECK-NEXT: a child sets the default action and calls exec: 0, 1 hit
// CHECK-NEXT: SIGTRAP alone is blocked and waited for: 0, 0 hits
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

// No jump fits: see Code/tpctl-takes-what-needs-a-breakpoint.c.
__asm__(".text\n.globl short_one\n.type short_one, @function\n.p2align 4\n.fill 256, 1, 0x50\nud2\n"
        ".p2align 4\nshort_one:\n.cfi_startproc\nmovl %edi, %eax\n.byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\nret\n"
        ".cfi_endproc\n.size short_one, . - short_one\n.fill 256, 1, 0x50\nud2\n");
int short_one(int i);

extern char **environ;
static char *child[] = {"true", NULL};
static sigset_t all;
static int handled;
static struct {
  volatile int hits;
} *shared;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) { __atomic_fetch_add(&shared->hits, 1, __ATOMIC_RELAXED); }
static void onSignal(int number) { handled += short_one(1); }
static void onTrap(int number) { ++handled; }

static int blocked(void) {
  sigprocmask(SIG_BLOCK, &all, NULL);
  return short_one(0);
}
static int inHandler(void) {
  struct sigaction action = {.sa_handler = onSignal, .sa_mask = all};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  return handled != 1;
}
static int inEarlierHandler(void) { return raise(SIGUSR2) || handled != 1; }
static void *thread(void *data) {
  short_one(0);
  return data;
}
static int threads(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, thread, NULL);
  sigprocmask(SIG_SETMASK, &all, NULL);
  pthread_create(&two, NULL, thread, NULL);
  return pthread_join(one, NULL) || pthread_join(two, NULL);
}
static int byVfork(void) {
  sigprocmask(SIG_SETMASK, &all, NULL);
  pid_t pid = vfork();
  if (!pid) {
    signal(SIGTRAP, SIG_DFL); // in the child, which shares our memory
    short_one(0);
    execvp(*child, child);
    _exit(9);
  }
  int status;
  waitpid(pid, &status, 0);
  short_one(0);
  return status;
}
static int spawned(void) {
  pid_t pid;
  int status;
  sigprocmask(SIG_SETMASK, &all, NULL);
  posix_spawnp(&pid, *child, NULL, NULL, child, environ);
  waitpid(pid, &status, 0);
  return status || system("true") || short_one(0);
}
// Exits with 0 if the handler is called for a sent signal and for an int3 of the program, and for no other signal.
static int both(void) {
  raise(SIGTRAP);
  short_one(0);
  __asm__ volatile("int3");
  return handled != 2;
}
static int bySigaction(void) {
  struct sigaction action = {.sa_handler = onTrap}, now = {.sa_handler = SIG_ERR};
  int wrong = sigaction(SIGTRAP, &action, &now) || now.sa_handler != SIG_DFL;
  return wrong || sigaction(SIGTRAP, NULL, &now) || now.sa_handler != onTrap || both();
}
static int bySignal(void) { return signal(SIGTRAP, onTrap) != SIG_DFL || signal(SIGTRAP, onTrap) != onTrap || both(); }
static int once(void) {
  struct sigaction action = {.sa_handler = onTrap, .sa_flags = SA_RESETHAND};
  sigaction(SIGTRAP, &action, NULL);
  return both();
}
static int byDefault(void) { return signal(SIGTRAP, SIG_DFL) != SIG_DFL || short_one(0); }
static int ownTrap(void) {
  byDefault();
  __asm__ volatile("int3");
  return 0;
}
static int ignored(void) {
  signal(SIGTRAP, SIG_IGN);
  return raise(SIGTRAP) || short_one(0);
}
static int run(void) {
  signal(SIGTRAP, SIG_DFL);
  short_one(0);
  return execvp(*child, child);
}
static int awaited(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTRAP);
  int number = 0;
  return sigprocmask(SIG_BLOCK, &set, NULL) || raise(SIGTRAP) || sigwait(&set, &number) || number != SIGTRAP;
}

// Runs each case in a child, so that a case does not affect the next one.
static void show(const char *text, int (*does)(void)) {
  fflush(stdout);
  shared->hits = 0;
  pid_t pid = fork();
  if (!pid) {
    alarm(20);
    _exit(does());
  }
  int status;
  waitpid(pid, &status, 0);
  printf("%s: %s%d, %d hit%s\n", text, WIFSIGNALED(status) ? "signal " : "", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), shared->hits,
         shared->hits == 1 ? "" : "s");
}

static tprt_selector selector = {.function = "short_one", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};

// Attaches while a thread (this one) blocks all signals.
static int refused(void) {
  tprt_action action = {.handler = onHit};
  tprt_probe *probe;
  tprt_result result;
  sigprocmask(SIG_SETMASK, &all, NULL);
  return tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_REFUSED || result.first_refusal != TPRT_REFUSAL_SIGTRAP || short_one(0);
}

int main(void) {
  sigfillset(&all);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  show("a thread blocks SIGTRAP at the attach, which is refused", refused);
  struct sigaction action = {.sa_handler = onSignal, .sa_mask = all};
  sigaction(SIGUSR2, &action, NULL);
  attachSelected(selector, (tprt_action){.handler = onHit});
  // Some functions of the C library would need a trap. The library calls them with signals blocked, so they are refused.
  tprt_selector library = selector;
  library.function = "*";
  library.module = "libc.so*";
  library.kinds = TPRT_KIND_SET_ALL;
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe;
  if (tprt_probe_attach(&library, &count, &probe, NULL) != TPRT_STATUS_PARTIAL)
    puts(tprt_error_string());
  show("all signals are blocked", blocked);
  show("a handler blocks all signals", inHandler);
  show("the same, set before the attach", inEarlierHandler);
  show("threads", threads);
  show("vfork while all signals are blocked", byVfork);
  show("posix_spawn and system", spawned);
  show("a handler is set by sigaction", bySigaction);
  show("by signal", bySignal);
  show("for one signal alone", once);
  show("the default action", byDefault);
  show("the same, and the program's own int3", ownTrap);
  show("ignored", ignored);
  show("a child sets the default action and calls exec", run);
  show("SIGTRAP alone is blocked and waited for", awaited);
}
