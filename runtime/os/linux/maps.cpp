// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads /proc/self/maps; see maps.h. From attach and detach.
#include "os/linux/maps.h"
#include "os/linux/trial.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace tprt {

namespace {
struct Mapping {
  uint64_t low, high;
  const char *rights; // "rwxp ...", the line's end
};
} // namespace

// Calls visit(mapping, data) for those in [low, high), ascending.
static bool eachMapping(uint64_t low, uint64_t high,
                        void (*visit)(const Mapping &, void *), void *data) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
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
    Mapping mapping{strtoull(line, &at, 16), 0, nullptr};
    mapping.high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    mapping.rights = at + 1;
    if (mapping.low >= high)
      break;
    if (mapping.high > low && *at == ' ') {
      visit(mapping, data);
      any = true;
    }
    line = end + 1;
  }
  close(file);
  return any;
}

namespace {
struct Wanted {
  uint64_t low, high;
  Array<Segment> &found;
  bool memory;

  void add(uint64_t start, uint64_t end, bool read, bool write, bool execute) {
    memory &= found.push({start > low ? start : low, end < high ? end : high,
                          uint32_t{read} * PF_R | uint32_t{write} * PF_W |
                              uint32_t{execute} * PF_X});
  }
};
} // namespace

// The same by the kernel's structures rather than by text: Linux 6.11,
// Documentation/filesystems/proc.rst; the ioctl's argument is ABI. False: it
// can't.
static bool queryMappings(Wanted &wanted) {
  struct {
    uint64_t size, flags, address, start, end, rights, pageSize, offset, inode;
    uint32_t deviceMajor, deviceMinor, nameSize, buildIdSize;
    uint64_t nameAddress, buildIdAddress;
  } query;
  static_assert(sizeof query == 104);
  constexpr uint64_t kCoveringOrNext = 0x10;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  bool any = false;
  for (uint64_t at = wanted.low; file >= 0 && at < wanted.high;
       at = query.end) {
    memset(&query, 0, sizeof query);
    query.size = sizeof query;
    query.flags = kCoveringOrNext;
    query.address = at;
    if (ioctl(file, _IOWR('f', 17, query), &query) != 0 ||
        query.start >= wanted.high)
      break;
    any = true;
    wanted.add(query.start, query.end, query.rights & 1, query.rights & 2,
               query.rights & 4);
  }
  if (file >= 0)
    close(file);
  return any;
}

bool readMappings(uint64_t low, uint64_t high, Array<Segment> &found) {
  Wanted wanted{low, high, found, true};
  bool any = !areCallsFiltered() && queryMappings(wanted);
  if (!any)
    any = eachMapping(
        low, high,
        [](const Mapping &m, void *data) {
          static_cast<Wanted *>(data)->add(m.low, m.high, m.rights[0] == 'r',
                                           m.rights[1] == 'w',
                                           m.rights[2] == 'x');
        },
        &wanted);
  return any && wanted.memory;
}

// Of a file in hugetlbfs, or what anonymous memory in huge pages is called
// there. (memfds are not told apart; the kernel refuses to write those.)
static bool isHuge(const Mapping &mapping) {
  const char *name = strchr(mapping.rights, '/');
  if (!name)
    return false;
  constexpr char kAnonymous[] = "/anon_hugepage";
  struct statfs info;
  return strncmp(name, kAnonymous, sizeof kAnonymous - 1) == 0 ||
         (statfs(name, &info) == 0 && info.f_type == HUGETLBFS_MAGIC);
}

bool isSharedMapping(uint64_t address) {
  bool shared = false;
  eachMapping(
      address, address + 1,
      [](const Mapping &m, void *data) {
        *static_cast<bool *>(data) = m.rights[3] == 's' || isHuge(m);
      },
      &shared);
  return shared;
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
