// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file in memory for pages of code; see CodeFile in base/os_text.h. The core
// calls these functions in attach, under the runtime's lock. The file is never
// mapped writable, and is sealed before any jump leads to its pages. From then
// on, the file cannot change, and a forked process sees the same bytes as this
// process.
#include "base/os_text.h"
#include "base/page_size.h"
#include "os/linux/copied_output.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tprt {

// Whether these pages are locked in memory (msync(2), EBUSY).
static bool areLocked(void *pages) {
  return msync(pages, pageBytes(), MS_ASYNC | MS_INVALIDATE) != 0;
}

static bool isSpaceLimited() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

// A seccomp filter may end the process for unusual calls. All memory is
// allocated here, so no write fails after the pages are mapped.
void CodeFile::open(void *fresh, size_t bytes) {
  if (areCallsFiltered() || isSpaceLimited() || areLocked(fresh))
    return;
  WriteSignalsBlocked blocked; // RLIMIT_FSIZE also applies to this file
  file = makeRaisedMemory("tprt-islands", MFD_ALLOW_SEALING);
  if (!isOpen() || fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0)
    return;
  blocked.noteFailure(errno);
  close();
}

// Kernels before 4.17 do not know MAP_FIXED_NOREPLACE and treat the address as
// a hint, so the result is compared.
bool CodeFile::mapExactly(uint64_t address, size_t bytes,
                          uint64_t offset) const {
  auto *wanted = reinterpret_cast<void *>(address);
  void *memory =
      mmap(wanted, bytes, PROT_READ | PROT_EXEC,
           MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, static_cast<off_t>(offset));
  if (memory != MAP_FAILED && memory != wanted)
    munmap(memory, bytes);
  return memory == wanted;
}

bool CodeFile::write(const void *bytes, size_t count) const {
  WriteSignalsBlocked blocked;
  ssize_t written = pwrite(file, bytes, count, 0);
  if (written < 0)
    blocked.noteFailure(errno);
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
  return written == static_cast<ssize_t>(count) &&
         ftruncate(file, static_cast<off_t>(count)) == 0 &&
         fcntl(file, F_ADD_SEALS, kSeals) == 0;
}

void CodeFile::close() {
  if (isOpen())
    ::close(file);
  file = -1;
}

} // namespace tprt
