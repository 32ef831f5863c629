// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of probes/ for pending probes that lower folders need. Defined
// in probes/pending_probes.cpp. Called under the lock.
#ifndef TPRT_LOADER_AWAITED_H
#define TPRT_LOADER_AWAITED_H

#include "base/visibility.h"
#include "modules/module.h"

namespace tprt {

struct Awaited {
  // Notes that a module was loaded, so that pending probes examine the module.
  // Returns false if there is no memory.
  bool (*noteArrival)(Module *module, bool again);
  // Whether some pending probe needs this module's code: `asks` gets the
  // members of the probe's selector, and the module.
  bool (*isAwaited)(const Module *module,
                    bool (*asks)(uint32_t flags, const char *modulePattern,
                                 const void *address, const Module *module));
};
extern const Awaited awaited TPRT_HIDDEN;

} // namespace tprt

#endif
