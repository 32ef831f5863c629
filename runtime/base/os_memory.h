// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: pages of memory.
//
// The port is the headers base/os_*.h. Each says what the runtime asks of a
// system, or what the system calls; os/<system>/ implements it. Parameters and
// results are plain data. Each part of them says which files of the runtime
// call its functions, on which threads and with which locks:
//   "in hits"          also inside a hit: async-signal-safe, without a lock
//   "any thread"       thread-safe, not async-signal-safe, without the lock
//                      unless the part says otherwise
//   "under the lock"   the caller has the runtime's lock (threads/lock.h)
//   "at the start"     once, by the library's constructor (probes/init.cpp)
// No function takes the runtime's lock. A function may change errno unless its
// comment says otherwise.
#ifndef TPRT_BASE_OS_MEMORY_H
#define TPRT_BASE_OS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- memory: os/linux/mappings.cpp, in hits ----------------------------------
// Callers: the files that own memory (small_alloc.cpp and array.cpp;
// thread_block.cpp, counters.cpp and every_nth.cpp for each thread's arrays),
// module_list.cpp and unloaded_modules.cpp for sites, and stub_regions.cpp for
// stubs.

// Zeroed read-write pages, or nullptr. `bytes` is a multiple of the page size.
void *allocatePages(size_t bytes);
// The same for a large range of which little is used; the rest costs address
// space only.
void *reservePages(size_t bytes);
void freePages(void *pages, size_t bytes);
// Makes these pages `wanted` bytes long, and moves them to another address if
// necessary. nullptr: there is no memory, and the pages are as they were.
void *resizePages(void *pages, size_t bytes, size_t wanted);
// From now on these pages are empty in each copy of the address space that
// fork() or the like makes (madvise(2), MADV_WIPEONFORK, Linux 4.14). False:
// the kernel cannot do that.
bool emptyInCopies(void *pages, size_t bytes);
// Makes pages that are about to be written present by one call, instead of by
// one page fault each. Does nothing for small ranges, or where the kernel
// cannot do it.
void populatePages(void *memory, size_t bytes);
// Lets the kernel give this range large pages (of 2 MB on x86-64), where the
// range has all of such a page. The memory of one takes half as long to get as
// that of 256 small ones. Some systems have no large pages, or none left.
void preferLargePages(void *start, size_t bytes);
// Pages that can grow at the same addresses for the life of the process. The
// room that is not used yet must cost nothing: no memory (mlockall), no address
// space that RLIMIT_AS limits, no part of what may be committed
// (vm.overcommit_memory=2). So that room is not reserved; the range begins
// where many GiB of addresses after it are free. nullptr: no memory.
void *startRange(size_t bytes);
// Grows a range from `bytes`, which are whole pages, to at least `wanted`, and
// updates `bytes`. False: there is no memory, or somebody else took the
// addresses; the range is as it was.
bool growRange(void *start, size_t &bytes, size_t wanted);

// Whether this process can read memory at this address; finding out causes no
// fault. Keeps errno. The flip engine asks before it reads code.
bool isReadable(const void *address);
// Whether many pages can all be read, in a fifth of the time. False, too, where
// that cannot be found out for many pages at once: then each page is to be
// asked about by itself. `start` is where a page begins.
bool areAllReadable(uint64_t start, uint64_t end);
// Copies memory of this process that may be unmapped at any time, for instance
// another thread's stack. False: the memory is not there, or the system does
// not permit the call. quiesce.cpp reads frames by this function.
bool peek(uint64_t address, void *to, size_t bytes);

} // namespace tprt

#endif
