// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unloaded modules. An unloaded module is kept, with its sites and stubs, until
// it is loaded again. Another module may also reuse its structure and its range
// of the array of sites. Called under the lock.
#ifndef TPRT_LOADER_UNLOADED_MODULES_H
#define TPRT_LOADER_UNLOADED_MODULES_H

#include "modules/module.h"

namespace tprt {

// Keeps a module that is no longer loaded.
void putAside(Module *module);
// Returns the kept module, or nullptr if it was not kept or if its table was
// refused.
Module *takeClosed(const FoundModule &found);

// Frees the stubs and islands of closed modules that have the new module's
// file, or that were at its address. Another build of a library may need the
// same addresses for its islands, and a program may load many new builds.
void clearOld(const Module *module);

// Returns an empty structure for a new module, or nullptr if there is no
// memory.
Module *takeCleared();
// Frees a structure that could not be filled in completely.
void discard(Module *module);

// Gives the module, which has no range of sites yet, room for `count` sites.
// `count` is the number of sites after the tables were checked. A range for the
// number in a bad table would never fit the next module with the same table.
enum class Room { Made, TooManySites, NoMemory };
Room makeRoom(Module *module, uint64_t count);

} // namespace tprt

#endif
