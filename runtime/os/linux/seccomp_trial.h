// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a seccomp filter, a system call may end the process. So if there is
// such a filter, the runtime first tries unusual system calls in a child. Other
// files of os/linux/ call these functions, under the runtime's lock. The
// functions that the core calls are in base/os_process.h.
#ifndef TPRT_OS_LINUX_SECCOMP_TRIAL_H
#define TPRT_OS_LINUX_SECCOMP_TRIAL_H

namespace tprt {

enum class Facility {
  Barrier,
  Mprotect,
  ProcMem,
  MakeExecutable, // mprotect that makes memory executable, and not writable
  Exchange,       // mremap that replaces code
  // The system calls that hits make (HitCall in base/os_process.h).
  HitIds,
  HitSignalMask,
  HitAltStack,
  HitPeek,
  HitClock,
  RaiseDescriptor, // see proc_self.cpp
  WatchThread,     // the calls of the thread tprt-watch, and its start
  Rights,          // see credentials.cpp
  kCount
};

// Returns 0 if this process may use the facility, or the errno with which the
// facility fails. EPERM may also mean that its use would end the process.
// Called under the lock, or before there are threads.
int trialOf(Facility facility);

// Whether the thread has seccomp filters, which may kill the process for an
// unusual system call.
bool areCallsFiltered();

// A number from the calling thread's status in /proc. `name` begins with a
// newline and ends with a colon. Returns -1 if the number is missing or cannot
// be read.
int statusField(const char *name,
                const char *from = "/proc/thread-self/status");

} // namespace tprt

#endif
