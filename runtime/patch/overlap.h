// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single instructions as sites, in code without sleds.
//
// The problem: a library has hundreds of thousands of instructions, and a site
// of each takes some hundred bytes.
//
// The solution: instructions become sites when a selector asks for one of their
// function. A code module (code/code_modules.h) then has one *inner module* or
// more. These are further entries of the list of modules. An inner module has
// the instructions of some functions, all that no entry and no exit takes, and
// no function is in two of them. It has no names: those are its code module's.
//
// Neighbours are the second problem: the jump of a pun ends in bytes of the
// next instructions, and several instructions may reach the same dead bytes. So
// what a site needs is looked at when it is turned on. A site whose bytes
// another one has in use is refused.
#ifndef TPRT_PATCH_OVERLAP_H
#define TPRT_PATCH_OVERLAP_H

#include "code/code_modules.h"
#include "modules/module.h"
#include "select/select.h"

namespace tprt {

// Reads the instructions that the pattern asks for and that are no sites yet.
// Called without the lock, after the modules were read. False: no memory.
bool readInner(const Pattern &pattern, const FoundNames &names);

// The extent of code that was read and contains this offset of a code module;
// nullptr: none. Under the lock.
const CodeExtent *extentAt(const Module *outer, uint32_t offset);

// The lowest address from `address` up to `end` where an instruction of a code
// module is a site; 0: none. Under the lock.
uint64_t nextInstruction(const Module *outer, uint64_t address, uint64_t end);

// Lets a batch turn the site on: gives it the dead bytes that it needs, and
// looks at its neighbours. Returns TPRT_REFUSAL_NONE, or why it cannot be
// turned on. Under the lock.
tprt_refusal takeCode(const tprt_site &site);
// Takes that back: the site is off, and stays so.
void leaveCode(const tprt_site &site);
// Whether the site's jump would end in the byte of a trap that is on. Under the
// lock.
bool endsInTrap(const tprt_site &site);

// Makes the site a pun that changes the first byte of its instruction alone.
// False: it stays as it is, as its jump does not need its first byte, was on
// already, or a neighbour is in the way. `before` is what it was before:
// leaveOneByte() takes this back, before the site is on. Under the lock.
bool takeOneByte(const tprt_site &site, CodeSite &before);
void leaveOneByte(const tprt_site &site, const CodeSite &before);

} // namespace tprt

#endif
