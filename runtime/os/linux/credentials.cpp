// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the process changes its user, its groups or its capabilities, this
// library's threads make the same change: the C library does not change these
// threads (apart.cpp). A thread shares the process's memory. So if a thread
// kept rights that the process has dropped, the process could regain these
// rights through the thread.
//
// musl does change these threads. With musl, the threads follow only if the
// process has permanently dropped capabilities by its own system call. The
// reason is that the C library may change this thread at any moment. If the
// thread then set the values that it had read before, the C library's next
// change would fail on this thread, and the C library would end the process.
//
// If a seccomp filter ends the process for such a change, the threads are not
// changed; the filter also applies to them.
//
// The rights of the process are the rights of its first thread, which /proc and
// capget(2) show. If the first thread has ended, its last rights count.
#include "base/os_file.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "os/linux/apart.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

namespace {
// capset(2)
struct Capabilities {
  __user_cap_data_struct words[2];

  bool read(pid_t thread) {
    __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, thread};
    return syscall(SYS_capget, &head, words) == 0;
  }
  bool set() const {
    __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    return syscall(SYS_capset, &head, words) == 0;
  }
  bool any() const { return words[0].permitted || words[1].permitted; }
  // Whether a capability is permitted here that `other` cannot regain. A
  // permitted capability can become effective again.
  bool exceeds(const Capabilities &other) const {
    return words[0].permitted & ~other.words[0].permitted ||
           words[1].permitted & ~other.words[1].permitted;
  }
  // Removes the capabilities that `other` does not have. Returns whether any
  // were removed.
  bool keepOnly(const Capabilities &other) {
    const Capabilities before = *this;
    for (int i = 0; i < 2; ++i) {
      words[i].permitted &= other.words[i].permitted;
      words[i].effective &= other.words[i].effective;
      words[i].inheritable &=
          other.words[i].inheritable | other.words[i].permitted;
    }
    return memcmp(&before, this, sizeof before) != 0;
  }
};

// Real, effective and saved.
struct Ids {
  uint32_t of[3];
  bool operator==(const Ids &other) const = default;
  bool areOne() const { return of[0] == of[1] && of[1] == of[2]; }
};

constexpr size_t kMostGroups = 256;

struct Status {
  Ids users, groups;
  gid_t more[kMostGroups];
  size_t moreCount;
};
} // namespace

// The text after `name` in a line that begins with it.
static const char *fieldOf(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? found + strlen(name) : nullptr;
}

static bool readIds(const char *text, Ids &ids) {
  if (!text)
    return false;
  for (uint32_t &id : ids.of) {
    char *end;
    id = static_cast<uint32_t>(strtoul(text, &end, 10));
    if (end == text)
      return false;
    text = end;
  }
  return true;
}

static int openStatus() { return openRaised("/proc/self/status", O_RDONLY); }

// Groups that do not fit are ignored.
static bool readStatus(int file, Status &status) {
  char text[4096];
  ssize_t got = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = 0;
  if (!readIds(fieldOf(text, "\nUid:"), status.users) ||
      !readIds(fieldOf(text, "\nGid:"), status.groups))
    return false;
  status.moreCount = 0;
  const char *at = fieldOf(text, "\nGroups:");
  while (at && status.moreCount < kMostGroups) {
    while (*at == ' ' || *at == '\t')
      ++at;
    char *end;
    gid_t id = static_cast<gid_t>(strtoul(at, &end, 10));
    if (end == at || !*end) // the end of the line or of the text
      break;
    status.more[status.moreCount++] = id;
    at = end;
  }
  return true;
}

static Ids ownUsers() {
  Ids ids{};
  syscall(SYS_getresuid, &ids.of[0], &ids.of[1], &ids.of[2]);
  return ids;
}

static Ids ownGroups() {
  Ids ids{};
  syscall(SYS_getresgid, &ids.of[0], &ids.of[1], &ids.of[2]);
  return ids;
}

bool mayFollowProcess() {
  Capabilities own;
  beginTrials();
  if (trialOf(Facility::Rights) != 0)
    return false;
  return (own.read(0) && own.any()) || !ownUsers().areOne() ||
         !ownGroups().areOne();
}

// Groups come first, because the process may not change them after it has
// changed its user. A change of the user also drops capabilities
// (capabilities(7), "Effect of user ID changes on capabilities"). At such a
// change, the kernel forbids core files and debuggers for the whole process
// (PR_SET_DUMPABLE in prctl(2)). The program may have permitted them again
// after its own change.
static void follow(const Status &process) {
  if (ownUsers() == process.users && ownGroups() == process.groups)
    return;
  const bool isDumpable = prctl(PR_GET_DUMPABLE) == 1;
  syscall(SYS_setgroups, process.moreCount, process.more);
  syscall(SYS_setresgid, process.groups.of[0], process.groups.of[1],
          process.groups.of[2]);
  syscall(SYS_setresuid, process.users.of[0], process.users.of[1],
          process.users.of[2]);
  if (isDumpable)
    prctl(PR_SET_DUMPABLE, 1);
}

namespace {
struct Rights {
  Capabilities capabilities;
  Status status;
  bool hasCapabilities, hasStatus;

  // Capabilities are read first. If the process drops rights meanwhile, the
  // thread follows after the next reading: a thread that had already lost its
  // capabilities could not change its user.
  void read(int statusFile) {
    hasCapabilities = capabilities.read(getpid());
    hasStatus = readStatus(statusFile, status);
  }
};
} // namespace

static Rights process; // what readProcessRights() has read
static int statusFile; // of the thread that reads

void openProcessRights() { statusFile = openStatus(); }

void readProcessRights() {
  const int saved = errno;
  process.read(statusFile);
  errno = saved;
}

// See the head of this file.
static bool mustFollow(const Rights &process) {
  Capabilities own;
  return isOutOfSetxid() || (process.hasCapabilities && own.read(0) &&
                             own.exceeds(process.capabilities));
}

static void followCapabilities(Capabilities theirs) {
  Capabilities own;
  if (!isOutOfSetxid())
    for (__user_cap_data_struct &word : theirs.words)
      word.effective = word.permitted;
  if (own.read(0) && own.keepOnly(theirs))
    own.set();
}

static void follow(const Rights &process) {
  if (!mustFollow(process))
    return;
  if (process.hasStatus)
    follow(process.status);
  if (process.hasCapabilities)
    followCapabilities(process.capabilities);
}

void followProcess() {
  const int saved = errno;
  follow(process);
  errno = saved;
}

void followProcessIfLess() {
  const int saved = errno;
  beginTrials();
  Capabilities theirs, own;
  if (trialOf(Facility::Rights) == 0 && theirs.read(getpid()) && own.read(0) &&
      own.keepOnly(theirs)) {
    Rights now;
    int file = openStatus();
    now.read(file);
    if (file >= 0)
      closeFile(file);
    follow(now);
  }
  errno = saved;
}

} // namespace tprt
