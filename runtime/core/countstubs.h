// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting stubs: the second stub of a site whose only action is to count. The
// sled leads to it, and it counts without a call. Its word says whether it may;
// else it goes on to the usual stub, so that whichever of the two a thread is
// on its way to is right at any time. Made when somebody counts, a page at a
// time; never unmapped as long as the module is loaded. Under the lock.
#ifndef TPRT_CORE_COUNTSTUBS_H
#define TPRT_CORE_COUNTSTUBS_H

#include "core/arch.h"

namespace tprt {

struct CountRegion {
  uint64_t code;       // one stub a site
  int32_t *words;      // one a site: countWord(), or 0: no counting
  size_t bytes;        // all of it
  Array<uint8_t> made; // by page of code, see makePages()
};

// For those sites of the batch that can have one; they stay without where there
// is no room for them.
void makeCountStubs(Module *module, const uint32_t *batch, size_t count);
void freeCountStubs(Module *module);
size_t countStubBytes();

// 0: it has none.
uint64_t countStubOf(const tprt_site &site);

// A site's word is its alone: written with its chain.
void letCount(const tprt_site &site, bool may);

} // namespace tprt

#endif
