// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the folders below probes/ ask of pending probes. Defined in
// probes/pending_probes.cpp. Under the lock.
#ifndef TPRT_LOADER_AWAITED_H
#define TPRT_LOADER_AWAITED_H

#include "base/visibility.h"
#include "modules/module.h"

namespace tprt {

struct Awaited {
  // Notes that a module arrived, for pending probes to look at. Returns false
  // if there is no memory.
  bool (*noteArrival)(Module *module, bool again);
  // Whether some pending probe asks for this module's code: `asks` gets the
  // members of the probe's selector, and the module.
  bool (*isAwaited)(const Module *module,
                    bool (*asks)(uint32_t flags, const char *modulePattern,
                                 const void *address, const Module *module));
};
extern const Awaited awaited TPRT_HIDDEN;

} // namespace tprt

#endif
