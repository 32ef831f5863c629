// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gets pages for the runtime's own data, by mmap; see base/os_memory.h. Any
// thread calls it, also in hits. Async-signal-safe.
#include "base/os_memory.h"
#include "base/page_size.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace tprt {

static void *mapAnonymous(size_t bytes, int extra) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | extra, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void *allocatePages(size_t bytes) { return mapAnonymous(bytes, 0); }

void *reservePages(size_t bytes) { return mapAnonymous(bytes, MAP_NORESERVE); }

bool emptyInCopies(void *pages, size_t bytes) {
  return madvise(pages, bytes, MADV_WIPEONFORK) == 0;
}

void populatePages(void *memory, size_t bytes) {
  size_t page = pageBytes();
  auto start = reinterpret_cast<uintptr_t>(memory) & ~(page - 1);
  if (bytes >= 16 * page)
    madvise(reinterpret_cast<void *>(start),
            roundToPages(reinterpret_cast<uintptr_t>(memory) + bytes - start),
            MADV_POPULATE_WRITE);
}

void preferLargePages(void *start, size_t bytes) {
  madvise(start, bytes, MADV_HUGEPAGE);
}

void freePages(void *pages, size_t bytes) { munmap(pages, bytes); }

void *resizePages(void *pages, size_t bytes, size_t wanted) {
  void *resized = mremap(pages, bytes, wanted, MREMAP_MAYMOVE);
  return resized == MAP_FAILED ? nullptr : resized;
}

// Chooses a place with much free room above it. The kernel maps downward from
// its last mapping, into the first gap that is large enough. So the kernel uses
// addresses far below last, and a range that begins there can grow upward
// undisturbed. Without MAP_FIXED, an address is a hint: if it is in use, the
// kernel chooses another address.
void *startRange(size_t bytes) {
  constexpr uint64_t kFar = uint64_t{64} << 30, kStep = uint64_t{1} << 30;
  constexpr unsigned kTries = 64, kTriesAStep = 4;
  bytes = roundToPages(bytes);
  void *memory = mapAnonymous(bytes, 0);
  if (!memory)
    return nullptr;
  auto here = reinterpret_cast<uint64_t>(memory);
  uint64_t wish = (here > 3 * kFar ? here - kFar : here / 2) & ~(kStep - 1);
  // The steps become larger, because some programs reserve terabytes in one
  // range, for example programs built with AddressSanitizer.
  uint64_t step = kStep;
  for (unsigned i = 1; i <= kTries && wish > step; ++i) {
    munmap(memory, bytes);
    memory = mmap(reinterpret_cast<void *>(wish), bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    if (reinterpret_cast<uint64_t>(memory) == wish)
      break;
    wish -= step;
    if (i % kTriesAStep == 0)
      step *= 2;
  }
  return memory; // if no hint was followed, little growth is possible
}

bool growRange(void *start, size_t &bytes, size_t wanted) {
  wanted = roundToPages(wanted);
  if (wanted <= bytes)
    return true;
  if (mremap(start, bytes, wanted, 0) == MAP_FAILED)
    return false;
  bytes = wanted;
  return true;
}

// rt_sigprocmask serves as a test. The kernel first copies the signal set from
// `address`, and fails with EFAULT if that is unreadable. Then the kernel
// rejects the nonexistent operation ~0 with EINVAL (sigprocmask(2)). So the
// call never changes anything.
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
