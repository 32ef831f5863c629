// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under a seccomp filter a system call may end the process. There, and only
// there, the unusual ones are first tried in a child.
#ifndef TPRT_OS_TRIAL_H
#define TPRT_OS_TRIAL_H

namespace tprt {

enum class Facility { Barrier, Mprotect, ProcMem };

// 0, or the errno with which it fails; EPERM where it would be the end of us.
// Costs one system call where there is no filter. Under the lock, or before
// there are threads.
int trialOf(Facility facility);

} // namespace tprt

#endif
