// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe: an action on a set of sites.
#ifndef TPRT_CORE_PROBE_H
#define TPRT_CORE_PROBE_H

#include "core/memory.h"
#include "os/linux/loader.h"
#include "tprt/tprt.h"

struct tprt_probe {
  tprt_action action;
  tprt::Array<uint32_t> sites;     // indexes, ascending within a module
  tprt::Array<uint64_t> baselines; // of a counting probe: the sites' counters at attachment
  tprt::Array<tprt::Pin> pins;     // the modules of these sites
  bool detached;                   // no new hits; waiting for the last ones
};

namespace tprt {

// Walks the loader and adopts what it finds; the modules with tables stay
// pinned by `pins`, which the caller gives back with unpin(). Without the lock.
tprt_status refreshModules(Array<Pin> &pins);

// Does nothing; whoever calls it has start.cpp's constructor linked in from the
// static library.
void requireStart();

// Reads TPRT_OPTIONS; called once when the library is loaded.
void startOptions();

} // namespace tprt

#endif
