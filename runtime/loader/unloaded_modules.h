// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that are not loaded. Such a module is kept, with its sites and stubs,
// for when it comes back. What it has may also serve another module: its
// structure, and its range of the array of sites. Called under the lock.
#ifndef TPRT_LOADER_UNLOADED_MODULES_H
#define TPRT_LOADER_UNLOADED_MODULES_H

#include "modules/module.h"

namespace tprt {

// Keeps a module that is not loaded any more.
void putAside(Module *module);
// The module, if it was kept. nullptr: it was not, or its table was refused.
Module *takeClosed(const FoundModule &found);

// Frees the stubs and islands of closed modules that lay where this new module
// lies, or that are of the same file. Another build of a library may need the
// same places for its islands, and programs may load new builds for ever.
void clearOld(const Module *module);

// An empty structure for a module that was not here before. nullptr: no memory.
Module *takeCleared();
// Gives back a structure of which not everything could be filled in.
void discard(Module *module);

// Gives the module, which has no range of sites yet, room for `count` sites.
// The count is what is left after the tables were checked: a range chosen by
// what a bad table says would never fit the next module with the same table.
enum class Room { Made, TooManySites, NoMemory };
Room makeRoom(Module *module, uint64_t count);

} // namespace tprt

#endif
