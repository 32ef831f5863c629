// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step of every call that selects sites: bringing the list of modules
// up to date.
#ifndef TPRT_PROBES_REFRESH_H
#define TPRT_PROBES_REFRESH_H

#include "tprt/tprt.h"

namespace tprt {

// Brings the list of modules up to date. Also attaches attached probes to
// matching sites of new modules. If `later` is not nullptr, *later receives the
// status of that attach. If the selector requests modules without tables, these
// modules are read, too. If the calling thread runs _init of a module, `init`
// identifies that module by an address. Otherwise `init` is 0. Called without
// the lock.
tprt_status refreshModules(const tprt_selector *selector = nullptr,
                           tprt_status *later = nullptr, uint64_t init = 0);

// The first steps of every call that selects sites. `inside` says whether a
// handler makes the call; `call` is the call's name, used in the error text if
// a handler makes the call.
tprt_status beginToSelect(const tprt_selector *selector, bool inside,
                          const char *call);

} // namespace tprt

#endif
