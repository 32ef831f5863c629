// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See output.h.
#include "os/linux/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

static constexpr int kSignals[] = {SIGPIPE, SIGXFSZ};

WriteSignalsBlocked::WriteSignalsBlocked() {
  sigset_t ours;
  sigemptyset(&ours);
  for (int signal : kSignals)
    sigaddset(&ours, signal);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  sigpending(&pending);
}

// Takes away the pending `signal` that a write of ours sent to this thread. If
// one was pending before, that may be the same one, as they do not add up; or
// it may be of the process, while a thread's own is taken first (signal(7),
// "Standard signals"): then it is still pending.
static void takeBack(int signal, bool wasPending) {
  sigset_t one, now;
  siginfo_t info;
  sigemptyset(&one);
  sigaddset(&one, signal);
  timespec none{};
  if (sigpending(&now) != 0 || !sigismember(&now, signal))
    return;
  if (sigtimedwait(&one, &info, &none) != signal || !wasPending)
    return;
  sigpending(&now);
  if (!sigismember(&now, signal))
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal,
            &info);
}

void WriteSignalsBlocked::noteFailure(int error) {
  signal = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : signal;
}

WriteSignalsBlocked::~WriteSignalsBlocked() {
  int savedErrno = errno;
  if (signal)
    takeBack(signal, sigismember(&pending, signal));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = savedErrno;
}

static bool waitUntilWritable(int file) {
  pollfd one = {file, POLLOUT, 0};
  return poll(&one, 1, 1000) == 1;
}

bool writeAll(int file, const char *text, size_t bytes) {
  WriteSignalsBlocked blocked;
  while (bytes) {
    ssize_t written = write(file, text, bytes);
    if (written < 0 &&
        (errno == EINTR || (errno == EAGAIN && waitUntilWritable(file))))
      continue;
    if (written < 0)
      blocked.noteFailure(errno);
    if (written <= 0)
      return false;
    text += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

// When the library was loaded.
static struct stat original;
static bool wasOpen;

void rememberStandardError() { wasOpen = fstat(STDERR_FILENO, &original) == 0; }

// A program that closes it, or was started without, gets the number for the
// next file it opens: a socket, or a file with its data. One that leads it
// elsewhere on purpose takes a terminal, /dev/null, a pipe or a log, and opens
// that for writing only.
int standardError() {
  struct stat now;
  if (!wasOpen || fstat(STDERR_FILENO, &now) != 0)
    return -1;
  bool same = now.st_dev == original.st_dev && now.st_ino == original.st_ino;
  bool forText = S_ISCHR(now.st_mode) ||
                 (!S_ISSOCK(now.st_mode) &&
                  (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY);
  return same || forText ? STDERR_FILENO : -1;
}

void Output::flush() {
  if (!fault && !writeAll(file, buffer, used))
    fault = errno;
  used = 0;
}

void Output::print(const char *format, ...) {
  // Twice where it does not fit behind what is there; what is longer than all
  // of the buffer is cut.
  for (int round = 0; round < 2; ++round) {
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(buffer + used, sizeof buffer - used, format, arguments);
    va_end(arguments);
    size_t bytes = length > 0 ? static_cast<size_t>(length) : 0;
    bool fits = bytes < sizeof buffer - used;
    if (fits || !used) {
      used = fits ? used + bytes : sizeof buffer - 1;
      return;
    }
    flush();
  }
}

int Output::finish() {
  flush();
  return fault;
}

} // namespace tprt
