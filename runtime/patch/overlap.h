// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single instructions as sites, in code without sleds.
//
// The problem: a library has hundreds of thousands of instructions, and each
// site needs about a hundred bytes.
//
// The solution: instructions become sites when a selector requests an
// instruction of their function. A code module (code/code_modules.h) then has
// one or more *inner modules*. These are further entries of the list of
// modules. An inner module contains all instructions of some functions, except
// for entries and exits. Each function is in at most one inner module. An inner
// module has no names of functions; its code module has them.
//
// The second problem is neighboring sites: the jump of a pun ends in bytes of
// the next instructions, and several instructions may reach the same dead
// bytes. So a site's needs are checked when the site is turned on. The site is
// refused if another site uses the same bytes.
#ifndef TPRT_PATCH_OVERLAP_H
#define TPRT_PATCH_OVERLAP_H

#include "code/code_modules.h"
#include "modules/module.h"
#include "select/select.h"

namespace tprt {

// A function, or an address in one, in which instructions are requested.
struct AskedCode {
  Module *outer;
  uint64_t adopted; // the module's epoch at that time
  uint32_t offset;
};
// Adds the code that the pattern requests and that was not read yet. Called
// under the lock. Returns false if there is no memory.
bool findAsked(const Pattern &pattern, const FoundNames &names,
               Array<AskedCode> &out);
// Reads the instructions of this code. Each module is decoded once, so many
// requests are best read together. Called without the lock, after the modules
// were read. Returns false if there is no memory.
bool readInner(const Array<AskedCode> &asked);
// Does both for one pattern.
bool readInner(const Pattern &pattern, const FoundNames &names);

// The extent of read code that contains this offset of a code module, or
// nullptr if there is none. Called under the lock.
const CodeExtent *extentAt(const Module *outer, uint32_t offset);

// The lowest address from `address` up to `end` at which an instruction of a
// code module is a site, or 0 if there is none. Called under the lock.
uint64_t nextInstruction(const Module *outer, uint64_t address, uint64_t end);

// Called before a batch turns the site on: assigns the dead bytes that the site
// needs, and checks neighboring sites. Returns TPRT_REFUSAL_NONE, or the reason
// why the site cannot be turned on. Called under the lock.
tprt_refusal takeCode(const tprt_site &site);
// Undoes takeCode(), because the site is off and stays off.
void leaveCode(const tprt_site &site);
// Whether the site's jump would end in the byte of a trap that is on. Called
// under the lock.
bool endsInTrap(const tprt_site &site);

// Makes the site a pun that changes only the first byte of its instruction.
// Returns false, and changes nothing, if the site's jump does not need its
// first byte, if the site was ever on, or if a neighboring site prevents this.
// `before` receives the site's previous form. Before the site is on,
// leaveOneByte() can restore that form. Called under the lock.
bool takeOneByte(const tprt_site &site, CodeSite &before);
void leaveOneByte(const tprt_site &site, const CodeSite &before);

} // namespace tprt

#endif
