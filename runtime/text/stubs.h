// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes stubs when they are first needed, a page at a time: every stub of a
// page is written, then the page becomes executable, and only then can a sled
// lead to the page. Used under the lock.
#ifndef TPRT_TEXT_STUBS_H
#define TPRT_TEXT_STUBS_H

#include "text/stub_regions.h"

namespace tprt {

// Makes sure that each site in `batch` has a stub of this kind, if the site can
// have one and there is memory within its reach. All of the sites belong to
// `module`. The general stubs must be made first. Returns false if some stubs
// could not be made.
bool makeStubs(Module *module, StubKind kind, const uint32_t *batch,
               size_t count);

// Finds places for the module's general stubs, and for the stubs of this kind
// that the sites in `batch` can have, if they have none. makeStubs() also does
// this. The islands of puns (pun_islands.h) lie scattered within reach of the
// code, and would leave no room that is large enough. So all places are found
// before the first island.
void reserveStubs(Module *module, StubKind kind, const uint32_t *batch,
                  size_t count);

} // namespace tprt

#endif
