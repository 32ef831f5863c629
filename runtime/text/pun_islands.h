// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Islands of puns. A pun is a site in code without sleds whose jump ends in
// bytes of the next instructions (sites/code_site.h). These bytes say where the
// jump leads, with some bytes, a few or no choice. So each pun has an island of
// its own, a jump to its stub, at one of the addresses that the pun can lead
// to.
//
// A debugger or a uprobe may store int3 where one of the next instructions
// begins. The jump then leads elsewhere. So there is an island for each
// combination of such breakpoints. The copy of the instruction goes on to the
// int3, which a thread thus meets. Somebody may have the address of such a
// island. Functions with frame pointers begin with the same bytes, so one
// mapping would cost all of them their puns. Where there is room for the pun
// itself, it does without some of these islands: a breakpoint that is set at
// those places later leads threads astray, and none may be there at the attach.
//
// In a program in the lowest 2 GB half of all distances lead below address 0.
// So a pun may also jump through a word, whose address is taken modulo 2^32.
// Its island is that word, and no thread executes it.
//
// pun_pages.h has the memory that islands lie in. Islands of a batch with
// many sites share pages of a file, which is written when all of them are
// known, before anything leads to them. Elsewhere an island gets a page of its
// own, in which others may lie. Such pages are executable from the beginning,
// and islands are written through /proc/self/mem, to bytes that no thread can
// reach: nothing leads there yet. Everything here is used under the lock.
#ifndef TPRT_TEXT_PUN_ISLANDS_H
#define TPRT_TEXT_PUN_ISLANDS_H

#include "modules/module.h"
#include "sites/arch.h"

namespace tprt {

// Which sites have a jump that does not need its first byte (needsFirstByte()
// in sites/code_site.h), so that a uprobe that goes leaves the whole
// instruction, or the jump. Most of them change the first byte alone. There are
// fewer jumps of this kind, and each occupies one or more pages alone.
enum class OneByte : uint8_t {
  Never,
  Always,   // Set before the first code is read. Other sites have no jump.
  Preferred // Sites that have room for it when they are first on
            // (one_byte.cpp).
};
extern OneByte oneByte TPRT_HIDDEN;

// A process may have a limited number of mappings. Puns take half of those that
// the rest of the process leaves, so that the program can go on mapping memory.
// beginPuns() counts them; a batch of so many sites calls it before its first
// pun, and endPuns() when it has made its puns.
void beginPuns(size_t sites);
void endPuns();
// How many of the mappings are left for sites that need no pun, after
// beginPuns().
size_t sparePuns();

// Says that reservePun() will be asked for this, and maps memory for all of
// these puns in few calls. Called, if at all, before the first reservePun().
void expectPun(const PunJump &jump, uint64_t stub);
void mapExpectedPuns();

// Finds places for the islands of a pun, from which jumps reach `stub`.
// Returns the address of the first island, to which the code leads as it is;
// 0: there are no such places. If it does not need all of them, those for
// breakpoints at some of `jump.starts` may be left out, and jump.starts has the
// others from then on.
uint64_t reservePun(PunJump &jump, uint64_t stub, bool needsAll);
// Whether the islands of the pun whose first one is at this address were made.
bool isPunMade(const PunJump &jump, uint64_t island);
// Where an island is to lead: to `wanted`, if that is not 0 and in reach, else
// to `general`.
struct PunStubs {
  uint64_t wanted, general;
};
// Has makePuns() write them: the first one, and those for breakpoints. Where
// one of them reaches no stub, none is made.
void leadPun(const PunJump &jump, uint64_t island, const PunStubs &first,
             const PunStubs &forBreakpoints);
// Makes all of these: afterwards, and after a barrier, sleds may lead there,
// where isPunMade() says so. If some page cannot be made executable, none of
// them is made.
void makePuns();

// Calls tell() for each island that was made and that threads execute.
void visitPuns(void (*tell)(uint64_t island, uint64_t stub, void *data),
               void *data);

// Gives back all islands of a module that is no longer loaded.
void freePuns(Module *module);
// How many bytes all of them take.
size_t punBytes();

} // namespace tprt

#endif
