// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of modules, and how modules are added and removed. These functions
// are called under the lock, unless a comment says otherwise.
#ifndef TPRT_LOADER_MODULE_LIST_H
#define TPRT_LOADER_MODULE_LIST_H

#include "modules/module.h"

namespace tprt {

// Makes the runtime usable. Every entry point calls this function, without the
// lock. Later calls do nothing.
bool initialise();

// Why the last refused sled table was refused: a sentence that names the
// module, and the status to return.
struct TableRefusal {
  tprt_status status;
  char text[400];
};
extern TableRefusal lastRefusal;
// How many loaded modules have a table that was refused for lack of memory.
extern size_t scarceModules TPRT_HIDDEN;

// A walk of the loader calls these functions for the modules that it finds, and
// for modules that are no longer in the loader's list. Called with both the
// loader's lock and the runtime's lock held.

uint64_t identityOf(const FoundModule &found);
// Whether a loaded module is the same build at the same address.
bool isStill(const Module *module, const FoundModule &found);
// Gives the module new sites, or the sites that it had before it was closed.
// Returns nullptr if there is no memory.
Module *adoptModule(const FoundModule &found);
// Notes once more that a module was loaded. If there is no memory, the effect
// is the same as for makeCodeSites().
void arriveAgain(Module *module);
// Notes that the module is no longer loaded. None of its sleds is on, because a
// module with an enabled sled is pinned.
void closeModule(Module *module);

// Incremented whenever a module is loaded or unloaded. A selection is valid
// only in the epoch in which it was made. Used under the lock.
extern uint64_t epoch TPRT_HIDDEN;

// Makes the sites of a patchable module. The caller has pinned the module.
// Called under the lock.
void readPatchableSites(Module *module);
// Makes the sites of a code module, whose `code` is filled in. Returns false if
// there is no memory for its sites; the module then stays unread.
bool makeCodeSites(Module *module);
// Makes an inner module of these instructions. Returns false if there is no
// memory.
bool adoptInner(Module *outer, InnerCode &inside);

} // namespace tprt

#endif
