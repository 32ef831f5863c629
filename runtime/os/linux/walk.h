// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dl_iterate_phdr (3) and forks. glibc (2.36) leaves the lock that
// dl_iterate_phdr takes as it was in the child of a fork: taken for ever, if
// another thread was inside. So a fork waits until no thread of this runtime
// is.
#ifndef TPRT_OS_WALK_H
#define TPRT_OS_WALK_H

#include <stddef.h>

struct dl_phdr_info;

namespace tprt {

// dl_iterate_phdr(). The first call of `visit` comes with no fork under way.
// Takes the loader's lock, so it is not to be called with the runtime's lock
// held; `visit` may take that one. Thread-safe.
void walkLoader(int (*visit)(dl_phdr_info *, size_t, void *), void *data);

// Before a fork and after it, in the thread that forks. The last one also in a
// copy of the process that fork() did not make.
void holdWalks();
void resumeWalks();
void resumeWalksInChild();

} // namespace tprt

#endif
