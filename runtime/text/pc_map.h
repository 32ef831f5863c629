// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Original pcs. While a thread runs code of libtprt in place of the program's
// code, the original pc is where the thread would be in the program's code.
//
// The problem: while a thread runs a slot, an island, a stub or the copy of an
// instruction, its program counter is unknown to unwinders and to the program's
// tables. A signal shows that address to the program's handler.
//
// The solution: before the site's instruction, such code changes nothing that
// the program's unwind tables refer to. After the copy of the instruction come
// a jump and, at some sites, copies of the next instructions. So each address
// in this code has an original pc: the address of the instruction or of a later
// instruction. A stub that undoes pushes (CodeSite::pushes) changes the stack
// pointer. From there to the copies of the pushes, the original pc is the
// function's beginning, where the stack pointer has the same value. Signal
// handlers read the list of stubs without a lock.
#ifndef TPRT_TEXT_PC_MAP_H
#define TPRT_TEXT_PC_MAP_H

#include "text/stub_regions.h"

namespace tprt {

// Adds or removes a note that stubs with this layout lie in [code, code +
// bytes). The first stub belongs to the site with the index `first`. Called
// under the lock. If there is no memory for a note, the stubs have no original
// pcs.
void noteStubs(StubLayout layout, uint32_t first, uint64_t code, size_t bytes);
void forgetStubs(uint64_t code);
// Notes that sleds may lead to stubs through veneers. Called under the lock.
void noteVeneers();

// The original pc of an address of code, or 0 if the address has none. Any
// thread may call this. Async-signal-safe.
uint64_t originalPcOf(uint64_t address);

// For debuggers: a run of libtprt's code in which all addresses have the same
// original pc. An unwinder finds the program's function by the address before
// `resume`, and by a stack pointer `below` bytes above the thread's. If the
// architecture has kDebugSaves, saved registers lie at the bottom of these
// bytes.
struct PcRun {
  uint64_t start, end;
  uint64_t resume; // 0 means code that the following stubs call.
  int64_t below;
  const tprt_site *site;
  // The mapping, or the page, in which the run lies. Both are 0 for the slot of
  // a short jump, which lies in the program's own code.
  uint64_t firstOfAll, endOfAll;
};
// Calls tell() for each run; the runs of a mapping are in order of address.
// Called under the lock.
void visitPcMap(void (*tell)(const PcRun &run, void *data), void *data);

// Called after runs were added or removed, and before a sled leads to new runs.
// nullptr means that no function is called. Called under the lock.
extern void (*pcMapChanged)() TPRT_HIDDEN;
// noteChangedPcMap() notes that runs were added or removed. tellOfPcMap() calls
// pcMapChanged() if this was noted since its last call.
void noteChangedPcMap();
void tellOfPcMap();

// From now on, shows all signal handlers original pcs in place of addresses in
// libtprt's code. Returns false if the system does not permit this.
bool showOriginalPcs();
// Called at the first probe whose hits need stack. From then on, if the program
// catches stack overflows, its handlers see the program's own instruction. This
// function acquires the lock.
void guardOverflows();

// Where in a stub a thread is.
struct StubPlace {
  const tprt_site *site;
  InnerStub stub;
  size_t inside; // Offset from the stub's beginning.
};
// Returns false if the address is not in a stub that stores anything.
// Async-signal-safe.
bool findStub(uint64_t address, StubPlace &place);

} // namespace tprt

#endif
