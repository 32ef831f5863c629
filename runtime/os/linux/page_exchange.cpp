// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges pages of code; see base/os_text.h. Linux's uprobes do the same to
// change instructions that no store may change under execution
// (kernel/events/uprobes.c, __replace_page()): the page's entry in the page
// table is exchanged, and no byte of either page changes while it is mapped.
// Called in attach and detach, under the runtime's lock, while threads execute
// the code.
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "os/linux/maps.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"
#include "os/linux/thread_barrier.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

namespace {
// The pages that are exchanged, and what they are mapped from.
class Pages {
public:
  Pages(const CodeWord *words, size_t count)
      : words(words), count(count),
        start(words[0].address & ~uint64_t{pageBytes() - 1}),
        bytes(roundToPages(words[count - 1].address + 4 - start)) {
    openFile();
  }
  Pages(const Pages &) = delete;
  ~Pages() {
    unmap(draft);
    unmap(fresh);
    if (file >= 0)
      close(file);
  }
  tprt_refusal exchange(uint32_t rights, int protection);

private:
  // The last attempts of another patcher are seen before the exchange; one that
  // writes all the time is not waited for.
  static constexpr int kMostTurns = 8;

  void openFile();
  void *map(int rights) const;
  void unmap(void *pages) const {
    if (pages)
      munmap(pages, bytes);
  }
  tprt_refusal copyLive(bool &changed);
  tprt_refusal draw();
  bool hasUprobe() const;
  bool finish(int rights);
  bool move() const;

  const CodeWord *const words;
  const size_t count;
  const uint64_t start;
  const size_t bytes;
  Backing backing;
  int file = -1;
  void *draft = nullptr; // The new pages, writable at first.
  void *fresh = nullptr; // The pages to be moved, if these are others.
};
} // namespace

// Opens the file only if it is the mapped one: it may have been replaced, or
// cut. The device is not compared, because the list of mappings has another one
// than stat(2) on btrfs and overlayfs. If the file is another one all the same,
// only the name of the mapping is wrong: copyLive() copies what differs.
void Pages::openFile() {
  if (!readBacking(start, backing))
    return;
  struct stat now;
  file = openRaised(backing.path, O_RDONLY);
  if (file >= 0 &&
      (fstat(file, &now) != 0 || now.st_ino != backing.inode ||
       static_cast<uint64_t>(now.st_size) < backing.offset + bytes)) {
    close(file);
    file = -1;
  }
}

void *Pages::map(int rights) const {
  void *pages = MAP_FAILED;
  if (file >= 0)
    pages = mmap(nullptr, bytes, rights, MAP_PRIVATE, file,
                 static_cast<off_t>(backing.offset));
  if (pages == MAP_FAILED)
    pages = mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// Copies what differs from the code that is executed now, except the words. So
// the draft keeps breakpoints, and the words of earlier exchanges.
tprt_refusal Pages::copyLive(bool &changed) {
  auto *to = static_cast<char *>(draft);
  const auto *from = reinterpret_cast<const char *>(start);
  size_t next = 0;
  changed = false;
  for (size_t page = 0; page < bytes; page += pageBytes()) {
    const uint64_t end = start + page + pageBytes();
    if (next == count || words[next].address >= end) {
      if (memcmp(to + page, from + page, pageBytes()) != 0) {
        memcpy(to + page, from + page, pageBytes());
        changed = true;
      }
      continue;
    }
    for (size_t at = page; at < page + pageBytes(); at += 4) {
      uint32_t live, drawn;
      memcpy(&live, from + at, sizeof live);
      memcpy(&drawn, to + at, sizeof drawn);
      if (next < count && words[next].address == start + at) {
        if (live != words[next].was)
          return TPRT_REFUSAL_BYTES;
        live = words[next++].value;
      }
      if (live == drawn)
        continue;
      memcpy(to + at, &live, sizeof live);
      changed = true;
    }
  }
  return TPRT_REFUSAL_NONE;
}

tprt_refusal Pages::draw() {
  bool changed = true;
  tprt_refusal refusal = TPRT_REFUSAL_NONE;
  for (int turn = 0; changed && refusal == TPRT_REFUSAL_NONE; ++turn) {
    refusal = copyLive(changed);
    if (turn == kMostTurns)
      return TPRT_REFUSAL_BYTES;
  }
  return refusal;
}

// Of a copy that is not mapped from the file. The kernel finds a uprobe by the
// file that is mapped at its breakpoint, `brk #5`. Without the file, it finds
// none, and SIGTRAP ends the program.
bool Pages::hasUprobe() const {
  constexpr uint32_t kBreakpoint = 0xd42000a0;
  const auto *words = static_cast<const uint32_t *>(draft);
  for (size_t i = 0; file < 0 && i < bytes / sizeof *words; ++i)
    if (words[i] == kBreakpoint)
      return true;
  return false;
}

// Whether the range is still mapped with these rights: the program may change
// them at any time, and must find its own there. Without regard to the right to
// write, which the batch itself may have at the moment (TextWriter).
static bool isStill(uint64_t start, size_t bytes, uint32_t rights) {
  Array<Mapping> now;
  if (!readMappings(start, start + bytes, now))
    return false;
  uint64_t end = start;
  for (const Mapping &part : now) {
    if (part.start != end || (part.rights | PF_W) != (rights | PF_W))
      return false;
    end = part.end;
  }
  return end == start + bytes;
}

// Why the system has no memory for new mappings.
static tprt_refusal refusalOf(int error) {
  constexpr size_t kSlack = 16;
  Array<Mapping> all;
  if (error != ENOMEM)
    return TPRT_REFUSAL_EXCHANGE;
  const MappingCount count = countMappings(all);
  return count.now + kSlack >= count.most ? TPRT_REFUSAL_MAP_COUNT
                                          : TPRT_REFUSAL_EXCHANGE;
}

// Makes the draft executable. The kernel then makes the bytes visible to
// instruction fetches (Linux, Documentation/arch/arm64; the caller publishes
// them as well). Where writable memory may not become executable
// (PR_SET_MDWE, SELinux execmod), pages that were never writable get the bytes
// through /proc/self/mem.
bool Pages::finish(int rights) {
  if (mprotect(draft, bytes, rights) == 0)
    return true;
  MemoryFile memory;
  memory.open();
  fresh = memory.isOpen() ? map(rights) : nullptr;
  bool done = fresh;
  for (size_t page = 0; page < bytes && done; page += pageBytes()) {
    auto *to = static_cast<char *>(fresh) + page;
    const char *from = static_cast<char *>(draft) + page;
    if (memcmp(to, from, pageBytes()) != 0)
      done = memory.write(reinterpret_cast<uint64_t>(to), from, pageBytes());
  }
  memory.close();
  return done;
}

// mremap(2) unmaps the old pages before it moves the new ones. The kernel
// checks before that what may fail: the number of mappings, seals, and rights.
// If it then has no memory, the old pages are gone, and the new ones are still
// where they were. Threads may be in these pages, so this must not return
// without pages there.
bool Pages::move() const {
  void *from = fresh ? fresh : draft;
  auto *to = reinterpret_cast<void *>(start);
  while (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
         MAP_FAILED) {
    const int error = errno;
    if (isReadable(to)) {
      errno = error;
      return false;
    }
  }
  return true;
}

tprt_refusal Pages::exchange(uint32_t rights, int protection) {
  if (!(draft = map(PROT_READ | PROT_WRITE)))
    return refusalOf(errno);
  if (tprt_refusal refusal = draw(); refusal != TPRT_REFUSAL_NONE)
    return refusal;
  if (hasUprobe())
    return TPRT_REFUSAL_EXCHANGE;
  if (!finish(protection))
    return refusalOf(errno);
  if (!isStill(start, bytes, rights))
    return TPRT_REFUSAL_EXCHANGE;
  if (!move())
    return refusalOf(errno);
  (fresh ? fresh : draft) = nullptr;
  return TPRT_REFUSAL_NONE;
}

tprt_refusal exchangePages(const Mapping &mapping, int guard,
                           const CodeWord *words, size_t count) {
  if (trialOf(Facility::Exchange) != 0)
    return TPRT_REFUSAL_EXCHANGE;
  noteCodeChange();
  const int protection = (mapping.rights & PF_R ? PROT_READ : 0) |
                         (mapping.rights & PF_W ? PROT_WRITE : 0) |
                         (mapping.rights & PF_X ? PROT_EXEC | guard : 0);
  return Pages(words, count).exchange(mapping.rights, protection);
}

} // namespace tprt
