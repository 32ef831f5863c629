// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the files in /proc that show this process's own memory: "maps", "mem",
// "exe"; and keeps descriptors apart from the program's. Any thread;
// async-signal-safe.
//
// /proc/self shows the process's first thread. Once that thread has ended
// (pthread_exit in main), the process continues, but these files are empty.
// Then /proc/thread-self is used, which shows the calling thread, with the same
// memory. It is not used earlier, because an emulator shows the program's
// mappings only in /proc/self.
#ifndef TPRT_OS_LINUX_PROC_SELF_H
#define TPRT_OS_LINUX_PROC_SELF_H

#include <stddef.h>
#include <sys/types.h>

namespace tprt {

// The descriptor, close-on-exec, or -1.
int openOwn(const char *name, int flags);
// Like open(), for any file. The descriptor is close-on-exec, with a number
// from raiseDescriptor().
int openRaised(const char *path, int flags);
// Like memfd_create(), with such a number.
int makeRaisedMemory(const char *name, unsigned flags);
// Like pipe2(), with such numbers. False: no pipe could be made.
bool pipeRaised(int (&ends)[2], int flags);
// Under the lock: whether a filter of system calls lets raiseDescriptor() work.
void setMayRaise(bool may);
// As readlink().
ssize_t readOwnLink(const char *name, char *target, size_t bytes);

} // namespace tprt

#endif
