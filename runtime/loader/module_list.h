// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of modules, and how they join and leave it. Under the lock, unless a
// comment says otherwise.
#ifndef TPRT_LOADER_MODULE_LIST_H
#define TPRT_LOADER_MODULE_LIST_H

#include "modules/module.h"

namespace tprt {

// Makes the runtime usable. Every entry point calls it, without the lock.
// Calling it again does nothing.
bool initialise();

// Why the last refused sled table was refused: a sentence that names the
// module, and the status to return.
struct TableRefusal {
  tprt_status status;
  char text[400];
};
extern TableRefusal lastRefusal;

// What a walk of the loader does with the modules that it finds, and with those
// that it no longer finds. Called with both the loader's lock and the runtime's
// lock held.

uint64_t identityOf(const FoundModule &found);
// Whether a module that is loaded is the same build at the same address.
bool isStill(const Module *module, const FoundModule &found);
// Gives the module sites: new ones, or those that it had before it was closed.
// nullptr: no memory.
Module *adoptModule(const FoundModule &found);
// Notes once more that a module came. No memory: as for makeCodeSites().
void arriveAgain(Module *module);
// Notes that the module is no longer loaded. None of its sleds is on, because a
// module with such a sled is pinned.
void closeModule(Module *module);

// Grows whenever a module comes or goes. What was selected in one epoch is
// valid in that epoch only. Under the lock.
extern uint64_t epoch TPRT_HIDDEN;

// Makes the sites of a patchable module. The caller has pinned the module.
// Under the lock.
void readPatchableSites(Module *module);
// Makes the sites of a code module, whose `code` is filled in. False: there is
// no memory for its sites, and it stays unread.
bool makeCodeSites(Module *module);
// Makes an inner module of these instructions. False: no memory.
bool adoptInner(Module *outer, InnerCode &inside);

} // namespace tprt

#endif
