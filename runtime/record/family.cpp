// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See family.h. /proc has the environment with which a process was started, not
// what it has set since; so a shell in which a user exports TPRT_OPTIONS is not
// part of the family of its commands.
#include "record/family.h"
#include "base/os_thread.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

// Opens /proc/PROCESS/NAME. Returns -1 if that is not possible.
static int openOf(uint32_t process, const char *name) {
  char path[48] = "/proc/", digits[12];
  size_t used = strlen(path), at = sizeof digits;
  do
    digits[--at] = static_cast<char>('0' + process % 10);
  while (process /= 10);
  memcpy(path + used, digits + at, sizeof digits - at);
  used += sizeof digits - at;
  path[used++] = '/';
  memcpy(path + used, name, strlen(name) + 1);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool wasGivenOptions(uint32_t process) {
  static constexpr char kName[] = "TPRT_OPTIONS=";
  constexpr size_t kLength = sizeof kName - 1;
  char text[512 + kLength];
  int file = openOf(process, "environ");
  bool found = false;
  // Each entry ends with a zero. The first `kept` bytes of the text are left
  // from the read before, as they may be the beginning of the name.
  size_t kept = 0;
  bool begins = true;
  for (ssize_t got; file >= 0 && !found &&
                    (got = read(file, text + kept, sizeof text - kept)) > 0;) {
    size_t end = kept + static_cast<size_t>(got), at = 0;
    while (end - at >= kLength) {
      if (begins && memcmp(text + at, kName, kLength) == 0) {
        found = true;
        break;
      }
      begins = !text[at++];
    }
    kept = end - at;
    memmove(text, text + at, kept);
  }
  if (file >= 0)
    close(file);
  return found;
}

// The parent of a process, and when the process began, in ticks since the
// system's start (proc_pid_stat(5), fields 4 and 22).
struct Origin {
  uint32_t parent;
  uint64_t began;
};

static bool readOrigin(uint32_t process, Origin &out) {
  char text[1024];
  int file = openOf(process, "stat");
  if (file < 0)
    return false;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  if (got <= 0)
    return false;
  text[got] = 0;
  // The second field, a name in parentheses, may contain anything.
  const char *p = strrchr(text, ')');
  unsigned field = 2;
  uint64_t value = 0;
  for (p = p ? p + 1 : ""; *p && field < 23; ++p) {
    if (*p == ' ') {
      if (field == 4)
        out.parent = static_cast<uint32_t>(value);
      if (field == 22)
        out.began = value;
      ++field;
      value = 0;
    } else if (*p >= '0' && *p <= '9') {
      value = value * 10 + static_cast<unsigned>(*p - '0');
    }
  }
  return field == 23;
}

uint64_t familyBegan() {
  constexpr unsigned kMostAncestors = 64;
  constexpr uint64_t kSecond = 1'000'000'000;
  Origin origin;
  bool isFirst = true;
  if (!readOrigin(static_cast<uint32_t>(getpid()), origin))
    return 0;
  for (unsigned i = 0; i < kMostAncestors && origin.parent; ++i) {
    Origin above;
    if (!wasGivenOptions(origin.parent) || !readOrigin(origin.parent, above))
      break;
    origin = above;
    isFirst = false;
  }
  const uint64_t ticks = getauxval(AT_CLKTCK), monotonic = nanoseconds();
  timespec now;
  if (isFirst || !ticks || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return 0;
  // How long the system was suspended, which only the second clock counts.
  const uint64_t suspended = static_cast<uint64_t>(now.tv_sec) * kSecond +
                             static_cast<uint64_t>(now.tv_nsec) - monotonic;
  return origin.began * (kSecond / ticks) - suspended;
}

} // namespace tprt
