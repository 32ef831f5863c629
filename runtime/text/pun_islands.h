// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands of puns. A pun is a site in code without sleds whose jump ends in
// bytes of the next instructions (sites/code_site.h). These bytes are a part of
// the jump's distance, so the jump can reach few addresses, or a single
// address. Each pun has its own island, a jump to its stub, at one of these
// addresses.
//
// A debugger or a uprobe may store int3 where one of the next instructions
// begins. The int3 then changes the address that the jump leads to. So each
// combination of such breakpoints has an island. The copy of the instruction
// continues at the int3, so threads still meet the breakpoint. The address of
// such an island may be in use. Functions with frame pointers begin with the
// same bytes, so one mapping could prevent all of their puns. If the pun's
// first island has a free address, the pun may lack some of the other islands.
// At these places, no breakpoint may be set at the attach, and a later
// breakpoint leads threads to wrong addresses.
//
// In a program in the lowest 2 GB, half of all distances lead below address 0.
// So a pun may also jump through a word in memory, whose address is computed
// modulo 2^32. That word is the pun's island, and no thread executes the word.
//
// pun_pages.h manages the memory of islands. In a batch with many sites,
// islands share pages of a file. The file is written when all islands are
// known, before any jump leads to them. Other islands get pages without a file;
// a page may hold several. Such pages are executable from the beginning.
// Islands are written there through /proc/self/mem, to bytes that no jump leads
// to yet. Everything here is used under the lock.
#ifndef TPRT_TEXT_PUN_ISLANDS_H
#define TPRT_TEXT_PUN_ISLANDS_H

#include "modules/module.h"
#include "sites/arch.h"

namespace tprt {

// Which sites have a jump that does not need its first byte (needsFirstByte()
// in sites/code_site.h). The removal of a uprobe then leaves either the whole
// instruction or the jump. Most of these jumps change only the first byte.
// Fewer addresses are possible for such a jump, and each jump occupies one or
// more pages alone.
enum class OneByte : uint8_t {
  Never,
  Always,   // Set before the first code is read. All other sites have no jump.
  Preferred // Sites for which such a jump is possible when they are first
            // turned on (one_byte.cpp).
};
extern OneByte oneByte TPRT_HIDDEN;

// A process may have a limited number of mappings. Puns use at most half of the
// mappings that the rest of the process leaves free, so that the program can
// still map memory. beginPuns() counts the mappings. A batch of `sites` sites
// calls beginPuns() before its first pun, and endPuns() after it has made its
// puns.
void beginPuns(size_t sites);
void endPuns();
// After beginPuns(): how many mappings sites that can do without a pun may
// still use.
size_t sparePuns();

// The stubs that the islands of a pun must reach, from the lowest address to
// the highest one: those for the first island, and those for the islands that
// are used if a debugger sets a breakpoint.
struct PunReach {
  Extent first;
  Extent forBreakpoints;
  const Extent &of(unsigned island) const {
    return island ? forBreakpoints : first;
  }
};

// expectPun() announces a later call of reservePun(). mapExpectedPuns() maps
// memory for all announced puns in few system calls. If used, both are called
// before the first reservePun().
void expectPun(const PunJump &jump, const PunReach &stubs);
void mapExpectedPuns();

// Finds places for the islands of a pun, from which jumps reach `stubs`.
// Returns the address of the first island, to which the jump leads without
// breakpoints, or 0 if there are no such places. Unless `needsAll`, islands for
// breakpoints at some of `jump.starts` may be omitted; these starts are then
// removed from `jump.starts`.
uint64_t reservePun(PunJump &jump, const PunReach &stubs, bool needsAll);
// Whether the last call of reservePun() found no places because the process may
// have no more mappings.
bool lackedMappings();
// Whether the islands of the pun whose first island is at `island` were made.
bool isPunMade(const PunJump &jump, uint64_t island);
// The stubs of an island: it leads to `wanted` if that is not 0 and in reach,
// and else to `general`.
struct PunStubs {
  uint64_t wanted, general;
};
// Sets the stubs for the pun's first island and for its islands for
// breakpoints. makePuns() writes these islands. If an island reaches no stub,
// none of the pun's islands is made.
void leadPun(const PunJump &jump, uint64_t island, const PunStubs &first,
             const PunStubs &forBreakpoints);
// Makes all islands for which leadPun() was called. After this call and a
// barrier, a sled may lead to the islands of a pun if isPunMade() returns true.
// If some page cannot be made executable, no island is made.
void makePuns();

// Calls tell() for each made island that threads execute.
void visitPuns(void (*tell)(uint64_t island, uint64_t stub, void *data),
               void *data);

// Frees all islands of a module that is no longer loaded.
void freePuns(Module *module);
// How many bytes of memory all islands of puns use.
size_t punBytes();

} // namespace tprt

#endif
