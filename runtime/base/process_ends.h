// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System queries at the end of a process: which process ends, and whether
// awaited threads are still alive. Unless a comment says otherwise, a function
// makes no system call. If the program has set a seccomp filter in the
// meantime, such a call could end the process. May be called on any thread;
// async-signal-safe. Defined in os/linux/process.cpp and system_thread.cpp.
#ifndef TPRT_BASE_PROCESS_ENDS_H
#define TPRT_BASE_PROCESS_ENDS_H

namespace tprt {

// Whether the caller is one of the threads that own this address space. The
// threads of a child of vfork() do not own it, and neither do those of a copy
// that has not been renewed. If the kernel cannot empty a page in copies
// (before Linux 4.14), this function makes a system call.
bool isOwnProcess();
// isOwnProcess() by a system call, which also recognises a child of
// clone(CLONE_VM) that is not a child of vfork(). Only called if no thread has
// a filter.
bool isOwnProcessBySystem();
// Whether some thread of the process has a seccomp filter. Also true if that is
// unknown. Reads /proc, so it is called on a thread of the runtime.
bool haveFilters();

// Threads that others wait for. A seccomp filter may end such a thread alone,
// at any point of its work (SECCOMP_RET_KILL_THREAD). Callers: control/.
enum class OwnThread { Control, Work, kCount };
// Called on that thread, at its beginning and its end.
void beginLife(OwnThread thread);
void endLife(OwnThread thread);
// Whether the thread has begun and ended without endLife().
bool wasKilled(OwnThread thread);

} // namespace tprt

#endif
