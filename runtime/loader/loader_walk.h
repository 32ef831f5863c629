// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the runtime's list of modules up to date with the loader's. Takes the
// loader's lock, so it may not be called with the runtime's lock held.
// Thread-safe.
#ifndef TPRT_LOADER_LOADER_WALK_H
#define TPRT_LOADER_LOADER_WALK_H

namespace tprt {

// Brings the list of modules up to date: modules that came since the last walk
// are adopted, modules that went are closed. If neither happened, the cost is
// close to nothing. Otherwise the cost grows with the modules that came, and by
// some nanoseconds per loaded module. What is needed of a module's memory is
// read while the loader's lock keeps the module loaded, so nothing is pinned.
// With `patchable`, modules without a table are adopted as well
// (patchable_entries.h).
// False: no memory; the next walk continues.
bool walkModules(bool patchable);

// From now on walks adopt code modules as well (code/code_modules.h).
void walkForCode();

} // namespace tprt

#endif
