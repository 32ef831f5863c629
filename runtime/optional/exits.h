// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that have an entry sled and no exit sled. They were built without
// -ftp-exit, or never return. No call of theirs can be seen to end.
#ifndef TPRT_OPTIONAL_EXITS_H
#define TPRT_OPTIONAL_EXITS_H

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

// Whether the function with this entry has an exit sled. May be called in a
// hit.
bool hasExit(const tprt_site *entry);

} // namespace tprt

#endif
