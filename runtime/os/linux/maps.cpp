// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads /proc/self/maps; see maps.h and core/os.h. From attach and detach.
#include "os/linux/maps.h"
#include "core/plain/pages.h"
#include "os/linux/trial.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace tprt {

static_assert(PF_R == 4);

namespace {
// What is asked for of the mappings in [low, high).
struct Search {
  uint64_t low, high;
  Array<Mapping> *found;
  bool memory = true;

  void add(uint64_t start, uint64_t end, uint32_t rights, bool fixed) {
    memory &= found->push(
        {start > low ? start : low, end < high ? end : high, rights, fixed});
  }
};
} // namespace

// Of a file in hugetlbfs, or what anonymous memory in huge pages is called
// there. (memfds are not told apart here; the kernel refuses to write those.)
static bool isHuge(const char *line) {
  const char *name = strchr(line, '/');
  if (!name)
    return false;
  constexpr char kAnonymous[] = "/anon_hugepage";
  struct statfs info;
  return strncmp(name, kAnonymous, sizeof kAnonymous - 1) == 0 ||
         (!areCallsFiltered() && statfs(name, &info) == 0 &&
          info.f_type == HUGETLBFS_MAGIC);
}

// False: they can't be read, or there are none.
static bool readLines(int file, Search &search) {
  // Lines are "start-end rwxp ..."; read in pieces.
  char buffer[8192], *line = buffer, *filled = buffer;
  bool any = false;
  for (;;) {
    size_t left = static_cast<size_t>(filled - line);
    auto *end = static_cast<char *>(memchr(line, '\n', left));
    if (!end) {
      memmove(buffer, line, left); // a line's beginning
      ssize_t n = read(file, buffer + left, sizeof buffer - left);
      if (n <= 0)
        break; // also where there is no room: no line is this long
      line = buffer;
      filled = buffer + left + n;
      continue;
    }
    *end = 0;
    char *at = nullptr;
    uint64_t from = strtoull(line, &at, 16),
             to = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    if (from >= search.high)
      break;
    if (to > search.low && *at == ' ') {
      uint32_t rights = (at[1] == 'r' ? uint32_t{PF_R} : 0) |
                        (at[2] == 'w' ? uint32_t{PF_W} : 0) |
                        (at[3] == 'x' ? uint32_t{PF_X} : 0);
      search.add(from, to, rights, at[4] == 's' || isHuge(at));
      any = true;
    }
    line = end + 1;
  }
  return any;
}

// The file that queryMappings() asks is kept open: to open and close it for one
// flip takes six times as long as to ask it (5.1 and 0.85 us; fstat 0.65). It
// may be anybody's number by now, as programs close what they do not know, and
// after a fork it still shows the parent: so it is looked at before each use.
static struct {
  int number = -1;
  int32_t owner; // processId(): empty in a copy of this process; 0: nobody
  dev_t device;
  ino_t inode;
} kept;

void forgetMappingsFile() { kept.owner = 0; }

static int keptFile() {
  struct stat now;
  bool ours = kept.number >= 0 && fstat(kept.number, &now) == 0 &&
              now.st_dev == kept.device && now.st_ino == kept.inode;
  if (ours && kept.owner == processId())
    return kept.number;
  if (ours)
    close(kept.number);
  kept.number = -1;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return -1;
  // Out of the way of those who count on getting a low one.
  constexpr int kFirst = 200;
  int high = fcntl(file, F_DUPFD_CLOEXEC, kFirst);
  if (high >= 0) {
    close(file);
    file = high;
  }
  if (fstat(file, &now) != 0) {
    close(file);
    return -1;
  }
  kept.number = file;
  kept.owner = processId();
  kept.device = now.st_dev;
  kept.inode = now.st_ino;
  return file;
}

// The same by the kernel's structures rather than by text: Linux 6.11,
// Documentation/filesystems/proc.rst; the ioctl's argument is ABI. False: it
// can't, or there are none.
static bool queryMappings(Search &search) {
  static bool isUnknown; // to this kernel
  int file = isUnknown ? -1 : keptFile();
  if (file < 0)
    return false;
  struct {
    uint64_t size, flags, address, start, end, rights, pageSize, offset, inode;
    uint32_t deviceMajor, deviceMinor, nameSize, buildIdSize;
    uint64_t nameAddress, buildIdAddress;
  } query;
  static_assert(sizeof query == 104);
  constexpr uint64_t kCoveringOrNext = 0x10, kRead = 1, kWrite = 2,
                     kExecute = 4, kShared = 8; // enum procmap_query_flags
  bool any = false;
  for (uint64_t at = search.low; at < search.high; at = query.end) {
    memset(&query, 0, sizeof query);
    query.size = sizeof query;
    query.flags = kCoveringOrNext;
    query.address = at;
    if (ioctl(file, _IOWR('f', 17, query), &query) != 0) {
      isUnknown = errno == ENOTTY;
      break;
    }
    if (query.start >= search.high)
      break;
    any = true;
    uint32_t rights = (query.rights & kRead ? uint32_t{PF_R} : 0) |
                      (query.rights & kWrite ? uint32_t{PF_W} : 0) |
                      (query.rights & kExecute ? uint32_t{PF_X} : 0);
    search.add(query.start, query.end, rights,
               query.rights & kShared || query.pageSize > pageBytes());
  }
  return any;
}

// False: they can't be read, or there are none.
static bool readText(Search &search) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool any = readLines(file, search);
  close(file);
  return any;
}

bool readMappings(uint64_t low, uint64_t high, Array<Mapping> &found) {
  Search search{low, high, &found};
  size_t before = found.size();
  bool any = (!areCallsFiltered() && queryMappings(search)) || readText(search);
  if (!search.memory)
    found.resize(before);
  return any && search.memory;
}

// The kernel copies the set before it looks at what to do with it, which is
// nothing it knows (sigprocmask(2), EFAULT and EINVAL).
bool isReadable(const void *address) {
  auto aligned = reinterpret_cast<uint64_t>(address) & ~uint64_t{7};
  int saved = errno;
  bool readable =
      syscall(SYS_rt_sigprocmask, ~0, aligned, nullptr, sizeof aligned) == 0 ||
      errno != EFAULT;
  errno = saved;
  return readable;
}

} // namespace tprt
