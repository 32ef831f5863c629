// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the tables of TPRT_OPTIONS when the program ends. Each way to end has
// its own notice:
//  - exit and quick_exit: the C library's lists of functions to call;
//  - _exit and exec: exit_exec.cpp calls functions of this file;
//  - a signal that would kill the process: a handler installed here.
// A handler is installed only if the signal has its default action. It prints
// the tables and sends the signal once more with that action, so that the
// process ends as it would have ended. A handler that the program installs
// later replaces it. All this may run on any thread, and inside a signal
// handler.
#include "options/at_end.h"
#include "base/cancel.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/output.h"
#include "options/print_option.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The functions that atexit, at_quick_exit and pthread_atfork are made of;
// os/linux/fork.cpp says why they are called directly.
extern "C" {
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
int __cxa_atexit(void (*)(void *), void *, void *);
#ifdef __GLIBC__
int __cxa_at_quick_exit(void (*)(void *), void *);
int __register_atfork(void (*)(), void (*)(), void (*)(), void *);
#endif
}

namespace tprt {

// `loadedIn` is the process that libtprt was loaded in. `own` is the process
// that the tables are about: loadedIn, or a child that fork() made of it. A
// child of vfork, or of another call that shares this memory, is neither. Both
// are 0 if no table is wanted.
static pid_t loadedIn, own;

// The kernel id of the thread that is printing; 0: no thread is.
static int32_t printer;
// Whether the tables were printed for the end of the process.
static bool ended;

static int32_t threadId() { return static_cast<int32_t>(syscall(SYS_gettid)); }

// Waits for up to a second or so until this thread may print. Returns false if
// this thread is printing already, or if another thread does not finish
// printing.
static bool beginToPrint() {
  int32_t self = threadId();
  for (unsigned round = 0; round < 1000; ++round) {
    int32_t now = 0;
    if (__atomic_compare_exchange_n(&printer, &now, self, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return true;
    if (now == self)
      return false;
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

void printFor(const Occasion &occasion) {
  // A seccomp filter may refuse the call.
  if (pid_t self = getpid(); self > 0 && self != own)
    return;
  CancelDisabled uncancelled;
  if (!beginToPrint())
    return;
  bool goesOn = occasion.end == End::Asked || occasion.end == End::Exec;
  // `printer` admits one thread at a time, so a thread that comes second has
  // waited until the tables were printed.
  bool first =
      goesOn ? !ended : !__atomic_exchange_n(&ended, true, __ATOMIC_RELAXED);
  if (first)
    printAtEnd(occasion);
  __atomic_store_n(&printer, 0, __ATOMIC_RELEASE);
}

static void atExit(void *) { printFor({End::Exit, 0, nullptr}); }
static void atQuickExit(void *) { printFor({End::QuickExit, 0, nullptr}); }

static void afterForkInChild() {
  own = getpid();
  printer = 0;
  ended = false;
  forgetLostLines();
}

// --- signals -----------------------------------------------------------------

// The signals that end a process by default. Those of a program that is broken
// (SIGSEGV and so on) are left out, as their handlers should do as little as
// possible.
static constexpr int kDeadly[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGABRT,
                                  SIGPIPE, SIGALRM,   SIGTERM, SIGUSR1,
                                  SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU};

// What the handler below takes of an alternate stack, with some room.
static constexpr size_t kStackNeeded = 8192;

// False: this runs on an alternate stack that is too small for printing.
static bool hasStack() {
  stack_t now;
  return syscall(SYS_sigaltstack, nullptr, &now) != 0 ||
         !(now.ss_flags & SS_ONSTACK) || now.ss_size >= kStackNeeded;
}

// Prints, and ends the process by the signal. Nothing is taken for granted
// about how this was called: a program may have put the handler back by
// signal(), without the flags that it was installed with, or may call it from a
// handler of its own as the action that was there before. The signal has its
// default action while this prints, and is not blocked, so a second Ctrl-C ends
// a process that hangs here.
static void onDeadly(int number, siginfo_t *, void *) {
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(number, &byDefault, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  if (hasStack())
    printFor({End::Signal, number, nullptr});
  syscall(SYS_tgkill, getpid(), threadId(), number);
}

static void onAsked(int number, siginfo_t *, void *) {
  int saved = errno;
  printFor({End::Asked, number, nullptr});
  errno = saved;
}

static bool hasDefault(int number) {
  struct sigaction now;
  return sigaction(number, nullptr, &now) == 0 &&
         !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

// Installs a handler that blocks all other signals while it runs. Otherwise a
// handler of the program's could run inside it and leave it by longjmp, and the
// process would not end as it should.
static void handle(int number, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction ours = {};
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  sigaction(number, &ours, nullptr);
}

// `deadly`: also signals that end the process. A program without sleds prints
// no table, so the actions of its signals must not be changed.
static void watchSignals(bool deadly) {
  if (options.signal) {
    if (hasDefault(options.signal))
      handle(options.signal, onAsked);
    else
      tell(1, "tprt: signal ", static_cast<uint64_t>(options.signal),
           " prints no table: this process ignores or handles the signal\n");
  }
  // The first process of a namespace has no default actions (kill(2), NOTES).
  if (!deadly || getpid() == 1)
    return;
  for (int number : kDeadly)
    if (number != options.signal && hasDefault(number))
      handle(number, onDeadly);
}

// --- exec --------------------------------------------------------------------

void beforeLeave() {
  if (loadedIn)
    printFor({End::Leave, 0, nullptr});
}

static bool canRun(int directory, const char *path) {
  if (!path)
    return false;
  int saved = errno;
  // An empty path means that the descriptor is the file itself (AT_EMPTY_PATH).
  struct stat file;
  bool can = fstatat(directory, path, &file, *path ? 0 : AT_EMPTY_PATH) == 0 &&
             S_ISREG(file.st_mode) &&
             (!*path || syscall(SYS_faccessat, directory, path, X_OK) == 0);
  errno = saved;
  return can;
}

// Whether one of the folders in PATH has a program of that name. If that cannot
// be known, the answer is yes.
static bool canFind(const char *name) {
  const char *folder = getenv("PATH");
  if (!*name)
    return false;
  if (!folder || strchr(name, '/'))
    return !folder || canRun(AT_FDCWD, name);
  char path[1024];
  size_t length = strlen(name);
  for (const char *end;; folder = end + 1) {
    end = strchrnul(folder, ':');
    auto bytes = static_cast<size_t>(end - folder);
    if (bytes + length + 2 > sizeof path)
      return true;
    memcpy(path, folder, bytes);
    path[bytes] = '/';
    memcpy(path + bytes + (bytes != 0), name, length + 1);
    if (canRun(AT_FDCWD, path))
      return true;
    if (!*end)
      return false;
  }
}

// Prints only if exec is going to succeed, as far as that can be known.
// Otherwise the table would be printed for each folder that a shell tries.
// Prints nothing in a child of fork(), as the calls before the fork are in its
// parent's table.
void beforeExec(int directory, const char *path) {
  if (loadedIn && getpid() == loadedIn && canRun(directory, path))
    printFor({End::Exec, 0, path && *path ? path : "a file"});
}
void beforeSearch(const char *name) {
  if (loadedIn && getpid() == loadedIn && canFind(name))
    printFor({End::Exec, 0, name});
}

// --- start -------------------------------------------------------------------

void watchEndings(bool hasSleds) {
  loadedIn = own = getpid();
  __cxa_atexit(atExit, nullptr, &__dso_handle);
#ifdef __GLIBC__
  __cxa_at_quick_exit(atQuickExit, &__dso_handle);
  __register_atfork(nullptr, nullptr, afterForkInChild, &__dso_handle);
#else
  at_quick_exit([] { atQuickExit(nullptr); });
  pthread_atfork(nullptr, nullptr, afterForkInChild);
#endif
  watchSignals(hasSleds);
  bool tables = options.counted.count || options.timed.count || options.perf;
  if (tables && (!interposes || !interposes()))
    tell(1, "tprt: no table is printed if this program ends by _exit or exec: "
            "libtprt is linked statically, or was loaded too late\n");
}

} // namespace tprt
