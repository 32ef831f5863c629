// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unloaded modules. Such a module is kept, with its sites and stubs, until it
// is loaded again. Its structure and its range of the array of sites may also
// serve another module. Called under the lock.
#ifndef TPRT_LOADER_UNLOADED_MODULES_H
#define TPRT_LOADER_UNLOADED_MODULES_H

#include "modules/module.h"

namespace tprt {

// Keeps a module that is no longer loaded.
void putAside(Module *module);
// The module, if it was kept. nullptr: it was not, or its table was refused.
Module *takeClosed(const FoundModule &found);

// Frees the stubs and islands of closed modules of the same file, and of those
// that were where this new module is now. Another build of a library may need
// the same places for its islands, and programs may load new builds for ever.
void clearOld(const Module *module);

// An empty structure for a new module. Returns nullptr if there is no memory.
Module *takeCleared();
// Frees a structure that could not be filled in completely.
void discard(Module *module);

// Gives the module, which has no range of sites yet, room for `count` sites.
// `count` is the number after the tables were checked: a range chosen by a bad
// table's number would never fit the next module with the same table.
enum class Room { Made, TooManySites, NoMemory };
Room makeRoom(Module *module, uint64_t count);

} // namespace tprt

#endif
