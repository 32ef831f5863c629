// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Original pcs: where in the program's own code a thread would be that runs
// code of ours which stands for the program's.
//
// The problem: a thread on its way through a slot, an island, a stub or the
// copy of an instruction has a program counter that no unwinder and no table of
// the program knows. A signal shows that address to the program's handler.
//
// The solution: before a site's instruction is executed, such code changes
// nothing that the program's unwind tables refer to, and after the copy of an
// instruction come copies of those that follow it, if any, and a jump. So each
// address there has an original pc, the address of the instruction or of what
// follows it. A stub that takes back pushes (CodeSite::pushes) changes the
// stack pointer: from there to its copies of the pushes the original pc is the
// function's beginning, where the stack pointer is the same. The list of stubs
// that says so is read without a lock, in signal handlers.
#ifndef TPRT_TEXT_PC_MAP_H
#define TPRT_TEXT_PC_MAP_H

#include "text/stubs.h"

namespace tprt {

// Notes, or forgets, that stubs of this kind lie in [code, code + bytes). The
// first one is that of the site with the index `first`. Under the lock. Without
// memory for a note, the stubs have no original pcs.
void noteStubs(StubKind kind, uint32_t first, uint64_t code, size_t bytes);
void forgetStubs(uint64_t code);
// Notes that sleds may lead to stubs through veneers. Under the lock.
void noteVeneers();

// The original pc of an address of code; 0: it has none. Any thread,
// async-signal-safe.
uint64_t originalPcOf(uint64_t address);

// A run of our code of which each address has the same original pc, for
// debuggers. An unwinder finds the program's function by the address in front
// of `resume`, and by a stack pointer that is `below` bytes above the thread's.
// Where the architecture says so (kDebugSaves), registers lie at the bottom of
// these.
struct PcRun {
  uint64_t start, end;
  uint64_t resume; // 0: code that the stubs after it call
  int64_t below;
  const tprt_site *site;
  // The mapping, or the page, in which it lies. Both are 0 in the program's own
  // code: the slot of a short jump.
  uint64_t firstOfAll, endOfAll;
};
// Calls tell() for each run, in order of address in each mapping. Under the
// lock.
void visitPcMap(void (*tell)(const PcRun &run, void *data), void *data);

// Called when runs have come or gone, before a sled leads to new ones; nullptr:
// nobody is to be told. Under the lock.
extern void (*pcMapChanged)() TPRT_HIDDEN;
// Notes that runs have come or gone, and calls that if any have since.
void noteChangedPcMap();
void tellOfPcMap();

// Has all signals' handlers shown original pcs in place of addresses of ours.
// False: the system does not permit it.
bool showOriginalPcs();
// Called at the first probe whose hits need more stack than a count. If the
// program catches stack overflows, its handlers see the program's own
// instruction from then on. Takes the lock.
void guardOverflows();

// Where in a stub a thread is.
struct StubPlace {
  const tprt_site *site;
  InnerStub stub;
  size_t inside; // How far after the stub's beginning.
};
// False: the address is in no stub that stores anything.
// Async-signal-safe.
bool findStub(uint64_t address, StubPlace &place);

} // namespace tprt

#endif
