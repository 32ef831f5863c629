// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The port to the operating system: pages of memory.
//
// The port consists of the headers base/os_*.h. They declare the functions that
// the runtime calls, which os/<system>/ implements, and the functions that the
// system's part calls. Parameters and results are plain data. Each section of a
// header says which files of the runtime call its functions, on which threads
// and with which locks:
//   "in hits"          also inside a hit: async-signal-safe, without a lock
//   "any thread"       thread-safe, not async-signal-safe, without the lock
//                      unless the part says otherwise
//   "under the lock"   the caller has the runtime's lock (threads/lock.h)
//   "at the start"     once, by the library's constructor (probes/init.cpp)
// No function acquires the runtime's lock. A function may change errno unless
// its comment says otherwise.
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
// Allocates pages for a large range that remains mostly unused. The unused
// pages need only address space.
void *reservePages(size_t bytes);
void freePages(void *pages, size_t bytes);
// Makes these pages `wanted` bytes long, and moves them to another address if
// necessary. If there is no memory, returns nullptr and leaves the pages as
// they were.
void *resizePages(void *pages, size_t bytes, size_t wanted);
// Makes these pages empty in each later copy of the address space by fork() and
// similar calls (madvise(2), MADV_WIPEONFORK, Linux 4.14). Returns false if the
// kernel cannot do that.
bool emptyInCopies(void *pages, size_t bytes);
// Populates pages by one call before they are written, instead of by one page
// fault each. Does nothing for small ranges, or if the kernel cannot do it.
void populatePages(void *memory, size_t bytes);
// Lets the kernel use large pages (2 MB on x86-64) in the parts of this range
// that can hold a complete large page. One large page is allocated in half the
// time of 256 small pages. Some systems have no large pages, or no free ones.
void preferLargePages(void *start, size_t bytes);
// Pages that can grow at the same addresses for the life of the process. The
// unused room must cost nothing: no memory (mlockall), no address space that
// RLIMIT_AS limits, no commit charge (vm.overcommit_memory=2). So that room is
// not reserved. Instead, the range begins at an address after which many GiB
// are free. Returns nullptr if there is no memory.
void *startRange(size_t bytes);
// Grows a range from `bytes`, which are whole pages, to at least `wanted`, and
// updates `bytes`. If there is no memory, or if the addresses are now in use,
// returns false and leaves the range unchanged.
bool growRange(void *start, size_t &bytes, size_t wanted);

// Whether this process can read memory at this address. The check causes no
// fault. Preserves errno. The flip engine calls this function before it reads
// code.
bool isReadable(const void *address);
// Whether many pages can all be read. This needs a fifth of the time of
// separate checks. `start` is the beginning of a page. The result is also false
// if the system cannot check many pages at once. So after false the caller
// checks each page separately.
bool areAllReadable(uint64_t start, uint64_t end);
// Copies memory of this process that may be unmapped at any time, for instance
// another thread's stack. Returns false if the memory is not mapped, or the
// system does not permit the call. quiesce.cpp reads frames with this function.
bool peek(uint64_t address, void *to, size_t bytes);
// The same with the calling thread's id (idInHit() in thread_block.h), which
// saves a system call. 0: the id is not known.
bool peek(uint64_t address, void *to, size_t bytes, int32_t thread);

} // namespace tprt

#endif
