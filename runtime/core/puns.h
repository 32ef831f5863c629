// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Landings of puns. A pun is a site in code without sleds whose jump ends in
// bytes of the next instructions (plain/code.h). These bytes say where the jump
// leads, with some bytes, a few or no choice. So each pun has a landing of its
// own, a jump to its stub, at one of the addresses that the pun can lead to.
//
// Several landings may lie in one page. A page is written before it becomes
// executable. A landing that comes later is written through /proc/self/mem, to
// bytes that no thread can reach: nothing leads there yet. Everything here is
// used under the lock.
#ifndef TPRT_CORE_PUNS_H
#define TPRT_CORE_PUNS_H

#include "core/arch.h"
#include "core/module.h"

namespace tprt {

// Finds a place for a landing of the sled, whose displacement has these fixed
// bits, from which a jump reaches `stub`. Returns its address; 0: there is
// none. A process has a limited number of mappings, so there is a limit, too.
uint64_t reservePun(uint64_t sled, FixedBits bits, uint64_t stub);
// Whether the landing at this address was made.
bool isPunMade(uint64_t landing);
// Makes it: afterwards, and after a barrier, the sled may lead there. False:
// its page cannot be written.
bool makePun(uint64_t landing, uint64_t stub);

// Gives back all landings of a module that is no longer loaded.
void freePuns(Module *module);
// How many bytes all of them take.
size_t punBytes();

} // namespace tprt

#endif
