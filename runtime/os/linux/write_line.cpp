// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes lines from inside hits, and reads the time of day for them; see
// base/os_file.h. Called in hits, so async-signal-safe. Makes direct system
// calls, because libc's write() is a cancellation point, and libc's functions
// for sets of signals may use vector registers.
#include "base/os_file.h"
#include "base/os_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

// The kernel's set of signals, one bit each.
using SignalSet = uint64_t;
static constexpr SignalSet only(int signal) {
  return SignalSet{1} << (signal - 1);
}
static constexpr SignalSet kSignals = only(SIGPIPE) | only(SIGXFSZ);

static SignalSet pendingSignals() {
  SignalSet pending = 0;
  syscall(SYS_rt_sigpending, &pending, sizeof pending);
  return pending;
}

// Removes the signal that a failed write sent to this thread. If the same
// signal was already pending for the thread, the two were merged into one. So
// the signal is sent once more.
static void takeBack(int signal, bool wasPending) {
  SignalSet one = only(signal);
  siginfo_t info;
  timespec none;
  none.tv_sec = none.tv_nsec = 0;
  if (!(pendingSignals() & one) ||
      syscall(SYS_rt_sigtimedwait, &one, &info, &none, sizeof one) != signal)
    return;
  if (wasPending && !(pendingSignals() & one))
    syscall(SYS_rt_tgsigqueueinfo, syscall(SYS_getpid), syscall(SYS_gettid),
            signal, &info);
}

bool writeOnce(int file, const char *text, size_t bytes) {
  int saved = errno;
  bool blocks = mayAsk(HitCall::SignalMask);
  SignalSet before = 0, pending = 0;
  if (blocks)
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kSignals, &before, sizeof before);
  // A signal that the thread had not blocked would have arrived by now.
  if (before & kSignals)
    pending = pendingSignals();
  long written;
  do
    written = syscall(SYS_write, file, text, bytes);
  while (written < 0 && errno == EINTR);
  int failed = written < 0 ? errno : 0;
  int signal = failed == EPIPE ? SIGPIPE : failed == EFBIG ? SIGXFSZ : 0;
  if (blocks && signal)
    takeBack(signal, pending & only(signal));
  if (blocks)
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  errno = saved;
  return written == static_cast<long>(bytes);
}

static uint64_t nanosecondsOf(const timespec &time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_nsec);
}

uint64_t wallClock() {
  timespec now;
  return clock_gettime(CLOCK_REALTIME, &now) == 0 ? nanosecondsOf(now) : 0;
}

uint64_t wallClockInHit() {
  timespec now;
  return mayAsk(HitCall::Clock) &&
                 syscall(SYS_clock_gettime, CLOCK_REALTIME, &now) == 0
             ? nanosecondsOf(now)
             : 0;
}

} // namespace tprt
