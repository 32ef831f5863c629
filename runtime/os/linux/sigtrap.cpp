// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of SIGTRAP; see core/os.h. It runs on the thread that executed an
// int3, maybe in the middle of an attach on that thread, so it takes no lock
// and waits for nothing. A SIGTRAP that is not ours goes to the handler that
// the program had before.
//
// All other signals are blocked while this handler runs. Otherwise the handler
// of another signal could run inside it and call a traced function. SIGTRAP
// would then be blocked, and the int3 of that function would end the process
// (force_sig: signal(7), "blocked" and "ignored").
#include "core/os.h"
#include "os/linux/trial.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
// glibc's other name of the function. libtprt.so has a sigaction() of its own
// (optional/signalcalls.cpp), and GNU ld would link every program to it if it
// also called one.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);
#define TPRT_SIGACTION __sigaction
#else
#define TPRT_SIGACTION sigaction
#endif

namespace tprt {

// The action that SIGTRAP had before, and what to do at a trap. Both are
// constant once the handler is installed.
static struct sigaction previous;
static TrapResponses responses;
static bool installed;

// Ends the process as it would end without us, at the same place. An int3 is
// executed once more. Any other SIGTRAP is sent again, and stays pending until
// this handler returns and unblocks it.
static void end(siginfo_t *info, void *context) {
  struct sigaction fatal = {};
  fatal.sa_handler = SIG_DFL;
  TPRT_SIGACTION(SIGTRAP, &fatal, nullptr);
  if (info->si_code != SI_KERNEL || !responses.repeat(context))
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP,
            info);
}

// Calls the handler that the program had before, with the signal mask that the
// kernel would have given that handler. The mask lasts until our handler
// returns.
static void handOn(int number, siginfo_t *info, void *context) {
  uint64_t mask, more; // the kernel's sigset_t
  memcpy(&mask, &static_cast<ucontext_t *>(context)->uc_sigmask, sizeof mask);
  memcpy(&more, &previous.sa_mask, sizeof more);
  mask |= more;
  if (!(previous.sa_flags & SA_NODEFER))
    mask |= uint64_t{1} << (SIGTRAP - 1);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(number, info, context);
  else
    previous.sa_handler(number);
}

static void onTrap(int number, siginfo_t *info, void *context) {
  if (info->si_code == SI_KERNEL) { // an int3
    if (responses.resume(context))
      return;
  } else if (info->si_code <= 0) { // sent, not a single step or a breakpoint
    responses.resumeLost(context);
  }
  static bool spent;
  bool once = previous.sa_flags & SA_RESETHAND &&
              __atomic_exchange_n(&spent, true, __ATOMIC_RELAXED);
  if (previous.sa_handler == SIG_DFL || once)
    return end(info, context);
  if (previous.sa_handler != SIG_IGN)
    return handOn(number, info, context);
  if (info->si_code > 0) // the kernel's own are not ignored
    end(info, context);
}

bool isTraced() { return statusField("\nTracerPid:") != 0; }

tprt_refusal takeTrapSignal(const TrapResponses &how) {
  if (isTraced())
    return TPRT_REFUSAL_DEBUGGER;
  struct sigaction now, ours = {};
  if (TPRT_SIGACTION(SIGTRAP, nullptr, &now) != 0)
    return TPRT_REFUSAL_SIGTRAP;
  if (now.sa_sigaction == onTrap)
    return TPRT_REFUSAL_NONE;
  if (installed)
    return TPRT_REFUSAL_SIGTRAP;
  previous = now;
  responses = how;
  ours.sa_sigaction = onTrap;
  // A program without a handler must not see its system calls fail with EINTR
  // because kill() sent this signal, hence SA_RESTART. A program's own handler
  // must run on the stack that it expects, hence its own flags.
  bool none = now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN;
  int flags = SA_ONSTACK | SA_RESTART;
  ours.sa_flags = SA_SIGINFO | (none ? flags : now.sa_flags & flags);
  sigfillset(&ours.sa_mask);
  installed = TPRT_SIGACTION(SIGTRAP, &ours, &previous) == 0;
  return installed ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_SIGTRAP;
}

} // namespace tprt
