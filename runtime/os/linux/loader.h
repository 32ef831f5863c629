// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic loader's view of the process. Everything here takes the loader's
// locks, so nothing here may be called with the runtime's lock held: a
// constructor run by dlopen holds the loader's and may ask for ours.
#ifndef TPRT_OS_LOADER_H
#define TPRT_OS_LOADER_H

#include "core/sites.h"

namespace tprt {

// A reference that keeps a module loaded.
struct Pin {
  uint64_t base;
  void *handle; // nullptr: the module could not be pinned
};

// Brings the list of modules up to date: what came since the last walk is
// adopted, what went is closed. Costs next to nothing where neither happened.
// Else its cost grows with what came, and by some nanoseconds per loaded
// module. What is needed of a module's memory is read while the loader's lock
// keeps it there, so nothing is pinned. With `foreign`, modules without a table
// come as well (core/foreign.h). False: no memory; the next walk goes on.
// Modules in other namespaces (dlmopen) are not seen: dl_iterate_phdr (3)
// reports the caller's own.
bool walkModules(bool foreign);

// Whether this module can go: not the program itself, nor one without a loader.
bool mayGo(const Module *module);

// Keeps a module loaded. The caller looks at the list of modules afterwards, by
// walkModules(): it may have gone before. May wait for a dlopen or dlclose of
// another thread, constructors and destructors included.
Pin pinModule(const Module *module);

// May run the modules' destructors.
void unpin(const Pin &pin);
void unpin(Array<Pin> &pins);

} // namespace tprt

#endif
