// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which process this is. An address space is copied by fork(), but also by
// _Fork() and by a bare clone(), which run no atfork handlers; and vfork() and
// clone(CLONE_VM) make a process that shares ours. All functions are
// async-signal-safe, and all but startProcess() thread-safe.
#ifndef TPRT_OS_PROCESS_H
#define TPRT_OS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Once, when the library is loaded: one page that the kernel empties in every
// copy of this address space (madvise(2), MADV_WIPEONFORK, Linux 4.14). Where
// the kernel cannot do that only fork() is noticed, by its handlers.
void startProcess();

// Whether this address space is a copy that nobody has renewed yet.
bool isCopiedProcess();
// True for one caller alone, who then makes things right for the copy and calls
// finishRenewal(). `always`: also where no copy was noticed.
bool beginRenewal(bool always);
void finishRenewal();
// Waits for a renewal that another thread has begun. Not in a hit.
void awaitRenewal();

// The process whose threads own this address space.
int32_t processId();

// The calling thread's kernel id, or 0 where it cannot be known: in a process
// that shares the address space of processId(), or where the system calls may
// not be made (mayAsk()).
int32_t knownThreadId();

// Whether a thread of processId() has ended for sure.
bool hasThreadEnded(int32_t thread);

// System calls that hits make. A seccomp filter may kill for them: attach tries
// them in a child first (trial.h), and hits leave out those that failed.
// So it is with what a detach reads frames by.
enum class HitCall { Ids, SignalMask, AltStack, Peek, kCount };
bool mayAsk(HitCall call);
void setMayAsk(HitCall call, bool may);

// Copies memory of this process, another thread's stack maybe, which may be
// unmapped at any time. False: it is not there, or the system does not let us.
bool peek(uint64_t address, void *to, size_t bytes);

} // namespace tprt

#endif
