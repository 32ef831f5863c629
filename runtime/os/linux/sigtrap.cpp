// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of SIGTRAP; see base/os_signal.h. The handler runs on the thread
// that executed an int3, possibly during an attach on that thread. So the
// handler uses no lock and never waits. Any other SIGTRAP is passed to the
// program's handler: the earlier handler, or the handler that the program has
// set since then (setTrapAction()).
//
// All other signals are blocked while this handler runs. Otherwise, the handler
// of another signal could run meanwhile and call a traced function. SIGTRAP
// would then be blocked, and the int3 of that function would end the process
// (force_sig: signal(7), "blocked" and "ignored").
#include "base/os_process.h"
#include "base/os_signal.h"
#include "os/linux/actions.h"
#include "os/linux/clibrary.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// If the runtime is built without its own names (os/linux/own_names.h), it
// calls sigaction() by glibc's other name. The reasons: libtprt.so itself has a
// sigaction() (interpose/signal_calls.cpp), and a sanitizer's sigaction() would
// call the sanitizer's handler before libtprt's handler.
#if defined(__GLIBC__) && !defined(TPRT_OWN_NAMES)
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);
#define TPRT_SIGACTION __sigaction
#else
#define TPRT_SIGACTION sigaction
#endif

namespace tprt {

// The former action for SIGTRAP, and the function to call at a trap. Both are
// constant once the handler is installed.
static struct sigaction previous;
static TrapResponses responses;
static bool installed;
// The program's action for SIGTRAP. The structure that this points to never
// changes, because a running handler may use it. Stored in setTrapAction(),
// read in the handler.
static const struct sigaction *wanted = &previous;
static const struct sigaction kDefault = {};

static const struct sigaction *nowWanted() {
  return __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
}

// Makes the system call directly, because sigaction() returns the action that
// was passed to setTrapAction().
static void *kernelsHandler() {
  KernelAction now = {};
  syscall(SYS_rt_sigaction, SIGTRAP, nullptr, &now, sizeof now.mask);
  return now.handler;
}

// Ends the process at the same place as without libtprt. An int3 is executed
// once more. Any other SIGTRAP is sent again, and stays pending until this
// handler returns and unblocks it.
static void end(siginfo_t *info, void *context) {
  KernelAction fatal = {};
  syscall(SYS_rt_sigaction, SIGTRAP, &fatal, nullptr, sizeof fatal.mask);
  if (info->si_code != SI_KERNEL || !responses.repeat(context))
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP,
            info);
}

// Calls the program's handler, with the signal mask that the kernel would have
// given that handler. The mask is in effect until libtprt's handler returns.
static void handOn(const struct sigaction &to, int number, siginfo_t *info,
                   void *context) {
  uint64_t mask, more; // the kernel's sigset_t
  memcpy(&mask, &static_cast<ucontext_t *>(context)->uc_sigmask, sizeof mask);
  memcpy(&more, &to.sa_mask, sizeof more);
  mask |= more;
  if (!(to.sa_flags & SA_NODEFER))
    mask |= signalBit(SIGTRAP);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
  if (to.sa_flags & SA_SIGINFO)
    to.sa_sigaction(number, info, context);
  else
    to.sa_handler(number);
}

static void onTrap(int number, siginfo_t *info, void *context) {
  if (info->si_code == SI_KERNEL) { // an int3
    if (responses.resume(context))
      return;
  } else if (info->si_code <= 0) { // sent, not a single step or a breakpoint
    responses.resumeLost(context);
  }
  const struct sigaction *to = nowWanted();
  // SA_RESETHAND: the first signal removes the handler. If two threads get a
  // signal, the second thread finds the action that the first thread has
  // stored.
  while (hasHandler(*to) && to->sa_flags & SA_RESETHAND &&
         !__atomic_compare_exchange_n(&wanted, &to, &kDefault, false,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  if (to->sa_handler == SIG_DFL)
    return end(info, context);
  if (to->sa_handler != SIG_IGN)
    return handOn(*to, number, info, context);
  if (info->si_code > 0) // signals from the kernel are not ignored
    end(info, context);
}

bool setTrapAction(const struct sigaction *action, struct sigaction *old) {
  if (!__atomic_load_n(&installed, __ATOMIC_ACQUIRE) ||
      kernelsHandler() != reinterpret_cast<void *>(onTrap))
    return false;
  // A child of vfork has separate actions, but shares this process's memory.
  // The child is about to run a program, which removes all handlers, so a
  // request for the default action needs no change. All other requests of the
  // child are passed to the kernel.
  bool shares = !isCopiedProcess() && getpid() != processId();
  if (shares && action && action->sa_handler != SIG_DFL)
    return false;
  // The program may have read the kernel's action earlier, and may now restore
  // that action.
  bool isOurs = action && action->sa_sigaction == onTrap;
  const struct sigaction *kept = !action || shares ? nullptr
                                 : isOurs          ? &previous
                                                   : keepAction(*action);
  if (action && !shares && !kept)
    return false;
  const struct sigaction *before =
      kept ? __atomic_exchange_n(&wanted, kept, __ATOMIC_ACQ_REL) : nowWanted();
  if (old)
    *old = *before;
  return true;
}

namespace {
// Whether a thread, or one of several threads, blocks SIGTRAP. Running means
// that a blocking thread is running or waits for a processor.
enum class Blocked : uint8_t { No, Running, Waiting };
} // namespace

// The result for the thread whose folder in /proc has that name.
static Blocked blocksTraps(const char *thread) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  int file = openRaised(path, O_RDONLY);
  ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  const char *field = "\nSigBlk:", *line = strstr(text, field);
  if (!line ||
      !(strtoull(line + strlen(field), nullptr, 16) & signalBit(SIGTRAP)))
    return Blocked::No;
  return strstr(text, "\nState:\tS") ? Blocked::Waiting : Blocked::Running;
}

static Blocked doesAnyThreadBlockTraps() {
  int folder = openRaised("/proc/self/task", O_RDONLY | O_DIRECTORY);
  Blocked found = Blocked::No;
  char entries[1024];
  long bytes;
  while (folder >= 0 &&
         (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < bytes && found != Blocked::Waiting;) {
      // getdents64(2): 8 bytes each of a number and a position, two of the
      // entry's length, one of its kind, and the name.
      uint16_t length;
      memcpy(&length, entries + at + 16, sizeof length);
      const char *name = entries + at + 19;
      Blocked one = *name == '.' ? Blocked::No : blocksTraps(name);
      found = one > found ? one : found;
      at += length;
    }
  if (folder >= 0)
    close(folder);
  return found;
}

// While the C library starts or ends a thread, the thread has all signals
// blocked for a short time. This takes longer if the thread is not scheduled.
// Under a seccomp filter, nothing is read, because the filter may forbid it.
static bool areTrapsBlocked() {
  constexpr int kTries = 20, kMostTries = 2000;
  constexpr timespec kWait = {0, 1000000};
  if (areCallsFiltered())
    return false;
  for (int i = 0; i < kMostTries; ++i) {
    Blocked blocked = doesAnyThreadBlockTraps();
    if (blocked == Blocked::No)
      return false;
    if (blocked == Blocked::Waiting && i >= kTries)
      return true;
    nanosleep(&kWait, nullptr);
  }
  return true;
}

uint64_t addressInCLibrary() {
#ifdef TPRT_OWN_NAMES
  return addressOfCFunction();
#else
  return reinterpret_cast<uint64_t>(&tprt_program_errno);
#endif
}

// A debugger may trace only the program's first thread, as ltrace does. The
// calling thread may be one of libtprt's threads.
bool isTraced() {
  constexpr char kTracer[] = "\nTracerPid:";
  return statusField(kTracer) != 0 ||
         statusField(kTracer, "/proc/self/status") != 0;
}

tprt_refusal takeTrapSignal(const TrapResponses &how) {
  if (isTraced())
    return TPRT_REFUSAL_DEBUGGER;
  if (kernelsHandler() == reinterpret_cast<void *>(onTrap))
    return TPRT_REFUSAL_NONE;
  struct sigaction now, ours = {};
  if (installed || areTrapsBlocked() ||
      TPRT_SIGACTION(SIGTRAP, nullptr, &now) != 0)
    return TPRT_REFUSAL_SIGTRAP;
  previous = now;
  responses = how;
  ours.sa_sigaction = onTrap;
  // If a program has no handler, a SIGTRAP from kill() must not make the
  // program's system calls fail with EINTR, hence SA_RESTART. If the program
  // has a handler, that handler must run on the expected stack, hence the
  // handler's own flags.
  int flags = SA_ONSTACK | SA_RESTART;
  ours.sa_flags = SA_SIGINFO | (hasHandler(now) ? now.sa_flags & flags : flags);
  sigfillset(&ours.sa_mask);
  bool done = TPRT_SIGACTION(SIGTRAP, &ours, &previous) == 0;
  __atomic_store_n(&installed, done, __ATOMIC_RELEASE);
  return done ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_SIGTRAP;
}

} // namespace tprt
