// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the runtime's own text, and finds the program's original standard
// error; see copied_output.h and base/os_file.h.
#include "os/linux/copied_output.h"
#include "os/linux/proc_self.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
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
  // If a seccomp filter refuses the call, nothing is blocked, and nothing is
  // restored.
  if (pthread_sigmask(SIG_BLOCK, &ours, &before) != 0)
    isRefused = true;
  sigpending(&pending);
}

// Removes the pending `signal` that our write sent to this thread. If the
// signal was pending before, it must stay pending for the program. There are
// two cases:
//  - It was pending for the thread. Equal signals are merged, so the removed
//    signal is sent once more.
//  - It was pending for the process. A thread's own signal is removed first
//    (signal(7), "Standard signals"), so the process's signal is still pending.
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
  if (!isRefused)
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

// --- standard error ----------------------------------------------------------

// Whether standard error was open when the library was loaded.
static bool wasOpen;
// The file of standard error at that time.
static struct stat original;
// A descriptor of that file, or -1 if none is kept.
static int kept = -1;
// The file's path. Empty if the path must not be kept, or if it does not lead
// to a file or a terminal.
static char keptPath[256];

void rememberStandardError() { wasOpen = fstat(STDERR_FILENO, &original) == 0; }

static bool isOriginal(const struct stat &file) {
  return file.st_dev == original.st_dev && file.st_ino == original.st_ino &&
         file.st_rdev == original.st_rdev;
}

static bool leadsToOriginal(int file) {
  struct stat now;
  return file >= 0 && fstat(file, &now) == 0 && isOriginal(now);
}

// Makes another descriptor of the same file. The descriptor's number is high,
// because programs rely on low numbers, but below the limit of select(2).
static int moveAway(int file) {
  rlimit most;
  int from = 1000;
  if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < 1024)
    from = most.rlim_cur > 32 ? static_cast<int>(most.rlim_cur) - 16 : 3;
  return fcntl(file, F_DUPFD_CLOEXEC, from);
}

void keepStandardError() {
  // Each group of a tool calls this if it prints.
  if (!wasOpen || leadsToOriginal(kept) || !leadsToOriginal(STDERR_FILENO))
    return;
  kept = moveAway(STDERR_FILENO);
  if (S_ISREG(original.st_mode) || isatty(STDERR_FILENO)) {
    ssize_t length = readOwnLink("fd/2", keptPath, sizeof keptPath - 1);
    keptPath[length > 0 ? length : 0] = 0;
  }
}

// If the program closed all descriptors, a file or terminal can be opened once
// more by its path. The file then stays open, because either the program ends
// now or the runtime will write more.
static int openAgain() {
  int file = *keptPath
                 ? open(keptPath, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)
                 : -1;
  if (file < 0)
    return -1;
  kept = leadsToOriginal(file) ? moveAway(file) : -1;
  close(file);
  return kept;
}

// Whether the file that now has standard error's number is meant for text. If a
// program closed standard error, or was started without it, the next opened
// file gets this number. That file may be a socket, or a file with the
// program's data. A program that redirects standard error on purpose uses a
// terminal, /dev/null, a pipe or a log, and opens it for writing only.
static bool isForText(const struct stat &file) {
  return S_ISCHR(file.st_mode) ||
         (!S_ISSOCK(file.st_mode) &&
          (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY);
}

int standardError() {
  if (leadsToOriginal(kept))
    return kept;
  struct stat now;
  bool open = fstat(STDERR_FILENO, &now) == 0;
  if (!wasOpen)
    return -1;
  if (open && isOriginal(now))
    return STDERR_FILENO;
  int again = openAgain();
  return again < 0 && open && isForText(now) ? STDERR_FILENO : again;
}

} // namespace tprt
