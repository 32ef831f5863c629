// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with a probe at their entry, and not at their exits. They were
// built without -ftp-exit, no probe can take one of their exits, or they never
// return. Not every call of theirs can be seen to end.
#ifndef TPRT_TIMING_MISSING_EXITS_H
#define TPRT_TIMING_MISSING_EXITS_H

#include "tprt/tprt.h"

namespace tprt {

// Finds the functions that a probe is attached to at their entries, but at no
// exit. Calls tell(site, data) for each such entry. Under the lock.
void findWithoutExits(const tprt_probe *probe,
                      void (*tell)(const tprt_site *entry, void *data),
                      void *data);

// Returns OK if there is no such function. Otherwise fails with PARTIAL and a
// text, which says of these functions' calls what becomes of them:
// `consequence`, a phrase that follows "their calls". Without the lock.
tprt_status explainWithoutExits(const tprt_probe *probe,
                                const char *consequence);

// Whether the function with this entry has exits, and probes can take all of
// them. It may be asked while the attach goes on; an answer about code without
// sleds is certain only after it. May be called in a hit.
bool hasExit(const tprt_site *entry);

} // namespace tprt

#endif
