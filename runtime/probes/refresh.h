// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every call that selects sites begins with: the list of modules is
// brought up to date.
#ifndef TPRT_PROBES_REFRESH_H
#define TPRT_PROBES_REFRESH_H

#include "tprt/tprt.h"

namespace tprt {

// Brings the list of modules up to date. Attached probes are also put on the
// sites of new modules; if `later` is not nullptr, *later gets the status of
// that. If the selector asks for modules without tables, these are read, too.
// `init`: where the calling thread runs _init of a module; 0: it does not.
// Without the lock.
tprt_status refreshModules(const tprt_selector *selector = nullptr,
                           tprt_status *later = nullptr, uint64_t init = 0);

// The first steps of every call that selects sites. `inside` says whether a
// handler makes the call; `call` is the call's name, for the text of that
// failure.
tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call);

} // namespace tprt

#endif
