// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic loader's view of the process. Everything here takes the loader's
// lock, so nothing here may be called with the runtime's lock held: a
// constructor run by dlopen holds the loader's and may ask for ours.
#ifndef TPRT_OS_LOADER_H
#define TPRT_OS_LOADER_H

#include "core/sites.h"

namespace tprt {

// References that keep modules loaded, by load address.
struct Pin {
  uint64_t base;
  void
      *handle; // nullptr: cannot be unloaded (the executable, a static program)
};

// Lists the modules that have a table (foreign: and all others), each pinned so
// that it is still there when the list is used. *generation grows with each
// load and unload. False: no memory. Modules in other namespaces (dlmopen) are
// not seen: dl_iterate_phdr (3) reports the caller's own.
bool walkModules(Array<FoundModule> &found, Array<Pin> &pins, bool foreign,
                 uint64_t *generation);

// The number that walkModules() would give, for little.
uint64_t moduleGeneration();

void unpin(Array<Pin> &pins);

} // namespace tprt

#endif
