// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: threads, signals' masks, the mutex and
// clocks. os_memory.h says what the port is.
#ifndef TPRT_BASE_OS_THREAD_H
#define TPRT_BASE_OS_THREAD_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- threads: os/linux/system_thread.cpp, cancel.cpp -------------------------
// Callers: thread_block.cpp, unless a comment says otherwise.

// While this object exists, its thread takes no signals but SIGTRAP, which ends
// the process at a trap where it is blocked. Threads that are made meanwhile
// begin with the same signals blocked. In hits, where
// mayAsk(HitCall::SignalMask).
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t before[16]; // The system's set of signals.
};

// The calling thread's alternate signal stack. `bytes` is 0 if the thread has
// none, or if it runs on a stack that the kernel hides while it is in use
// (`disarms`; sigaltstack(2), SS_AUTODISARM).
struct AlternateStack {
  uint64_t low, bytes;
  bool disarms;
};
// False: the system call may not be made or failed. In hits.
bool readAlternateStack(AlternateStack &stack);

// The key of a variable with one value per thread. query.cpp makes another one.
// When a thread ends and its value is not nullptr, `end` is called with the
// value, and again as long as a new value was set meanwhile.
struct ThreadKey {
  uint32_t number;
  // If false, setThreadValue() does nothing and all values are nullptr.
  bool made;
};
// Called at the start, to get one of the first 32 keys: glibc has room in each
// thread for the values of these. For later keys glibc calls calloc, and that
// in a hit which may itself be inside calloc with calloc's lock held.
void makeThreadKey(ThreadKey &key, void (*end)(void *value));
// In hits.
void *threadValue(const ThreadKey &key);
void setThreadValue(const ThreadKey &key, void *value);

// A number that identifies the calling thread as long as it lives. In hits.
uint64_t thisThread();

// Cancellation (pthread_cancel), for cancel.h and init.cpp. Any thread,
// whatever locks it has. Not async-signal-safe by POSIX, though it is in glibc
// and musl.
int disableCancel(); // returns the state that there was
void restoreCancel(int state);
// Ends the calling thread here if it was cancelled, so it is called only where
// the thread holds nothing. Caller: attach.cpp.
void testCancel();

// The mutex that the runtime's lock is made of, for lock.cpp. Any thread.
// giveMutex() is called by the thread that took the mutex, or by that thread's
// copy in the child of a fork.
void takeMutex();
void giveMutex();
// False: a thread has the mutex. tryMutex() and giveMutex() are
// async-signal-safe.
bool tryMutex();
// Called in a copy of the process before any other use of the mutex. False: the
// mutex was taken when the copy was made, and was made anew.
bool renewMutex();

// Lets other threads run. Any thread, not in hits: quiesce.cpp and clock.cpp
// wait this way.
void yieldThread();
// Sleeps the whole time even if signals arrive. The caller has disabled
// cancellation.
void sleepFor(uint64_t nanoseconds);
// Starts a thread with all signals blocked. glibc's changes of the process's
// user and groups leave it out. False, with errno: there is none. Not
// under the lock, because the C library allocates. With a name, the call
// waits until the thread has it. With nullptr, it waits for nothing that the
// thread does: functions which that calls may be probed, and a handler may wait
// for a lock of the caller's. Callers: uprobe_thread.cpp, control/.
bool startThread(void (*run)(), const char *name);
// Opens what readProcessRights() reads, as the program may change its root. For
// the thread that will call that, which has a table of descriptors of its own.
// Callers of this and of the next four: control/, uprobe_thread.cpp.
void openProcessRights();
// Reads which user and groups the process has. One thread at a time.
void readProcessRights();
// Gives the calling thread, which startThread() has started, the user and the
// groups that were read last, and takes from it the capabilities that the
// process does not have. Where the C library does so, only if the process has
// given capabilities up for good. No other thread is in readProcessRights().
void followProcess();
// The same for a thread with the program's descriptors, by an own look, and
// only if the process has fewer capabilities than the thread. Under the lock.
void followProcessIfLess();
// Whether the calling thread has rights that the process may give up, and may
// make the system calls for that. Under the lock.
bool mayFollowProcess();
// Gives the calling thread a name.
void nameThread(const char *name);
// Whether so many threads are the process's last ones, except for the main
// thread, which has ended. False where /proc cannot tell.
bool areLastThreads(unsigned count);
// Reads CLOCK_MONOTONIC. In hits.
uint64_t nanoseconds();
// Reads CLOCK_THREAD_CPUTIME_ID.
uint64_t threadNanoseconds();

} // namespace tprt

#endif
