// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the loader's list of modules (dl_iterate_phdr(3)), and makes forks
// wait for walks, because glibc does not reset the loader's lock in the child;
// see base/os_loader.h. Called on any thread, without the runtime's lock.
//
// A lock around dl_iterate_phdr could deadlock: that lock would be acquired
// before the loader's lock, but a thread that forks or walks in its own
// dl_iterate_phdr callback already holds the loader's lock. So each walk is
// only noted in a list, and a fork waits for the walks in the list, with two
// exceptions:
//  - The walk waits for a lock that the forking thread itself holds. Then the
//    walk cannot get the loader's lock before the fork is over.
//  - The walk has waited so long that the fork may be the reason. For
//    example, an allocator's fork handler holds the allocator's lock, and a
//    callback of the program that holds the loader's lock waits for that lock.
// If a walk gets the loader's lock while a fork is in progress, the walk ends
// at once. A walk that already has the loader's lock continues, and ends soon,
// with one exception. If a signal handler forks during a call of libtprt, the
// forking thread holds the runtime's lock. If the walk waits for that lock, the
// loader's lock is held in the child.
#include "base/os_loader.h"
#include "base/os_process.h"
#include "os/linux/proc_self.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

// The name of a module; "" is the program. In glibc's loader, the program also
// has the name "". In musl's loader, the program has the name by which it was
// started.
static const char *nameOf(const dl_phdr_info &info) {
#ifndef __GLIBC__
  if (reinterpret_cast<uint64_t>(info.dlpi_phdr) == getauxval(AT_PHDR))
    return "";
#endif
  return info.dlpi_name;
}

namespace {
// A walk in progress. `owner`, `inside` and `forks` are sequentially
// consistent: either the walk sees the fork, or the fork sees the walk.
struct Entry {
  // The walking thread, or 0 if the entry is free. This is not the kernel's id,
  // because a fork may not be permitted to read that id.
  pthread_t owner;
  // The thread's kernel id, or 0 if unknown.
  int32_t thread;
  // Whether the walk has the loader's lock.
  bool inside;
};

// Calls the core's visit for each entry of the loader's list.
struct Visitor {
  LoaderVisit visit;
  void *data;

  int operator()(const dl_phdr_info *info, size_t size) const {
    bool counts =
        size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
    return visit({info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum,
                  nameOf(*info), counts, counts ? info->dlpi_adds : 0,
                  counts ? info->dlpi_subs : 0},
                 data);
  }
};

struct Walk {
  Visitor visitor;
  Entry *entry;
  bool entered = false;
  bool turnedAway = false;
};

// What a thread waits for.
enum class Wait {
  None, // nothing: the thread is running, or is about to run
  OnLockOfThisThread,
  Otherwise // another thread's lock, or unknown
};
} // namespace

static Entry entries[64];
static int forks; // the number of forks in progress

// The thread's kernel id, or 0 if a seccomp filter may kill the process for
// this call.
static int32_t threadId() {
  return mayAsk(HitCall::Ids) ? static_cast<int32_t>(syscall(SYS_gettid)) : 0;
}

static void pause() {
  timespec shortly = {0, 50000};
  nanosleep(&shortly, nullptr);
}

static Entry *enlist() {
  for (;;) {
    for (Entry &entry : entries) {
      pthread_t nobody = 0;
      if (!__atomic_compare_exchange_n(&entry.owner, &nobody, pthread_self(),
                                       false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED))
        continue;
      __atomic_store_n(&entry.thread, threadId(), __ATOMIC_SEQ_CST);
      return &entry;
    }
    pause(); // more threads than entries
  }
}

static int enter(dl_phdr_info *info, size_t size, void *data) {
  auto *walk = static_cast<Walk *>(data);
  if (!walk->entered) {
    __atomic_store_n(&walk->entry->inside, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&forks, __ATOMIC_SEQ_CST)) {
      walk->turnedAway = true;
      return 1;
    }
    walk->entered = true;
  }
  return walk->visitor(info, size);
}

void walkLoader(LoaderVisit visit, void *data) {
  for (bool done = false; !done;) {
    Walk walk{{visit, data}, enlist()};
    done = __atomic_load_n(&forks, __ATOMIC_SEQ_CST) == 0;
    if (done) {
      dl_iterate_phdr(enter, &walk);
      done = !walk.turnedAway;
    }
    __atomic_store_n(&walk.entry->inside, false, __ATOMIC_SEQ_CST);
    __atomic_store_n(&walk.entry->thread, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&walk.entry->owner, 0, __ATOMIC_SEQ_CST);
    if (!done)
      pause();
  }
}

void walkLoaderWithin(LoaderVisit visit, void *data) {
  Visitor visitor{visit, data};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t size, void *all) {
        return (*static_cast<Visitor *>(all))(info, size);
      },
      &visitor);
}

// What a thread waits for, from /proc/self/task/N/syscall (proc(5)): "running",
// or the number and the arguments of the system call in which it sleeps.
static Wait waitOf(int32_t thread) {
  char text[64];
  snprintf(text, sizeof text, "/proc/self/task/%d/syscall", thread);
  int file = openRaised(text, O_RDONLY);
  if (file < 0)
    return Wait::Otherwise;
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  if (text[0] == 'r')
    return Wait::None;
#ifdef __GLIBC__
  // The futex of a mutex is the mutex's first word.
  constexpr size_t kOwner = offsetof(pthread_mutex_t, __data.__owner);
  char *rest = text;
  long call = strtol(text, &rest, 10);
  uint64_t word = strtoull(rest, nullptr, 16);
  int32_t self = threadId();
  if (call == SYS_futex && self && word && word % 8 == 0 &&
      word % 4096 <= 4096 - sizeof(pthread_mutex_t) &&
      __atomic_load_n(reinterpret_cast<const int *>(word + kOwner),
                      __ATOMIC_RELAXED) == self)
    return Wait::OnLockOfThisThread;
#endif
  return Wait::Otherwise;
}

static bool mayForkMeanwhile(const Entry &entry, unsigned pauses,
                             bool hasLock) {
  constexpr unsigned kLong = 2000; // pauses; at least a tenth of a second
  if (!hasLock && __atomic_load_n(&entry.inside, __ATOMIC_SEQ_CST))
    return false;
  Wait wait = waitOf(__atomic_load_n(&entry.thread, __ATOMIC_SEQ_CST));
  return wait == Wait::OnLockOfThisThread ||
         (wait == Wait::Otherwise && pauses > kLong);
}

void holdWalks(bool hasLock) {
  __atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
  // A fork does not wait for a walk of its own thread: in that case, a signal
  // handler that interrupted the walk is forking.
  pthread_t self = pthread_self();
  for (const Entry &entry : entries)
    for (unsigned round = 0;; ++round) {
      constexpr unsigned kYields = 32;
      pthread_t owner = __atomic_load_n(&entry.owner, __ATOMIC_SEQ_CST);
      if (!owner || owner == self ||
          (round >= kYields &&
           mayForkMeanwhile(entry, round - kYields, hasLock)))
        break;
      if (round < kYields)
        sched_yield();
      else
        pause();
    }
}

// If a signal handler forks during another fork, its child continues the outer
// fork, which is no longer counted in the child.
void resumeWalks() {
  int now = __atomic_load_n(&forks, __ATOMIC_SEQ_CST);
  while (now &&
         !__atomic_compare_exchange_n(&forks, &now, now - 1, false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
}

// The child has no other threads, and so no walks or forks of other threads. No
// other thread walks in the child before this thread's forks are over.
void resumeWalksInChild() {
  memset(entries, 0, sizeof entries);
  __atomic_store_n(&forks, 0, __ATOMIC_SEQ_CST);
}

} // namespace tprt
