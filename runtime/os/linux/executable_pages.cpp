// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes pages that libtprt has filled with code executable; see base/os_text.h.
// Called in attach and detach, under the runtime's lock.
#include "base/os_text.h"
#include "base/page_size.h"
#include "os/linux/copied_output.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"
#include "os/linux/thread_barrier.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tprt {

// Makes pages executable on systems where writable memory may not become
// executable (PR_SET_MDWE, SELinux execmem). The bytes are written to a file,
// and the pages are replaced by a mapping of that file, which was never
// writable.
static bool makeExecutableFromFile(uint64_t address, size_t bytes) {
  WriteSignalsBlocked blocked; // RLIMIT_FSIZE also applies to this file
  int file = makeRaisedMemory("tprt-stubs", 0);
  if (file < 0)
    return false;
  ssize_t count = pwrite(file, reinterpret_cast<void *>(address), bytes, 0);
  if (count < 0)
    blocked.noteFailure(errno);
  bool written = count == static_cast<ssize_t>(bytes);
  void *mapped =
      written ? mmap(reinterpret_cast<void *>(address), bytes,
                     PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0)
              : MAP_FAILED;
  close(file);
  return mapped != MAP_FAILED;
}

// Makes pages executable if RLIMIT_FSIZE forbids a file of this size. The bytes
// are written through /proc/self/mem to pages that were never writable, which
// then replace the original pages.
static bool makeExecutableByMemory(uint64_t address, size_t bytes) {
  MemoryFile memory;
  memory.open();
  if (!memory.isOpen())
    return false;
  auto *from = reinterpret_cast<void *>(address);
  void *fresh = mmap(nullptr, bytes, PROT_READ | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  bool done = fresh != MAP_FAILED &&
              memory.write(reinterpret_cast<uint64_t>(fresh), from, bytes) &&
              mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                     from) != MAP_FAILED;
  if (!done && fresh != MAP_FAILED)
    munmap(fresh, bytes);
  memory.close();
  return done;
}

bool protectCode(uint64_t address, size_t bytes) {
  noteCodeChange();
  int fault = trialOf(Facility::MakeExecutable);
  if (!fault && mprotect(reinterpret_cast<void *>(address), bytes,
                         PROT_READ | PROT_EXEC) != 0)
    fault = errno;
  if (!fault || makeExecutableFromFile(address, bytes) ||
      makeExecutableByMemory(address, bytes))
    return true;
  errno = fault;
  return false;
}

bool writeUnreached(uint64_t address, const void *bytes, size_t count) {
  const uint64_t start = address & ~(pageBytes() - 1);
  auto *pages = reinterpret_cast<void *>(start);
  const size_t size = roundToPages(address + count - start);
  if (trialOf(Facility::Mprotect) != 0 ||
      mprotect(pages, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  memcpy(reinterpret_cast<void *>(address), bytes, count);
  return mprotect(pages, size, PROT_READ | PROT_EXEC) == 0;
}

} // namespace tprt
