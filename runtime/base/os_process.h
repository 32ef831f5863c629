// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: the process, its rights, its copies and its
// end. os_memory.h says what the port is.
#ifndef TPRT_BASE_OS_PROCESS_H
#define TPRT_BASE_OS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- what this process may do: os/linux/seccomp_trial.cpp; under the lock ----
// Under a seccomp filter a system call may end the process. Only under such a
// filter, unusual system calls are first tried in a child process. Callers:
// module_list.cpp, attach.cpp and the flip engine, each before it begins.

// Called when a batch begins. The next trial counts the thread's filters again.
// The rest of the batch relies on that count.
void beginTrials();
// If the last call that needed a trial was not tried, returns the reason in
// words: no child process could be created at that moment, so a later trial may
// succeed. If the call was tried, returns nullptr.
const char *whyNoTrial();
// Tries the system calls that hits make, and stores the results for mayAsk().
void tryHitCalls();
// Whether the filters allow starting a thread that looks for breakpoints
// (uprobe_thread.cpp).
bool mayStartThreads();

// --- the process: os/linux/process.cpp, in hits ------------------------------
// Caller: thread_block.cpp. An address space is copied by fork(), but also by
// _Fork() and by a bare clone(), which run no atfork handlers. vfork() and
// clone(CLONE_VM) make a process that shares ours.

// At the start: maps one page that the kernel empties in every copy of this
// address space (madvise(2), MADV_WIPEONFORK, Linux 4.14). If the kernel cannot
// do that, only fork() is noticed, by its handlers.
void startProcess();
// Whether this address space is a copy that no thread has renewed yet.
bool isCopiedProcess();
// Returns true to one caller only. That caller adapts the runtime's state to
// the copy and then calls finishRenewal(). If `always` is true, renews even if
// no copy was noticed.
bool beginRenewal(bool always);
void finishRenewal();
// Waits for a renewal that another thread has begun. Not called in hits.
void awaitRenewal();

// The address of the calling thread's errno as the program sees it. The runtime
// uses a separate errno (os/linux/own_names.h). In hits.
int *programErrno();

// The process whose threads own this address space.
int32_t processId();
// The calling thread's kernel id, or 0 if the id is unknown. It is unknown in a
// process that shares the address space of processId(), and if the system calls
// are not permitted (mayAsk()).
int32_t knownThreadId();
// Whether a thread of processId() has certainly ended.
bool hasThreadEnded(int32_t thread);

// System calls that hits make, and the system call with which a detach reads
// frames (Peek). A seccomp filter may end the process for such a call. So
// attach first tries these calls in a child process (tryHitCalls()), and a call
// that failed there is never made.
enum class HitCall { Ids, SignalMask, AltStack, Peek, Clock, kCount };
bool mayAsk(HitCall call);

// --- fork and the end: os/linux/fork.cpp, walk.cpp ---------------------------
// Callers: init.cpp, and thread_block.cpp in a copy of the process.

// Registers functions that run on the thread that calls fork(): one before the
// fork, one after it in the parent, and one after it in the child. At the
// start.
void watchForks(void (*before)(), void (*inParent)(), void (*inChild)());
// Registers a function that quick_exit() calls. At the start, once.
void watchQuickExit(void (*function)());
// A fork waits until no thread of this runtime walks the loader's list, because
// glibc (2.36) leaves the list's lock in the child as it was. The functions
// given to watchForks() call these functions; resumeWalksInChild() is also
// called in a copy that fork() did not make. `hasLock` says that the forking
// thread already has the runtime's lock, for which a walk may wait.
void holdWalks(bool hasLock);
void resumeWalks();
void resumeWalksInChild();

} // namespace tprt

#endif
