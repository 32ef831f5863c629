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

// While this object exists, its thread receives no signal except SIGTRAP. If
// SIGTRAP were blocked, a trap would end the process. Threads that are created
// in the meantime begin with the same signals blocked. May be used in hits if
// mayAsk(HitCall::SignalMask) is true.
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t before[16]; // A signal set in the system's format.
};

// The calling thread's alternate signal stack. `bytes` is 0 if the thread has
// none. `bytes` is also 0 while the thread runs on a stack that the kernel
// disables during its use (`disarms`; sigaltstack(2), SS_AUTODISARM).
struct AlternateStack {
  uint64_t low, bytes;
  bool disarms;
};
// Returns false if the system call is not permitted, or failed. In hits.
bool readAlternateStack(AlternateStack &stack);

// Where the calling thread's stack certainly is, or zeros: if the stack pointer
// lies in this range, then all memory from the stack pointer to the end is that
// stack. `thread` is the calling thread's kernel id, or 0. In hits.
struct StackRange {
  uint64_t low, end;
};
StackRange ownStack(int32_t thread);

// The key of a variable with one value per thread. query.cpp makes another key.
// If a thread ends with a value other than nullptr, `end` is called with the
// value. If a new value was set in the meantime, `end` is called again.
struct ThreadKey {
  uint32_t number;
  // If false, setThreadValue() does nothing and all values are nullptr.
  bool made;
};
// Called at the start, to get one of the first 32 keys: glibc reserves room in
// each thread for the values of these keys. For later keys, glibc calls calloc
// when the value is set. Our values are set in hits, and such a hit may be
// inside calloc, with calloc's lock held.
void makeThreadKey(ThreadKey &key, void (*end)(void *value));
// In hits.
void *threadValue(const ThreadKey &key);
void setThreadValue(const ThreadKey &key, void *value);

// A number that identifies the calling thread as long as it lives. In hits.
uint64_t thisThread();

// Cancellation (pthread_cancel), for cancel.h and init.cpp. May be called on
// any thread, regardless of its locks. POSIX does not make this
// async-signal-safe; glibc and musl do.
int disableCancel(); // returns the former state
void restoreCancel(int state);
// Ends the calling thread if it was cancelled. So the caller must hold no
// locks, pins or memory. Caller: attach.cpp.
void testCancel();

// The mutex inside the runtime's lock, used by lock.cpp. May be called on any
// thread. giveMutex() is called by the thread that locked the mutex, or by that
// thread's copy in the child of a fork.
void takeMutex();
void giveMutex();
// Returns false if a thread already holds the mutex. tryMutex() and giveMutex()
// are async-signal-safe.
bool tryMutex();
// Called in a copy of the process before any other use of the mutex. If the
// mutex was held when the copy was made, initialises it again and returns
// false.
bool renewMutex();

// Lets other threads run. May be called on any thread, but not in hits.
// quiesce.cpp and clock.cpp wait by calling it repeatedly.
void yieldThread();
// Sleeps for the whole duration even if signals arrive. The caller has disabled
// cancellation.
void sleepFor(uint64_t nanoseconds);
// Starts a thread with all signals blocked. When glibc changes the process's
// user and groups, it does not change this thread's. Returns false, with errno,
// if no thread could be started. Not under the lock, because the C library
// allocates. With a name, the call waits until the thread has the name. With
// nullptr, the call does not wait for the thread at all. The functions that the
// thread calls may be probed, and their handlers may wait for a lock that the
// caller holds. Callers: uprobe_thread.cpp, control/.
bool startThread(void (*run)(), const char *name);
// Opens the files that readProcessRights() reads, before the program can change
// its root. Called by the thread that will call readProcessRights(), which has
// a separate table of descriptors. Callers of this and of the next four:
// control/, uprobe_thread.cpp.
void openProcessRights();
// Reads the user and the groups of the process. One thread at a time.
void readProcessRights();
// Sets the calling thread's user and groups to the values that were read last,
// and drops the capabilities that the process does not have. startThread() has
// started the calling thread. If the C library does the same, this function
// only acts after the process has permanently given up capabilities. While this
// function runs, no other thread is in readProcessRights().
void followProcess();
// followProcess() for a thread that shares the program's descriptors. This
// function reads the process's rights itself, and acts only if the process has
// fewer capabilities than the thread. Under the lock.
void followProcessIfLess();
// Whether the calling thread has rights that the process may give up, and is
// permitted to make the system calls that give them up. Under the lock.
bool mayFollowProcess();
// Gives the calling thread a name.
void nameThread(const char *name);
// Whether only `count` threads are left in the process, apart from the main
// thread, which has ended. Returns false if /proc does not provide this.
bool areLastThreads(unsigned count);
// Reads CLOCK_MONOTONIC. In hits.
uint64_t nanoseconds();
// Reads CLOCK_THREAD_CPUTIME_ID.
uint64_t threadNanoseconds();

} // namespace tprt

#endif
