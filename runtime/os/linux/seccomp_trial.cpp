// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries system calls in a child process; see seccomp_trial.h. The child is a
// copy of the process that sends no signal when it ends. So the program gets no
// SIGCHLD, and its calls of wait() do not return the child, except for calls
// with __WALL or __WCLONE (waitpid(2)). The child makes only system calls,
// because locks of other threads may be held in the child.
//
// One child tries all calls that were not tried before, and writes the results
// to memory that it shares with its parent. So the results are known even if
// another thread of the program waits for all children and reaps this one. If a
// call ends the child, another child tries the remaining calls.
#include "os/linux/seccomp_trial.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "base/page_size.h"
#include "os/linux/proc_self.h"
#include "os/linux/process.h"
#include "os/linux/thread_barrier.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

// A page of our code, which the child changes in its own copy.
static void *codePage() {
  return reinterpret_cast<void *>(reinterpret_cast<uint64_t>(&trialOf) &
                                  ~uint64_t{pageBytes() - 1});
}

// The kernel refuses these requests, and does nothing. A filter's refusal is
// also harmless, because the C library can report it.
static bool tryThread() {
  struct stat status;
  timespec none = {};
  syscall(SYS_clone3, nullptr, 0);
  syscall(SYS_clone, CLONE_THREAD, nullptr, nullptr, nullptr, nullptr);
  syscall(SYS_set_robust_list, nullptr, 0);
  syscall(SYS_rseq, nullptr, 0, 0, 0);
  syscall(SYS_sched_yield);
  syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &none, nullptr);
  syscall(SYS_nanosleep, &none, nullptr);
  syscall(SYS_futex, nullptr, -1, 0, nullptr, nullptr, 0);
  stat("/proc/self/task", &status);
  return true;
}

// No id changes, and the kernel refuses the calls that have no address.
static bool tryRights() {
  uint32_t ids[3];
  syscall(SYS_getresuid, &ids[0], &ids[1], &ids[2]);
  syscall(SYS_getresgid, &ids[0], &ids[1], &ids[2]);
  syscall(SYS_capget, nullptr, nullptr);
  syscall(SYS_capset, nullptr, nullptr);
  syscall(SYS_setgroups, 1, nullptr);
  syscall(SYS_setresgid, -1, -1, -1);
  syscall(SYS_setresuid, -1, -1, -1);
  return true;
}

// Replaces a page of our code by a copy of it.
static bool tryExchange() {
  const size_t page = pageBytes();
  void *copy = mmap(nullptr, page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED)
    return false;
  memcpy(copy, codePage(), page);
  return !mprotect(copy, page, PROT_READ | PROT_EXEC) &&
         mremap(copy, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, codePage()) !=
             MAP_FAILED;
}

static bool attempt(Facility facility) {
  size_t page = pageBytes();
  // PR_SET_DUMPABLE prevents a core file of the child if the trial kills the
  // child. After that call, /proc/self belongs to root (proc(5), "/proc/pid").
  // So its file is opened before, and ProcMem is tried first.
  int memory = facility == Facility::ProcMem
                   ? open("/proc/self/mem", O_RDWR | O_CLOEXEC)
                   : -1;
  prctl(PR_SET_DUMPABLE, 0);
  switch (facility) {
  case Facility::Barrier:
    return membarrierWorks();
  case Facility::Mprotect:
    return !mprotect(codePage(), page, PROT_READ | PROT_WRITE | PROT_EXEC) &&
           !mprotect(codePage(), page, PROT_READ | PROT_EXEC);
  case Facility::MakeExecutable:
    return !mprotect(codePage(), page, PROT_READ | PROT_EXEC);
  case Facility::Exchange:
    return tryExchange();
  case Facility::HitIds:
    return !syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), 0);
  case Facility::HitSignalMask: {
    SignalsBlocked blocked;
    return true;
  }
  case Facility::HitAltStack: {
    stack_t now;
    return !syscall(SYS_sigaltstack, nullptr, &now);
  }
  case Facility::HitPeek: {
    uint64_t from = 0, to;
    iovec here = {&to, sizeof to}, there = {&from, sizeof from};
    return syscall(SYS_process_vm_readv, syscall(SYS_gettid), &here, 1, &there,
                   1, 0) == sizeof to;
  }
  case Facility::HitClock: {
    timespec now;
    return !syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  }
  case Facility::RaiseDescriptor:
    return fcntl(-1, F_DUPFD_CLOEXEC, 0) < 0 && errno == EBADF;
  case Facility::WatchThread:
    return tryThread();
  case Facility::Rights:
    return tryRights();
  case Facility::ProcMem:
  case Facility::kCount:
    break;
  }
  return memory >= 0 &&
         pwrite(memory, codePage(), 1,
                static_cast<off_t>(reinterpret_cast<uint64_t>(codePage()))) ==
             1;
}

static constexpr int kFacilities = static_cast<int>(Facility::kCount);
static constexpr int kUntried = -1;
static constexpr int kWouldBeInit = EBUSY; // no errno of clone()
static int postponed; // Why the last trial could not be made now, or 0.

namespace {
// A child's results: 0 or an errno, or kUntried. The report is in memory that
// parent and child share; the parent reads it after the child has ended.
struct Report {
  int results[kFacilities];
};
} // namespace

// Called in the child. Until a trial has returned, its result is that it ended
// the child.
static void tryOne(Report &report, Facility facility) {
  int &result = report.results[static_cast<int>(facility)];
  if (result != kUntried)
    return;
  __atomic_store_n(&result, EPERM, __ATOMIC_RELEASE);
  errno = EPERM;
  __atomic_store_n(&result, attempt(facility) ? 0 : errno, __ATOMIC_RELEASE);
}

static void tryRest(Report &report) {
  for (int i = 0; i < kFacilities; ++i)
    tryOne(report, static_cast<Facility>(i));
}

// Called in the child. If the child got a signal, such as an interrupt for the
// whole process group, the child would run the program's handlers. So the child
// blocks signals as soon as it knows that this call is permitted. ProcMem must
// be tried before PR_SET_DUMPABLE.
static void tryAll(Report &report) {
  constexpr auto kMask = Facility::HitSignalMask;
  tryOne(report, Facility::ProcMem);
  tryOne(report, kMask);
  if (report.results[static_cast<int>(kMask)] != 0)
    return tryRest(report);
  SignalsBlocked blocked;
  tryRest(report);
}

// Whether a child would be the first process of a PID namespace, which would
// end with the child. That is the case if the thread has called
// unshare(CLONE_NEWPID) and has no child yet: until then, there is no link to
// that namespace (pid_namespaces(7)).
static bool wouldBeInit() {
  char to[64];
  return readlink("/proc/thread-self/ns/pid", to, sizeof to) > 0 &&
         readlink("/proc/thread-self/ns/pid_for_children", to, sizeof to) < 0 &&
         errno == ENOENT;
}

// Returns 0, or the errno if no child can be created now.
static int tryInChild(Report &report) {
  auto child = static_cast<pid_t>(
      syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (child < 0)
    return errno;
  if (child == 0) {
    tryAll(report);
    syscall(SYS_exit_group, 0);
  }
  pid_t ended;
  do
    ended = waitpid(child, nullptr, __WALL);
  while (ended < 0 && errno == EINTR);
  // ECHILD: another thread has reaped the child, so the child has ended.
  return 0;
}

static bool isAnyUntried(const int (&results)[kFacilities]) {
  bool any = false;
  for (int result : results)
    any |= result == kUntried;
  return any;
}

// Tries the calls that were not tried before. Returns 0, or the reason why no
// trial is possible now; a later trial may be possible.
static int tryUntried(int (&results)[kFacilities]) {
  if (wouldBeInit())
    return kWouldBeInit;
  void *memory = mmap(nullptr, pageBytes(), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return errno;
  auto &report = *static_cast<Report *>(memory);
  memcpy(report.results, results, sizeof results);
  // Each child tries at least one call, unless it is killed before that.
  int fault = 0;
  for (int tries = 0; tries < kFacilities && !fault && isAnyUntried(results);
       ++tries) {
    if (results[static_cast<int>(Facility::HitSignalMask)] == 0) {
      SignalsBlocked blocked;
      fault = tryInChild(report);
    } else {
      fault = tryInChild(report);
    }
    memcpy(results, report.results, sizeof results);
  }
  munmap(memory, pageBytes());
  return fault;
}

int statusField(const char *name, const char *from) {
  char text[4096];
  int file = openRaised(from, O_RDONLY);
  ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  const char *line = strstr(text, name);
  return line ? atoi(line + strlen(name)) : -1;
}

// The number of the thread's seccomp filters. A filter that is added later
// changes the number, and so is detected.
static int filters() {
  if (prctl(PR_GET_SECCOMP) != 2)
    return 0;
  int count = statusField("\nSeccomp_filters:"); // Linux 5.9
  return count < 0 ? 1 : count;
}

static bool counted; // whether filters were counted in this batch

void beginTrials() { counted = false; }

static int countedFilters() {
  static int now;
  if (!counted)
    now = filters();
  counted = true;
  return now;
}

bool areCallsFiltered() { return countedFilters() != 0; }

int trialOf(Facility facility) {
  static int tried; // the number of filters that `results` is for
  static int results[kFacilities];
  int now = countedFilters();
  if (!now)
    return 0;
  if (now != tried)
    for (int &result : results)
      result = kUntried;
  tried = now;
  const int &result = results[static_cast<int>(facility)];
  postponed = 0;
  if (result != kUntried)
    return result;
  int fault = tryUntried(results);
  if (result != kUntried)
    return result;
  return postponed = fault ? fault : EPERM;
}

const char *whyNoTrial() {
  switch (postponed) {
  case 0:
    return nullptr;
  case kWouldBeInit:
    return "it would be the first process of the PID namespace that this "
           "thread has created (unshare)";
  case EAGAIN:
    return "the limit on processes is reached (RLIMIT_NPROC, pids.max)";
  default:
    return "it could not be created, or was killed";
  }
}

bool mayStartThreads() { return trialOf(Facility::WatchThread) == 0; }

void tryHitCalls() {
  // The signal mask comes first, because later trials block signals.
  setMayAsk(HitCall::SignalMask, trialOf(Facility::HitSignalMask) == 0);
  setMayAsk(HitCall::Ids, trialOf(Facility::HitIds) == 0);
  setMayAsk(HitCall::Peek, trialOf(Facility::HitPeek) == 0);
  setMayAsk(HitCall::AltStack, trialOf(Facility::HitAltStack) == 0);
  setMayAsk(HitCall::Clock, trialOf(Facility::HitClock) == 0);
  setMayRaise(trialOf(Facility::RaiseDescriptor) == 0);
}

} // namespace tprt
