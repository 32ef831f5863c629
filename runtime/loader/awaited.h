// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rooms below the probes ask of pending probes. Defined where these
// are: probes/pending_probes.cpp. Under the lock.
#ifndef TPRT_LOADER_AWAITED_H
#define TPRT_LOADER_AWAITED_H

#include "base/visibility.h"
#include "modules/module.h"

namespace tprt {

struct Awaited {
  // Notes that a module came, for pending probes to look at. False: no memory.
  bool (*noteArrival)(Module *module, bool again);
  // Whether some pending probe asks for this module's code: `asks` gets what
  // its selector says, and the module.
  bool (*isAwaited)(const Module *module,
                    bool (*asks)(uint32_t flags, const char *modulePattern,
                                 const void *address, const Module *module));
};
extern const Awaited awaited TPRT_HIDDEN;

} // namespace tprt

#endif
