// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the files in /proc that show this process's own memory: "maps", "mem",
// "exe". Also keeps libtprt's descriptors separate from the program's. Any
// thread may call these functions. Async-signal-safe.
//
// /proc/self shows the process's first thread. Once that thread has ended
// (pthread_exit in main), the process continues, but these files are empty.
// Then /proc/thread-self is used, which shows the calling thread, with the same
// memory. /proc/thread-self is not used earlier, because an emulator shows the
// program's mappings only in /proc/self.
#ifndef TPRT_OS_LINUX_PROC_SELF_H
#define TPRT_OS_LINUX_PROC_SELF_H

#include <stddef.h>
#include <sys/types.h>

namespace tprt {

// Returns a close-on-exec descriptor, or -1.
int openOwn(const char *name, int flags);
// Like open(), for any file. The descriptor is close-on-exec, with a number
// from raiseDescriptor().
int openRaised(const char *path, int flags);
// Like memfd_create(), with a number from raiseDescriptor().
int makeRaisedMemory(const char *name, unsigned flags);
// Like pipe2(), with numbers from raiseDescriptor(). Returns false if no pipe
// could be made.
bool pipeRaised(int (&ends)[2], int flags);
// Sets whether a filter of system calls permits raiseDescriptor(). Called under
// the lock.
void setMayRaise(bool may);
// As readlink().
ssize_t readOwnLink(const char *name, char *target, size_t bytes);

} // namespace tprt

#endif
