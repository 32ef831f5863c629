// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the loader's list to the list of modules. Takes the loader's lock, so it
// may not be called with the runtime's lock held. Thread-safe.
#ifndef TPRT_CORE_WALKMODULES_H
#define TPRT_CORE_WALKMODULES_H

namespace tprt {

// Brings the list of modules up to date: what came since the last walk is
// adopted, what went is closed. Costs next to nothing where neither happened.
// Else its cost grows with what came, and by some nanoseconds per loaded
// module. What is needed of a module's memory is read while the loader's lock
// keeps it there, so nothing is pinned. With `foreign`, modules without a table
// come as well (foreign.h). False: no memory; the next walk goes on.
bool walkModules(bool foreign);

} // namespace tprt

#endif
