// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads /proc/self/maps; see maps.h and base/os_text.h. Attach and detach call
// it, under the runtime's lock.
#include "os/linux/maps.h"
#include "base/os_process.h"
#include "base/page_size.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

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
// A search for the mappings in [low, high), and what it has found.
struct Search {
  uint64_t low, high;
  Array<Mapping> *found;
  bool memory = true; // false if there was no memory for a mapping

  void add(uint64_t start, uint64_t end, uint32_t rights, bool fixed) {
    memory &= found->push({start > low ? start : low, end < high ? end : high,
                           rights, fixed, start >= low && end <= high});
  }
};
} // namespace

// Whether the line shows a file in hugetlbfs, or has the name of anonymous
// memory in huge pages. A memfd in huge pages is not recognised here; the
// kernel refuses to write to it.
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

// Calls visit(from, to, rest) for each line, in which `rest` begins with the
// blank before the rights, until visit() returns false.
template <class Visit> static void readLines(int file, const Visit &visit) {
  off_t offset = 0;
  // Lines are "start-end rwxp ..."; read in pieces.
  char buffer[8192], *line = buffer, *filled = buffer;
  for (;;) {
    size_t left = static_cast<size_t>(filled - line);
    auto *end = static_cast<char *>(memchr(line, '\n', left));
    if (!end) {
      memmove(buffer, line, left); // the beginning of a line
      ssize_t n = pread(file, buffer + left, sizeof buffer - left, offset);
      offset += n;
      if (n <= 0)
        break; // also for a line that fills the buffer
      line = buffer;
      filled = buffer + left + n;
      continue;
    }
    *end = 0;
    char *at = nullptr;
    uint64_t from = strtoull(line, &at, 16),
             to = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    if (*at == ' ' && !visit(from, to, at))
      break;
    line = end + 1;
  }
}

// Returns false if the lines cannot be read, or if no mapping lies in the
// range.
static bool searchLines(int file, Search &search) {
  bool any = false;
  readLines(file, [&](uint64_t from, uint64_t to, const char *at) {
    if (from >= search.high)
      return false;
    if (to > search.low) {
      uint32_t rights = (at[1] == 'r' ? uint32_t{PF_R} : 0) |
                        (at[2] == 'w' ? uint32_t{PF_W} : 0) |
                        (at[3] == 'x' ? uint32_t{PF_X} : 0);
      search.add(from, to, rights, at[4] == 's' || isHuge(at));
      any = true;
    }
    return true;
  });
  return any;
}

// The file that queryMappings() reads is kept open. Opening and closing the
// file for one flip would take six times as long as the query (5.1 us and 0.85
// us; an fstat takes 0.65 us). The descriptor is checked before each use, for
// two reasons. First, programs close descriptors that they do not know, so the
// number may lead to another file by now. Second, after a fork the file still
// shows the parent.
static struct {
  int number = -1;
  // The processId() of the process that opened the file. A copy of this process
  // has another id, or none yet. 0 means that no file is kept.
  int32_t owner;
  int32_t thread; // The thread that opened the file, or 0.
  dev_t device;
  ino_t inode;
} kept;

void forgetMappingsFile() { kept.owner = 0; }

static bool isKeptFile(int file) {
  struct stat now;
  return file >= 0 && fstat(file, &now) == 0 && now.st_dev == kept.device &&
         now.st_ino == kept.inode;
}

// Whether the kept number may be open in a table of descriptors other than the
// calling thread's. Other tables exist in a process that shares our memory
// (vfork), and in a thread after unshare(CLONE_FILES).
static bool isKeptElsewhere() {
  if (getpid() != processId())
    return true;
  return kept.owner == processId() && kept.thread &&
         kept.thread != knownThreadId() && !hasThreadEnded(kept.thread);
}

// Returns the kept file if its descriptor still leads to that file. Else opens
// the file and keeps it. If another table may have the kept number, the new
// file is not kept, because the old number would then never be closed. The
// caller closes a file that is not kept.
static int mappingsFile() {
  bool ours = isKeptFile(kept.number);
  if (ours && kept.owner == processId())
    return kept.number;
  if (ours ? getpid() != processId() : isKeptElsewhere())
    return openOwn("maps", O_RDONLY);
  if (ours)
    close(kept.number);
  kept.number = -1;
  int file = openOwn("maps", O_RDONLY);
  struct stat now;
  if (file < 0 || fstat(file, &now) != 0) {
    if (file >= 0)
      close(file);
    return -1;
  }
  kept.number = file;
  kept.owner = processId();
  kept.thread = knownThreadId();
  kept.device = now.st_dev;
  kept.inode = now.st_ino;
  return file;
}

// Whether the kernel has answered an ioctl about the file.
static bool isAnswered;

// The same as readText(), by an ioctl that fills a structure (Linux 6.11,
// Documentation/filesystems/proc.rst; the ioctl's argument is ABI). Returns
// false if the kernel does not have the ioctl, or if no mapping lies in the
// range.
static bool queryMappings(Search &search) {
  static bool isUnknown; // to this kernel
  int file = isUnknown ? -1 : mappingsFile();
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
    isAnswered = true;
    if (query.start >= search.high)
      break;
    any = true;
    uint32_t rights = (query.rights & kRead ? uint32_t{PF_R} : 0) |
                      (query.rights & kWrite ? uint32_t{PF_W} : 0) |
                      (query.rights & kExecute ? uint32_t{PF_X} : 0);
    search.add(query.start, query.end, rights,
               query.rights & kShared || query.pageSize > pageBytes());
  }
  if (file != kept.number)
    close(file);
  return any;
}

// Returns false if the file cannot be read, or if no mapping lies in the range.
// The kept file is read only if the kernel is known to create its lines at each
// read: an emulator creates them when the file is opened.
static bool readText(Search &search) {
  bool fresh = !isAnswered || areCallsFiltered();
  int file = fresh ? openOwn("maps", O_RDONLY) : mappingsFile();
  if (file < 0)
    return false;
  bool any = searchLines(file, search);
  if (file != kept.number)
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

// After the rights, a line has the offset, the device, the inode and the path
// (proc(5)). In the path, a newline is written as \\012, so a file with such a
// name is not found.
bool readBacking(uint64_t address, Backing &out) {
  out.path[0] = 0;
  int file = openOwn("maps", O_RDONLY);
  if (file < 0)
    return false;
  readLines(file, [&](uint64_t from, uint64_t to, const char *rest) {
    if (from > address || to <= address)
      return from <= address;
    char *at = nullptr;
    out.offset = strtoull(rest + sizeof " rwxp", &at, 16) + (address - from);
    at = strchr(at + (*at == ' '), ' ');
    out.inode = at ? strtoull(at, &at, 10) : 0;
    const char *path = out.inode ? strchr(at, '/') : nullptr;
    const size_t length = path ? strlen(path) : sizeof out.path;
    if (length < sizeof out.path)
      memcpy(out.path, path, length + 1);
    return false;
  });
  close(file);
  return out.path[0];
}

// vm.max_map_count is 65,530 by default (proc(5)).
static size_t readMostMappings() {
  char buffer[64];
  int file = openRaised("/proc/sys/vm/max_map_count", O_RDONLY);
  ssize_t bytes = file < 0 ? 0 : read(file, buffer, sizeof buffer - 1);
  if (file >= 0)
    close(file);
  buffer[bytes > 0 ? bytes : 0] = 0;
  unsigned long most = strtoul(buffer, nullptr, 10);
  return most ? most : 65530;
}

// A line of /proc/self/maps is a mapping. The limit is read again only when the
// count approaches the limit.
MappingCount countMappings(Array<Mapping> &all) {
  static size_t most;
  MappingCount count = {0, 0};
  Search search{0, UINT64_MAX, &all};
  if (readText(search))
    count.now = all.size();
  if (count.now >= most / 4)
    most = readMostMappings();
  count.most = most;
  return count;
}

// What the kernel reports about a page
// (Documentation/admin-guide/mm/pagemap.rst).
static bool isCopied(uint64_t page) {
  constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62,
                     kOfFile = uint64_t{1} << 61;
  return (page & kSwapped) || ((page & kPresent) && !(page & kOfFile));
}

// If the kernel's list cannot be read, each page may be a copy.
bool findCopiedPages(const Extent &range, Array<Extent> &out) {
  uint64_t words[512];
  int file = openOwn("pagemap", O_RDONLY);
  bool memory = true, joins = false;
  uint64_t at = range.start & ~(pageBytes() - 1);
  while (at < range.end && memory) {
    size_t wanted = (range.end - at + pageBytes() - 1) / pageBytes();
    wanted = wanted < 512 ? wanted : 512;
    ssize_t bytes =
        file < 0 ? -1
                 : pread(file, words, wanted * sizeof *words,
                         static_cast<off_t>(at / pageBytes() * sizeof *words));
    size_t known = bytes > 0 ? static_cast<size_t>(bytes) / sizeof *words : 0;
    for (size_t i = 0; i < wanted && memory; ++i, at += pageBytes()) {
      bool copied = i >= known || isCopied(words[i]);
      if (copied && joins)
        out[out.size() - 1].end = at + pageBytes();
      else if (copied)
        memory = out.push({at, at + pageBytes()});
      joins = copied;
    }
  }
  if (file >= 0)
    close(file);
  return memory;
}

} // namespace tprt
