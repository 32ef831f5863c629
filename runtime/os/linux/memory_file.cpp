// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the process's memory through /proc/self/mem, whatever the protection
// of the pages; see base/os_text.h. Called in attach and detach, under the
// runtime's lock.
#include "base/os_text.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

#include <fcntl.h>
#include <unistd.h>

namespace tprt {

static MemoryFile *openFiles;
// How many ancestors of this process, by fork and including this process, have
// called reopenInChild().
static uint32_t reopened;

// A signal handler may fork at any moment during this function.
void MemoryFile::open() {
  if (isOpen() || trialOf(Facility::ProcMem) != 0)
    return;
  next = openFiles;
  openFiles = this;
  uint32_t before;
  do {
    if (isOpen())
      ::close(file);
    before = __atomic_load_n(&reopened, __ATOMIC_RELAXED);
    __atomic_store_n(&file, openOwn("mem", O_RDWR), __ATOMIC_RELAXED);
  } while (before != __atomic_load_n(&reopened, __ATOMIC_RELAXED));
  if (!isOpen())
    close();
}

bool MemoryFile::write(uint64_t address, const void *bytes,
                       size_t count) const {
  return isOpen() && pwrite(file, bytes, count, static_cast<off_t>(address)) ==
                         static_cast<ssize_t>(count);
}

void MemoryFile::close() {
  MemoryFile **link = &openFiles;
  while (*link && *link != this)
    link = &(*link)->next;
  if (*link)
    *link = next;
  if (isOpen())
    ::close(file);
  file = -1;
}

// The numbers stay the same, because an interrupted call may be about to use a
// number.
void MemoryFile::reopenInChild() {
  ++reopened;
  for (MemoryFile *one = openFiles; one; one = one->next) {
    if (!one->isOpen())
      continue;
    int fresh = openOwn("mem", O_RDWR);
    if (fresh < 0 || dup3(fresh, one->file, O_CLOEXEC) < 0)
      ::close(one->file); // so that no write reaches the parent
    if (fresh >= 0)
      ::close(fresh);
  }
}

} // namespace tprt
