// Expressions read memory at any address, also at one that is not mapped. Then the value is unknown, and the program
// does not notice, whatever it does with SIGSEGV and SIGBUS. If this fails, a program under tpctl ends by a signal, its
// handler is called for a fault that is not its own, or its own fault does not reach its handler.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t
//
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t default | FileCheck %s -DMODE=default
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t ignored | FileCheck %s -DMODE=ignored
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t handled | FileCheck %s -DMODE=handled
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t onstack | FileCheck %s -DMODE=onstack
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t resethand | FileCheck %s -DMODE=resethand
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t nodefer | FileCheck %s -DMODE=nodefer
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t raw | FileCheck %s -DMODE=raw
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t blocked | FileCheck %s -DMODE=blocked
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t in-handler | FileCheck %s -DMODE=in-handler
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t on-alternate-stack | FileCheck %s -DMODE=on-alternate-stack
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t thread | FileCheck %s -DMODE=thread
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t main-ended | FileCheck %s -DMODE=main-ended
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t fork | FileCheck %s -DMODE=fork
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t vfork | FileCheck %s -DMODE=vfork
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t exec | FileCheck %s -DMODE=exec
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t sent | FileCheck %s -DMODE=sent
//
// CHECK: {{^}}[[MODE]] is fine{{$}}
// CHECK: seconds,str(arg0),hits
// CHECK-DAG: ,?,10{{$}}
// CHECK-DAG: ,a constant,2{{$}}
// CHECK-DAG: ,once mapped,1{{$}}
// CHECK-DAG: ,on the stack,1{{$}}
//
// A filter came after the attach. /proc/self/mem shows a page without permissions as well.
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t filter | FileCheck %s --check-prefix=FILTER
// FILTER: {{^}}filter is fine{{$}}
// FILTER-DAG: ,?,9{{$}}
// FILTER-DAG: ,,1{{$}}
// FILTER-DAG: ,a constant,2{{$}}
// FILTER-DAG: ,once mapped,1{{$}}
//
// A program that is linked with libtprt.
// RUN: %clang -O2 -pthread -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t.linked
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t.linked onstack | FileCheck %s -DMODE=onstack
//
// Missing pages of userfaultfd: one that only the program may ask for, and one that a thread fills.
// RUN: %tpctl count use --by 'str(arg0)' -o - --format csv -- %t missing | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}missing is fine{{$}}
// MISSING-DAG: ,?,1{{$}}
// MISSING-DAG: ,filled,1{{$}}
//
// Numbers and conditions.
// RUN: %tpctl count use --by '*(char *)arg0' -o - --format csv -- %t handled | FileCheck %s --check-prefix=NUMBER
// NUMBER: {{^}}handled is fine{{$}}
// NUMBER-DAG: ,?,10{{$}}
// NUMBER-DAG: ,'a',2{{$}}
// NUMBER-DAG: ,'o',2{{$}}
// RUN: %tpctl count use --if 'str(arg0) =~ "*"' -o - --format csv -- %t handled 2>&1 | FileCheck %s --check-prefix=CONDITION
// CONDITION: ,use,4{{$}}
// CONDITION: note: 10 calls not counted, because the condition is not known
//
// At the end of a call that unmaps its argument.
// RUN: %tpctl count ends --by '(int)result, str(arg0)' -o - --format csv -- %t handled | FileCheck %s --check-prefix=END
// END-DAG: ,0,once mapped,1{{$}}
// END-DAG: ,1,?,1{{$}}
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static const char *mode;
static char *guard, *mapped, *cut, *growing;
static size_t page;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s: not %s (line %d)\n", mode, #condition, __LINE__);                                                    \
      fflush(stdout);                                                                                                  \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

APART void use(const char *text) { __asm__ volatile("" ::"r"(text)); }
APART int ends(char *text, int unmaps) { return unmaps ? munmap(text, page) == 0 : 0; }

static char *newPage(int rights, int flags) {
  char *at = mmap(NULL, page, rights, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static void prepare(void) {
  page = (size_t)getpagesize();
  guard = newPage(PROT_NONE, 0);
  // Below it must be room.
  char *room = mmap(NULL, 64 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(room, 63 * page);
  growing = mmap(room + 63 * page, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN,
                 -1, 0);
  CHECK(growing != MAP_FAILED);
  FILE *file = tmpfile();
  CHECK(file && ftruncate(fileno(file), (off_t)page) == 0);
  cut = mmap(NULL, page, PROT_READ, MAP_SHARED, fileno(file), 0);
  CHECK(cut != MAP_FAILED && ftruncate(fileno(file), 0) == 0);
}

// Two constants: the second read of the page is a load.
static void readAll(void) {
  char own[] = "on the stack";
  use("a constant");
  use("a constant");
  use(own);
  mapped = newPage(PROT_READ | PROT_WRITE, 0);
  strcpy(mapped, "once mapped");
  use(mapped);
  munmap(mapped, page);
  use(mapped);

  use(NULL);
  use((char *)8);
  use(guard);
  use(cut);
  use(growing - 1);
  use((char *)UINT64_MAX);
  use((char *)(UINT64_C(1) << 63));         // Not canonical: a general-protection fault on x86-64.
  use((char *)UINT64_C(0xffffffff80000000)); // The kernel's.
  use((char *)__builtin_frame_address(0) - ((size_t)64 << 20));
}

// --- the program's own faults ------------------------------------------------

static volatile sig_atomic_t faults;
static void *faultAt, *handlerAt;
static int faultNumber, faultCode;
static sigjmp_buf back;

static void onFault(int number, siginfo_t *info, void *context) {
  (void)context;
  ++faults;
  faultAt = info->si_addr;
  faultNumber = number;
  faultCode = info->si_code;
  handlerAt = __builtin_frame_address(0);
  if (info->si_code > 0)
    siglongjmp(back, 1);
}

static char alternate[65536];
static int isOnAlternate(void) {
  return (char *)handlerAt >= alternate && (char *)handlerAt < alternate + sizeof alternate;
}

static void handle(int number, int flags) {
  struct sigaction action = {0};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | flags;
  sigaddset(&action.sa_mask, SIGUSR2);
  CHECK(sigaction(number, &action, NULL) == 0);
}

// The program sees its own action, and its own faults reach its handler.
static void checkOwn(int number, char *at, int code, int flags) {
  struct sigaction now;
  CHECK(sigaction(number, NULL, &now) == 0);
  const int restorer = 0x04000000; // The C library's own flag.
  CHECK(now.sa_sigaction == onFault && (now.sa_flags & ~restorer) == (SA_SIGINFO | flags));
  CHECK(sigismember(&now.sa_mask, SIGUSR2) == 1 && !sigismember(&now.sa_mask, SIGUSR1));
  faults = 0;
  if (!sigsetjmp(back, 1))
    (void)*(volatile char *)at;
  CHECK(faults == 1 && faultAt == at && faultNumber == number && faultCode == code);
  CHECK(isOnAlternate() == !!(flags & SA_ONSTACK));
  CHECK(sigaction(number, NULL, &now) == 0);
  CHECK((now.sa_handler == SIG_DFL) == !!(flags & (int)SA_RESETHAND));
}

static void withHandler(int flags) {
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  if (flags & SA_ONSTACK)
    CHECK(sigaltstack(&stack, NULL) == 0);
  handle(SIGSEGV, flags);
  handle(SIGBUS, flags);
  readAll();
  CHECK(faults == 0);
  checkOwn(SIGSEGV, guard, SEGV_ACCERR, flags);
  checkOwn(SIGBUS, cut, BUS_ADRERR, flags);
}

// The signal that ends a child, or 0.
static int endOf(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
static int endOfFault(char *at) {
  const pid_t child = fork();
  if (!child)
    (void)*(volatile char *)at;
  return endOf(child);
}

// --- modes -------------------------------------------------------------------

static void withoutHandler(void (*action)(int)) {
  signal(SIGSEGV, action);
  signal(SIGBUS, action);
  readAll();
  struct sigaction now;
  CHECK(sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_handler == action && !(now.sa_flags & SA_SIGINFO));
  CHECK(endOfFault(guard) == SIGSEGV);
  CHECK(endOfFault(cut) == SIGBUS);
}

// The kernel's structure on x86-64 and AArch64.
struct kernelAction {
  void *handler;
  unsigned long flags;
  void *restorer;
  uint64_t mask;
};

// As Go does. No signal arrives, so there need be no restorer.
static void raw(void) {
  struct kernelAction action = {(void *)onFault, SA_SIGINFO, NULL, 0}, now;
  const uint64_t faultsOnly = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1);
  uint64_t mask = 0;
  CHECK(syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, sizeof action.mask) == 0);
  CHECK(syscall(SYS_rt_sigaction, SIGBUS, &action, NULL, sizeof action.mask) == 0);
  CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &faultsOnly, NULL, sizeof faultsOnly) == 0);
  readAll();
  CHECK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask) == 0 && (mask & faultsOnly) == faultsOnly);
  CHECK(syscall(SYS_rt_sigaction, SIGSEGV, NULL, &now, sizeof now.mask) == 0 && now.handler == (void *)onFault);
  CHECK(faults == 0);
}

static void blockAll(void) {
  sigset_t all;
  sigfillset(&all);
  CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
}

static void onUser(int number) {
  (void)number;
  readAll();
}

static void inHandler(int flags) {
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action = {0};
  CHECK(sigaltstack(&stack, NULL) == 0);
  action.sa_handler = onUser;
  action.sa_flags = flags;
  sigfillset(&action.sa_mask);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  raise(SIGUSR1);
}

static void *inThread(void *unused) {
  (void)unused;
  blockAll();
  readAll();
  return NULL;
}

static pthread_t mainThread;
static void *onceMainHasEnded(void *unused) {
  pthread_join(mainThread, NULL);
  readAll();
  puts("main-ended is fine");
  exit(0);
  return unused;
}

// Wild pointers in the child, whose calls are not counted.
static void readInChild(pid_t child) {
  if (!child) {
    blockAll();
    use(guard);
    use(NULL);
    use(growing - 1);
    _exit(0);
  }
  CHECK(endOf(child) == 0);
}

// A signal that another process sends is no fault.
static void sent(void) {
  handle(SIGSEGV, SA_RESTART); // for waitpid()
  readAll();
  const pid_t child = fork();
  if (!child)
    _exit(kill(getppid(), SIGSEGV));
  CHECK(endOf(child) == 0);
  while (!faults)
    sched_yield();
  CHECK(faults == 1 && faultCode == SI_USER);
}

static void filter(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog all = {sizeof code / sizeof *code, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0);
  readAll();
}

// A descriptor for a page that is missing, or -1 if this process may not have one.
static int missingPage(char *at, int flags) {
  const int file = (int)syscall(SYS_userfaultfd, O_CLOEXEC | flags);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register range = {.range = {(uintptr_t)at, page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (file >= 0)
    CHECK(ioctl(file, UFFDIO_API, &api) == 0 && ioctl(file, UFFDIO_REGISTER, &range) == 0);
  return file;
}

static void *fill(void *file) {
  const int from = (int)(intptr_t)file;
  struct uffd_msg message;
  CHECK(read(from, &message, sizeof message) == sizeof message && message.event == UFFD_EVENT_PAGEFAULT);
  char *filled = newPage(PROT_READ | PROT_WRITE, 0);
  strcpy(filled, "filled");
  struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~(uint64_t)(page - 1),
                             .src = (uintptr_t)filled,
                             .len = page};
  CHECK(ioctl(from, UFFDIO_COPY, &copy) == 0);
  return NULL;
}

static void missing(void) {
  char *at = newPage(PROT_READ | PROT_WRITE, 0);
  const int own = missingPage(at, UFFD_USER_MODE_ONLY | O_NONBLOCK);
  struct pollfd events = {.fd = own, .events = POLLIN};
  use(own >= 0 ? at : NULL);
  CHECK(own < 0 || poll(&events, 1, 0) == 0);
  at = newPage(PROT_READ | PROT_WRITE, 0);
  const int file = missingPage(at, 0);
  if (file < 0)
    return use("filled");
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, fill, (void *)(intptr_t)file) == 0);
  use(at);
  pthread_join(thread, NULL);
}

// For tools that come later: reads once for each line of the input.
static void commands(void) {
  char line[16];
  handle(SIGSEGV, 0);
  handle(SIGBUS, 0);
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    readAll();
    CHECK(faults == 0);
    puts("read");
    fflush(stdout);
  }
  checkOwn(SIGSEGV, guard, SEGV_ACCERR, 0);
  checkOwn(SIGBUS, cut, BUS_ADRERR, 0);
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "";
  prepare();
  if (!strcmp(mode, "default"))
    withoutHandler(SIG_DFL);
  else if (!strcmp(mode, "ignored"))
    withoutHandler(SIG_IGN);
  else if (!strcmp(mode, "handled"))
    withHandler(0);
  else if (!strcmp(mode, "onstack"))
    withHandler(SA_ONSTACK);
  else if (!strcmp(mode, "resethand"))
    withHandler((int)SA_RESETHAND);
  else if (!strcmp(mode, "nodefer"))
    withHandler(SA_NODEFER);
  else if (!strcmp(mode, "raw"))
    raw();
  else if (!strcmp(mode, "blocked"))
    blockAll(), readAll();
  else if (!strcmp(mode, "in-handler"))
    inHandler(0);
  else if (!strcmp(mode, "on-alternate-stack"))
    inHandler(SA_ONSTACK);
  else if (!strcmp(mode, "sent"))
    sent();
  else if (!strcmp(mode, "filter"))
    filter();
  else if (!strcmp(mode, "missing"))
    missing();
  else if (!strcmp(mode, "commands"))
    commands();
  else if (!strcmp(mode, "fork")) {
    readAll();
    readInChild(fork());
  } else if (!strcmp(mode, "vfork")) {
    const pid_t child = vfork();
    if (!child) { // counted in the parent's memory
      readAll();
      _exit(0);
    }
    CHECK(endOf(child) == 0);
  } else if (!strcmp(mode, "exec")) {
    blockAll();
    execl("/proc/self/exe", argv[0], "blocked-exec", NULL);
  } else if (!strcmp(mode, "thread")) {
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    CHECK(pthread_create(&thread, &small, inThread, NULL) == 0);
    pthread_join(thread, NULL);
  } else if (!strcmp(mode, "main-ended")) {
    pthread_t thread;
    mainThread = pthread_self();
    CHECK(pthread_create(&thread, NULL, onceMainHasEnded, NULL) == 0);
    pthread_exit(NULL);
  } else if (!strcmp(mode, "blocked-exec")) {
    readAll();
    mode = "exec";
  }
  char *last = newPage(PROT_READ | PROT_WRITE, 0);
  strcpy(last, "once mapped");
  ends(last, 0);
  ends(last, 1);
  printf("%s is fine\n", mode);
  return 0;
}
