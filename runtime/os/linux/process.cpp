// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which process this is, and whether fork() or a similar call has
// copied it. Also reads memory that may be unmapped; see base/os_process.h.
// Runs in hits, on any thread. Async-signal-safe.
#include "os/linux/process.h"
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/page_size.h"
#include "base/process_ends.h"
#include "os/linux/clibrary.h"
#include "os/linux/proc_self.h"
#include "os/linux/seccomp_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace tprt {

// The word holds the id of the process. The word lies in a page that the kernel
// empties in every copy of the address space, so that a copy reads kCopied. If
// there is no such page, `word` leads to an ordinary variable, which keeps its
// value in a copy.
static constexpr int32_t kCopied = 0, kRenewing = -1, kNotStarted = -2;
static int32_t plainWord = kNotStarted;
static int32_t *word = &plainWord;

static int32_t currentProcess() {
  return static_cast<int32_t>(syscall(SYS_getpid));
}

void startProcess() {
  if (word != &plainWord)
    return;
  size_t bytes = pageBytes();
  if (void *page = allocatePages(bytes)) {
    if (emptyInCopies(page, bytes))
      word = static_cast<int32_t *>(page);
    else
      freePages(page, bytes);
  }
  finishRenewal();
}

// arch/NAME/vfork.S stores 1 while the thread runs a child of vfork().
extern "C" {
__attribute__((visibility("hidden"),
               used)) constinit thread_local uint32_t tprt_runs_child = 0;
// There is no child.
__attribute__((visibility("hidden"), used)) pid_t tprt_vfork_failed(int error) {
  *tprt_program_errno() = error;
  return -1;
}
}

bool isOwnProcess() {
  if (word == &plainWord) // A filter may refuse the call.
    if (int32_t now = currentProcess(); now > 0 && now != processId())
      return false;
  return !tprt_runs_child && !isCopiedProcess();
}

bool isOwnProcessBySystem() {
  const int32_t now = currentProcess();
  return isOwnProcess() && (now <= 0 || now == processId());
}

// Returns whether /proc shows a thread without a filter under this number.
static bool isUnfiltered(const char *thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
  return statusField("\nSeccomp:", path) == 0;
}

bool haveFilters() {
  int folder = openRaised("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (folder < 0)
    return true;
  alignas(8) char entries[4096];
  bool filtered = false;
  long bytes = 0;
  while (!filtered &&
         (bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < bytes && !filtered;) {
      // struct linux_dirent64 (getdents(2)): inode, offset, length, type, name.
      uint16_t length;
      memcpy(&length, entries + at + 16, sizeof length);
      const char *name = entries + at + 19;
      filtered = *name != '.' && !isUnfiltered(name);
      at += length;
    }
  close(folder);
  return filtered || bytes < 0;
}

int *programErrno() { return tprt_program_errno(); }

bool isCopiedProcess() {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE) == kCopied;
}

bool beginRenewal(bool always) {
  int32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  return (seen == kCopied || (always && seen != kRenewing)) &&
         __atomic_compare_exchange_n(word, &seen, kRenewing, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void finishRenewal() {
  __atomic_store_n(word, currentProcess(), __ATOMIC_RELEASE);
}

void awaitRenewal() {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == kRenewing)
    sched_yield();
}

int32_t processId() { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static uint8_t forbidden[static_cast<size_t>(HitCall::kCount)];

bool mayAsk(HitCall call) {
  return !__atomic_load_n(&forbidden[static_cast<size_t>(call)],
                          __ATOMIC_RELAXED);
}

void setMayAsk(HitCall call, bool may) {
  __atomic_store_n(&forbidden[static_cast<size_t>(call)], !may,
                   __ATOMIC_RELAXED);
}

int32_t knownThreadId() {
  if (!mayAsk(HitCall::Ids) || currentProcess() != processId())
    return 0;
  auto id = static_cast<int32_t>(syscall(SYS_gettid));
  return id > 0 ? id : 0;
}

bool hasThreadEnded(int32_t thread) {
  int32_t process = processId();
  return process > 0 && mayAsk(HitCall::Ids) &&
         syscall(SYS_tgkill, process, thread, 0) != 0 && errno == ESRCH;
}

// The kernel finds the memory by a thread's id. The id of the process would not
// do: once the main thread has ended, the kernel finds no memory by it.
static ssize_t readMemoryOf(int32_t thread, uint64_t address, void *to,
                            size_t bytes) {
  iovec here = {to, bytes}, there = {reinterpret_cast<void *>(address), bytes};
  return syscall(SYS_process_vm_readv, thread, &here, 1, &there, 1, 0);
}

bool peek(uint64_t address, void *to, size_t bytes, int32_t thread) {
  const auto wanted = static_cast<ssize_t>(bytes);
  const bool may = mayAsk(HitCall::Peek);
  // Without that page, a copy of the process may not be noticed, and the thread
  // of that id may be the original's.
  const bool known = thread > 0 && word != &plainWord && isOwnProcess();
  ssize_t got = -1;
  if (may && known)
    got = readMemoryOf(thread, address, to, bytes);
  // ESRCH: a process in another namespace shares the memory.
  if (may && (!known || (got < 0 && errno == ESRCH)))
    got = readMemoryOf(static_cast<int32_t>(syscall(SYS_gettid)), address, to,
                       bytes);
  if (got == wanted)
    return true;
  if (may && (got >= 0 || errno == EFAULT))
    return false;
  // process_vm_readv is forbidden, or unknown to this kernel or emulator.
  int file = openOwn("mem", O_RDONLY);
  if (file < 0)
    return false;
  got = pread(file, to, bytes, static_cast<off_t>(address));
  close(file);
  return got == wanted;
}

bool peek(uint64_t address, void *to, size_t bytes) {
  return peek(address, to, bytes, 0);
}

} // namespace tprt
