// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See proc_self.h.
#include "os/linux/proc_self.h"
#include "base/os_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

namespace {
class OwnPath {
public:
  explicit OwnPath(const char *name) {
    char one;
    int saved = errno;
    // proc(5): the link cannot be read if the main thread has ended.
    bool ended = readlink("/proc/self/exe", &one, 1) < 0 && errno == ENOENT;
    errno = saved;
    *stpcpy(stpcpy(text, ended ? "/proc/thread-self/" : "/proc/self/"), name) =
        0;
  }
  char text[32];
};
} // namespace

// Programs rely on low numbers in three cases:
//  - They close numbers that they do not own. bash closes the ends of its pipes
//    twice, and a daemon closes all descriptors.
//  - They replace a number's file with their own file (dup2).
//  - They expect the lowest free number. If our descriptor had such a number,
//    it would soon lead to the program's file, and libtprt would read, write
//    and close that file.
constexpr int kFirst = 200;

// A seccomp filter may end the process for this call. So under a filter, the
// call is tried first.
static bool mayRaise;

void setMayRaise(bool may) { mayRaise = may; }

static bool areSame(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool isSameFile(int file, int other) {
  struct stat one, two;
  return fstat(file, &one) == 0 && fstat(other, &two) == 0 && areSame(one, two);
}

// Whether the descriptor leads to the file with that path.
static bool leadsTo(int file, const char *path) {
  struct stat named, opened;
  return stat(path, &named) == 0 && fstat(file, &opened) == 0 &&
         areSame(named, opened);
}

// Only a file in memory has seals (fcntl(2)).
static bool hasSeals(int file, const char *) {
  return fcntl(file, F_GET_SEALS) >= 0;
}

// Raises the number of a descriptor that was just opened. Until then, the
// program may close the low number, and may open another file with this number.
// So `isOurs` checks the file to which the high number leads, and the low
// number is closed only if it leads to the same file. If no high number is
// free, returns the low number. If the program has used the low number
// meanwhile, returns -1 with EBADF.
static int raise(int low, bool (*isOurs)(int high, const char *path),
                 const char *path) {
  if (low < 0 || low >= kFirst || (prctl(PR_GET_SECCOMP) == 2 && !mayRaise))
    return low;
  int saved = errno;
  int high = fcntl(low, F_DUPFD_CLOEXEC, kFirst);
  if (high < 0 && errno != EBADF) {
    errno = saved;
    return low;
  }
  if (high >= 0 && isOurs && !isOurs(high, path)) {
    close(high);
    high = -1;
  }
  if (high >= 0 && isSameFile(low, high))
    close(low);
  errno = high < 0 ? EBADF : saved;
  return high;
}

int raiseDescriptor(int file) { return raise(file, nullptr, nullptr); }

namespace {
// A low number that was left open, because the program may use it.
struct Left {
  int number;
  bool known; // Whether the number's first file is known.
  struct stat first;
};
} // namespace

static Left noteLow(int low) {
  Left left = {low, false, {}};
  left.known = low < kFirst && fstat(low, &left.first) == 0;
  return left;
}

// The program may have closed the number meanwhile, and may have reused it.
static void closeLeft(const Left &left) {
  struct stat now;
  if (left.known && fstat(left.number, &now) == 0 && areSame(left.first, now))
    close(left.number);
}

// If the program interferes, the file is opened again. The last try accepts any
// file, because the path may lead elsewhere by now, and some file systems and
// emulators show two identities for one file. If the path also does not lead to
// the last file, the program did not interfere, and the low numbers that were
// left open belong to libtprt.
int openRaised(const char *path, int flags) {
  constexpr int kTries = 5;
  Left left[kTries];
  for (int tries = 0;; ++tries) {
    int low = open(path, flags | O_CLOEXEC);
    if (low < 0)
      return -1;
    left[tries] = noteLow(low);
    bool last = tries == kTries - 1;
    int file = raise(low, last ? nullptr : leadsTo, path);
    if (file >= 0 && last && !leadsTo(file, path))
      for (int i = 0; i < tries; ++i)
        closeLeft(left[i]);
    if (file >= 0 || last)
      return file;
  }
}

int makeRaisedMemory(const char *name, unsigned flags) {
  return raise(memfd_create(name, flags | MFD_CLOEXEC), hasSeals, nullptr);
}

bool pipeRaised(int (&ends)[2], int flags) {
  if (pipe2(ends, flags | O_CLOEXEC) != 0)
    return false;
  for (int &end : ends)
    end = raiseDescriptor(end);
  if (ends[0] >= 0 && ends[1] >= 0)
    return true;
  for (int end : ends)
    if (end >= 0)
      close(end);
  return false;
}

int openOwn(const char *name, int flags) {
  return openRaised(OwnPath(name).text, flags);
}

ssize_t readOwnLink(const char *name, char *target, size_t bytes) {
  return readlink(OwnPath(name).text, target, bytes);
}

} // namespace tprt
