// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of SIGTRAP; see core/os.h. It runs on the thread that executed an
// int3, maybe in the middle of an attach on that thread: it takes no lock and
// waits for nothing. What is not ours goes to whoever had the signal before.
//
// All other signals are held back meanwhile: in a handler of one of them, that
// calls a traced function, SIGTRAP would be blocked, and the int3 the end of
// the process (force_sig: signal(7), "blocked" and "ignored").
#include "core/os.h"
#include "os/linux/trial.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

static struct sigaction previous; // constant once the handler is installed
static TrapResponses responses;   // the same
static bool installed;

// As without us: the same end, at the same place. An int3 is executed once
// more; anything else waits until this handler returns and unblocks it.
static void end(siginfo_t *info, void *context) {
  struct sigaction fatal = {};
  fatal.sa_handler = SIG_DFL;
  sigaction(SIGTRAP, &fatal, nullptr);
  if (info->si_code != SI_KERNEL || !responses.repeat(context))
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGTRAP,
            info);
}

// With the mask that the kernel would have given it. It goes when this handler
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

tprt_refusal takeTrapSignal(const TrapResponses &how) {
  if (statusField("\nTracerPid:") != 0)
    return TPRT_REFUSAL_DEBUGGER;
  struct sigaction now, ours = {};
  if (sigaction(SIGTRAP, nullptr, &now) != 0)
    return TPRT_REFUSAL_SIGTRAP;
  if (now.sa_sigaction == onTrap)
    return TPRT_REFUSAL_NONE;
  if (installed)
    return TPRT_REFUSAL_SIGTRAP;
  previous = now;
  responses = how;
  ours.sa_sigaction = onTrap;
  // What kill() interrupts goes on as it would, and the program's handler finds
  // the stack it knows.
  bool none = now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN;
  int flags = SA_ONSTACK | SA_RESTART;
  ours.sa_flags = SA_SIGINFO | (none ? flags : now.sa_flags & flags);
  sigfillset(&ours.sa_mask);
  installed = sigaction(SIGTRAP, &ours, &previous) == 0;
  return installed ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_SIGTRAP;
}

} // namespace tprt
