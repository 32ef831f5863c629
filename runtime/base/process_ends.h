// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the end of a process asks the system: who ends, and whether the threads
// that are waited for still live. Unless a comment says otherwise, a function
// makes no system call, as a seccomp filter that the program has set meanwhile
// may end the process for it. Any thread; async-signal-safe. In
// os/linux/process.cpp and system_thread.cpp.
#ifndef TPRT_BASE_PROCESS_ENDS_H
#define TPRT_BASE_PROCESS_ENDS_H

namespace tprt {

// Whether the caller is one of the threads that own this address space. A child
// of vfork() is not, and neither is a copy that has not been renewed. Where the
// kernel cannot empty a page in copies (before Linux 4.14), the system is
// asked.
bool isOwnProcess();
// The same by a system call, which also recognises a child of clone(CLONE_VM)
// that is not a child of vfork(). Only where no thread has a filter.
bool isOwnProcessBySystem();
// Whether some thread of the process has a seccomp filter, or that cannot be
// found out. Reads /proc: on a thread of the runtime.
bool haveFilters();

// Threads that others wait for. A seccomp filter may end such a thread alone,
// in the middle of anything (SECCOMP_RET_KILL_THREAD). Callers: control/.
enum class OwnThread { Control, Work, kCount };
// On that thread, at its begin and its end.
void beginLife(OwnThread thread);
void endLife(OwnThread thread);
// Whether the thread has begun and was ended otherwise.
bool wasKilled(OwnThread thread);

} // namespace tprt

#endif
