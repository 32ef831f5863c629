// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a seccomp filter a system call may end the process. There, and only
// there, the unusual ones are first tried in a child. core/os.h has what the
// core asks.
#ifndef TPRT_OS_TRIAL_H
#define TPRT_OS_TRIAL_H

namespace tprt {

enum class Facility {
  Barrier,
  Mprotect,
  ProcMem,
  // What hits make (core/os.h).
  HitIds,
  HitSignalMask,
  HitAltStack,
  HitPeek,
  kCount
};

// 0, or the errno with which it fails; EPERM where it would be the end of us.
// Under the lock, or before there are threads.
int trialOf(Facility facility);

// Whether there are seccomp filters, which may kill for an unusual call.
bool areCallsFiltered();

// A number in the calling thread's /proc status, by its name with a newline and
// a colon; -1: not there, or not to be read.
int statusField(const char *name);

} // namespace tprt

#endif
