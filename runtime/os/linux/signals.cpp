// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the program's own addresses to the program's signal handlers; see
// SignalResponses in base/os_signal.h. The problem: a signal may arrive in one
// of libtprt's stubs or in the copy of an instruction, and the copy of a
// division may raise a signal. The program's handler would not find such an
// address in its tables.
//
// So libtprt's handler is installed in place of the program's handler, with the
// same flags and the same mask. libtprt's handler stores an address of the
// program in the signal's context, calls the program's handler, and restores
// the former address. If the program's handler has set another address, the
// thread continues there instead. If a fault only means that a hit has too
// little stack, the program does not see the fault: its own instruction will
// reach the end of the stack (text/stack_overflow.h).
//
// translateSignals() replaces the present handlers: all of them, or only those
// that may catch a stack overflow. interpose/signal_calls.cpp interposes
// sigaction() and signal(), and reports later handlers. The old action that
// these two functions return is always the program's action. A process that
// shares the program's memory (vfork) keeps its own handlers. sigtrap.cpp
// handles SIGTRAP.
//
// All functions except translateSignals() are async-signal-safe, and run on any
// thread without a lock.
#include "base/os_process.h"
#include "base/os_signal.h"
#include "os/linux/actions.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace tprt {

namespace {
// The program's action for a signal. Constant once it is published, and never
// freed, because a running handler may use it.
struct Wanted {
  struct sigaction action;
  uint32_t ready; // Published in intern(), read in findWanted().
};
} // namespace

constexpr int kSignals = 64, kFirstRealTime = 32;
// Programs have few different actions. If there are more than kMostWanted, the
// kernel directly calls the handlers of the remaining actions, as it would
// without libtprt.
constexpr uint32_t kMostWanted = 128;

static Wanted all[kMostWanted];
static uint32_t used; // How many entries were begun; may exceed kMostWanted.
// By signal: the program's action, or nullptr if libtprt's handler does not
// replace the program's handler.
static const Wanted *current[kSignals + 1];
static SignalResponses responses; // Set before `translated` is.
static uint32_t translated;       // A Translated.

static const Wanted *findWanted(const struct sigaction &action) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < kMostWanted; ++i)
    if (__atomic_load_n(&all[i].ready, __ATOMIC_ACQUIRE) &&
        all[i].action.sa_sigaction == action.sa_sigaction &&
        all[i].action.sa_flags == action.sa_flags &&
        memcmp(&all[i].action.sa_mask, &action.sa_mask,
               sizeof action.sa_mask) == 0)
      return &all[i];
  return nullptr;
}

// Two threads may make two equal entries at the same time, which is harmless.
// Returns nullptr if there is no room.
static const Wanted *intern(const struct sigaction &action) {
  if (const Wanted *known = findWanted(action))
    return known;
  if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= kMostWanted)
    return nullptr;
  uint32_t i = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
  if (i >= kMostWanted)
    return nullptr;
  all[i].action = action;
  __atomic_store_n(&all[i].ready, 1, __ATOMIC_RELEASE);
  return &all[i];
}

const struct sigaction *keepAction(const struct sigaction &action) {
  const Wanted *kept = intern(action);
  return kept ? &kept->action : nullptr;
}

// A signal about an instruction also contains the instruction's address
// (sigaction(2), "si_addr").
static void showAddress(siginfo_t *info, uint64_t from, uint64_t to) {
  bool isOfCode = info->si_code > 0 &&
                  (info->si_signo == SIGFPE || info->si_signo == SIGILL);
  if (isOfCode && reinterpret_cast<uint64_t>(info->si_addr) == from)
    info->si_addr = reinterpret_cast<void *>(to);
}

static void onSignal(int number, siginfo_t *info, void *context) {
  const Wanted *wanted = __atomic_load_n(&current[number], __ATOMIC_ACQUIRE);
  int error = errno;
  if ((number == SIGSEGV || number == SIGBUS) && info->si_code > 0 &&
      responses.leaveOverflow(context,
                              reinterpret_cast<uint64_t>(info->si_addr))) {
    errno = error;
    return;
  }
  SignalResponses::Shown was;
  bool isOther = responses.show(context, was);
  uint64_t shown = responses.programCounter(context);
  if (isOther)
    showAddress(info, was.programCounter, shown);
  errno = error;
  wanted->action.sa_sigaction(number, info, context);
  if (isOther && responses.programCounter(context) == shown)
    responses.giveBack(context, was);
}

// Whether this process only shares the memory of the process to which `current`
// belongs (vfork, CLONE_VM). Such a process has separate actions (clone(2),
// CLONE_SIGHAND), so the kernel directly calls the program's handlers in that
// process, as it would without libtprt.
static bool isGuest() {
  int32_t host = processId();
  return host > 0 && mayAsk(HitCall::Ids) && host != syscall(SYS_getpid);
}

// Converts the kernel's action into the program's action. The kernel's flags
// and mask are current, because siginterrupt(3) changes them without a call of
// sigaction() that libtprt sees. Only SA_SIGINFO was added. SA_SIGINFO stays
// even if the kernel has reset the handler (SA_RESETHAND).
static void showTheirs(struct sigaction &action, const Wanted *theirs) {
  constexpr int kReset = static_cast<int>(SA_RESETHAND) | SA_SIGINFO;
  if (!theirs)
    return;
  if (action.sa_sigaction == onSignal)
    action.sa_sigaction = theirs->action.sa_sigaction;
  else if (action.sa_handler != SIG_DFL || (action.sa_flags & kReset) != kReset)
    return;
  action.sa_flags &= theirs->action.sa_flags | ~SA_SIGINFO;
}

static Translated whichAreTranslated() {
  return static_cast<Translated>(
      __atomic_load_n(&translated, __ATOMIC_ACQUIRE));
}

static bool isTranslated(int number) {
  switch (whichAreTranslated()) {
  case Translated::None:
    return false;
  case Translated::Overflows:
    return number == SIGSEGV || number == SIGBUS;
  case Translated::All:
    // The C library reserves the first real-time signals.
    return number >= 1 && number <= kSignals && number != SIGTRAP &&
           number != SIGKILL && number != SIGSTOP &&
           (number < kFirstRealTime || number >= SIGRTMIN);
  }
  return false;
}

// A handler on an overflowed stack would not be called.
static bool isTranslated(const struct sigaction &action) {
  return hasHandler(action) && action.sa_sigaction != onSignal &&
         (whichAreTranslated() == Translated::All ||
          action.sa_flags & SA_ONSTACK);
}

int changeSignal(int number, const struct sigaction *action,
                 struct sigaction *old, SignalChanger *next) {
  if (!isTranslated(number))
    return next(number, action, old);
  const Wanted *before = __atomic_load_n(&current[number], __ATOMIC_ACQUIRE);
  const Wanted *wanted =
      action && isTranslated(*action) && !isGuest() ? intern(*action) : nullptr;
  struct sigaction ours;
  if (wanted) {
    ours = wanted->action;
    ours.sa_sigaction = onSignal;
    ours.sa_flags |= SA_SIGINFO;
    // Stored before the kernel can call libtprt's handler for this signal.
    __atomic_store_n(&current[number], wanted, __ATOMIC_RELEASE);
  }
  int status = next(number, wanted ? &ours : action, old);
  if (status != 0 && wanted)
    __atomic_store_n(&current[number], before, __ATOMIC_RELEASE);
  if (status == 0 && old)
    showTheirs(*old, before);
  return status;
}

// Replaces the program's present handler. The kernel is called directly,
// because sigaction() may lead to changeSignal(). Returns false if the system
// call fails.
static bool adopt(int number) {
  KernelAction action;
  if (syscall(SYS_rt_sigaction, number, nullptr, &action, sizeof action.mask) !=
      0)
    return false;
  struct sigaction theirs = {};
  theirs.sa_sigaction =
      reinterpret_cast<decltype(theirs.sa_sigaction)>(action.handler);
  constexpr unsigned long kRestorer = 0x04000000; // the kernel's SA_RESTORER
  theirs.sa_flags = static_cast<int>(action.flags & ~kRestorer);
  if (!isTranslated(theirs))
    return true;
  memcpy(&theirs.sa_mask, &action.mask, sizeof action.mask);
  const Wanted *wanted = intern(theirs);
  if (!wanted)
    return true;
  __atomic_store_n(&current[number], wanted, __ATOMIC_RELEASE);
  action.handler = reinterpret_cast<void *>(onSignal);
  action.flags |= SA_SIGINFO;
  return syscall(SYS_rt_sigaction, number, &action, nullptr,
                 sizeof action.mask) == 0;
}

SignalHandler *changeHandler(int number, SignalHandler *handler,
                             HandlerChanger *next) {
  if (!isTranslated(number))
    return next(number, handler);
  const Wanted *before = __atomic_load_n(&current[number], __ATOMIC_ACQUIRE);
  SignalHandler *old = next(number, handler);
  if (old == SIG_ERR)
    return old;
  if (!isGuest())
    adopt(number);
  bool wasOurs =
      reinterpret_cast<void *>(old) == reinterpret_cast<void *>(onSignal);
  return wasOurs && before ? before->action.sa_handler : old;
}

bool translateSignals(const SignalResponses &how, Translated which) {
  responses = how;
  if (which > whichAreTranslated())
    __atomic_store_n(&translated, static_cast<uint32_t>(which),
                     __ATOMIC_RELEASE);
  bool all = true;
  for (int number = 1; number <= kSignals; ++number)
    if (isTranslated(number))
      all &= adopt(number);
  return all;
}

} // namespace tprt
