// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the port to the operating system that writes machine code, and
// makes the barriers that each write needs. os_memory.h explains the port.
#ifndef TPRT_BASE_OS_TEXT_H
#define TPRT_BASE_OS_TEXT_H

#include "base/array.h"
#include "base/extent.h"
#include "tprt/tprt.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

namespace tprt {

// --- code: os/linux/text.cpp, maps.cpp; under the lock -----------------------
// Callers: stubs.cpp, stub_regions.cpp, jump_islands.cpp, executable_area.cpp,
// and text_writer.* for the patcher. The core decides which bytes are stored,
// in which order and with which barriers (batch.h).

// A range of addresses that has the same rights everywhere.
struct Mapping {
  uint64_t start, end;
  uint32_t rights; // PF_R, PF_W, PF_X
  // Code in this range must not be written: other processes would see the
  // change (a shared mapping), or the kernel cannot copy the page (huge pages
  // of hugetlbfs).
  bool fixed;
  // As far as is known, this range contains the complete kernel mapping.
  bool whole = false;

  bool isReadable() const { return rights & PF_R; }
};

// A module's code.
struct CodeMemory {
  Array<Segment> segments;
  // The mappings of the code, valid while a CodeWriter works on it.
  mutable Array<Mapping> mappings;
  // Rights that the code is mapped with in addition to the usual protection:
  // see protectionByProperty() in arch.h.
  int guard;
  // The whole code has been writable once. After that, the kernel merges the
  // mappings again when their rights have been changed and restored (text.cpp).
  mutable bool openedWhole;
  // Most of the code's pages were made private by one operation.
  mutable bool copied;
};

// /proc/self/mem, opened for writing. Under the lock. An open object is not
// copied.
class MemoryFile {
  int file = -1;
  MemoryFile *next = nullptr; // The next open object.

public:
  void open();
  bool isOpen() const { return file >= 0; }
  bool write(uint64_t address, const void *bytes, size_t count) const;
  void close();
  // Such a file accesses the memory of the process that opened it. Called in a
  // child of fork() whose thread will continue its work under the lock.
  // Afterwards the open files access the child's memory.
  static void reopenInChild();
};

// Opens one module's code for a batch of stores, and restores the code's
// protection at the end.
struct CodeWriter {
  const CodeMemory *code;
  bool writable;     // The code can be written by ordinary stores.
  MemoryFile memory; // If ordinary stores cannot write the code, this file is
                     // open instead.
  // The expected number of stores. The number decides whether pages are copied
  // beforehand.
  size_t stores;
  uint64_t low, high; // The batch reads and writes between these addresses.

  // Must be called first. Stores in code->mappings how the batch's code is
  // mapped now. These mappings determine which sites may be read and written,
  // and which rights each page gets back. Returns false if there is no memory.
  bool look();
  // Why the memory in `extent` may not be read or written, or
  // TPRT_REFUSAL_NONE.
  tprt_refusal judge(Extent extent) const;
  // Opens the code if it is not open yet. Returns false if the process cannot
  // write its code by any known method.
  bool open();
  // Writes code that is open but not writable by stores. If more than one byte
  // is written, the kernel does not guarantee the order or the units in which
  // the bytes are written. Returns false if nothing was written.
  bool writeMemory(uint64_t address, uint64_t value, unsigned bytes) const;
  // Restores the protection. Does nothing if the code is not open.
  void close();

private:
  Extent partOf(const Segment &segment) const;
};

// An instruction that is to be exchanged, and by what; 4 bytes, aligned.
struct CodeWord {
  uint64_t address;
  uint32_t was, value;
};
// Exchanges instructions that no store may change while threads execute them:
// their pages are replaced by new pages, as a uprobe does it. Writes the new
// pages completely, and then puts them in place by one mremap(2). A thread
// executes either the old or the new page; if it fetches an instruction in
// between, it waits in the kernel. The caller then executes SYNC. The words are
// in order of address, lie in this mapping, and have distinct addresses. All
// other bytes stay as they are. The new pages are mapped from the same file,
// where possible, so that the mapping keeps its name. Returns
// TPRT_REFUSAL_NONE, or why nothing was exchanged: BYTES if a word is not what
// it was, MAP_COUNT, or EXCHANGE if the system does not permit it. os/linux/
// page_exchange.cpp; under the lock.
tprt_refusal exchangePages(const Mapping &mapping, int guard,
                           const CodeWord *words, size_t count);

// reserveExactly() reserves exactly this range of address space, without
// memory. It returns false if any part of the range is in use. makeWritable()
// maps zeroed read-write pages in a part of such a range that nothing uses.
// allocateExactly() does both at once.
bool reserveExactly(uint64_t start, size_t bytes);
bool allocateExactly(uint64_t start, size_t bytes);
bool makeWritable(uint64_t start, size_t bytes);
// Makes freshly filled pages executable and no longer writable. It may replace
// them by other pages with the same bytes. The caller publishes the code
// (arch.h). If the result is false, errno says why mprotect failed.
bool protectCode(uint64_t address, size_t bytes);
// Maps zeroed read-write pages. Each byte lies within `reach` of every address
// of [low, high). Returns nullptr if there is no such room.
void *allocateNear(uint64_t low, uint64_t high, size_t bytes, uint64_t reach);

// Called in a copy of this process. The open file of mappings still shows the
// original process. The process id cannot distinguish the two, because the copy
// may have the same id in a separate namespace. In hits.
void forgetMappingsFile();

// The ranges into which the main thread's stack and the heap may grow. A page
// of libtprt there would end the program, or stop the growth of its heap.
struct GrowthRoom {
  uint64_t stackLow, stackHigh, heapLow, heapHigh;

  bool has(uint64_t address) const {
    return (address >= stackLow && address < stackHigh) ||
           (address >= heapLow && address < heapHigh);
  }
  bool meetsStack(uint64_t start, uint64_t end) const {
    return start < stackHigh && stackLow < end;
  }
  bool meets(uint64_t start, uint64_t end) const {
    return meetsStack(start, end) || (start < heapHigh && heapLow < end);
  }
};
GrowthRoom readGrowthRoom();

// How many mappings the process has, and how many it may have
// (vm.max_map_count). If these numbers are unknown, `now` is 0, and `most` is
// the kernel's usual limit. The mappings are added to `all`, in order of
// address.
struct MappingCount {
  size_t now, most;
};
MappingCount countMappings(Array<Mapping> &all);

// Maps zeroed pages at exactly this address that are executable and not
// writable. Returns false if any part of the range is in use, or if the system
// forbids such pages.
bool allocateCodeExactly(uint64_t start, size_t bytes);

// Writes to pages that are executable and not writable, to bytes that no thread
// can reach. write() returns false if the writer is not open, or if it did not
// write all bytes. Under the lock.
class UnreachedWriter {
  MemoryFile memory;

public:
  void open() { memory.open(); }
  bool isOpen() const { return memory.isOpen(); }
  bool write(uint64_t address, const void *bytes, size_t count) const {
    return memory.write(address, bytes, count);
  }
  void close() { memory.close(); }
};
// Writes the same by ordinary stores, in any order: no thread reaches the
// bytes, and the caller executes SYNC before any code jumps to them (Intel SDM
// vol. 3, 9.1.3; AMD APM vol. 2, 7.6.1). Other bytes of the pages are in use,
// so the pages remain executable while they are writable. Returns false if the
// system forbids that, too.
bool writeUnreached(uint64_t address, const void *bytes, size_t count);

// A file in memory whose pages are mapped as code at several addresses each, so
// that thousands of addresses need only a few pages of memory. The pages are
// mapped first, while no code jumps to them, and written later. Under the lock.
class CodeFile {
  int file = -1;

public:
  // Creates a file with memory for this number of bytes. The file stays closed
  // if the system forbids such files or has no memory for it. It also stays
  // closed if many mappings would be a burden for the program: if the program
  // has a limit of address space (RLIMIT_AS), or locks new pages (mlockall).
  // Whether the program locks new pages is determined from the pages `fresh`.
  void open(void *fresh, size_t bytes);
  bool isOpen() const { return file >= 0; }
  // Maps a part of the file in the same manner as allocateCodeExactly(). A
  // write to the mapping through UnreachedWriter changes nothing in the file.
  bool mapExactly(uint64_t address, size_t bytes, uint64_t offset) const;
  // Writes the file, which does not change afterwards, and frees the memory
  // after these bytes. If the result is false, the file's pages must not be
  // used.
  bool write(const void *bytes, size_t count) const;
  void close();
};

// Adds the pages of the range that the process may have copied privately by
// writing to them. Adjacent pages are joined. All other pages have the same
// content as the file. Returns false if there is no memory.
bool findCopiedPages(const Extent &range, Array<Extent> &out);

// --- barriers: os/linux/thread_barrier.cpp; under the lock -------------------
// Callers: the flip engine, attach.cpp and quiesce.cpp; init.cpp.

// Registers the process with the kernel for synchroniseCores(). Called without
// the lock at the start and in the child of a fork. Registering costs
// microseconds while the process has one thread, and milliseconds later.
// Returns false if this kernel has no such barrier.
bool registerBarrier();
// When this function returns, every thread of the process has executed a
// core-serialising instruction and a full memory barrier, or will execute both
// before it runs user code again. The caller has executed both as well. This is
// membarrier(2) with MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE. Returns false
// if the call failed. The caller then must not assume that a barrier was
// executed.
bool synchroniseCores();
// Like synchroniseCores(), but does nothing if no code was written since the
// last success. If the system call is no longer permitted, returns false even
// in that case.
bool synchroniseIfNeeded();

} // namespace tprt

#endif
