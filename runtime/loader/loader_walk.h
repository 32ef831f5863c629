// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the runtime's list of modules up to date with the loader's. Takes the
// loader's lock, so the caller must not hold the runtime's lock. Thread-safe.
#ifndef TPRT_LOADER_LOADER_WALK_H
#define TPRT_LOADER_LOADER_WALK_H

namespace tprt {

// Brings the list of modules up to date: modules loaded since the last walk are
// adopted, and unloaded modules are closed. If no module was loaded or
// unloaded, the cost is close to zero. Otherwise, the cost is that of the new
// modules, plus some nanoseconds per loaded module. A module's memory is read
// while the loader's lock keeps the module loaded, so nothing is pinned. With
// `patchable`, modules without a table are adopted as well
// (patchable_entries.h). Returns false if there is no memory; the next walk
// continues.
bool walkModules(bool patchable);

// From now on walks adopt code modules as well (code/code_modules.h).
void walkForCode();

} // namespace tprt

#endif
