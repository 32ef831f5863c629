// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that llvm-bolt has rewritten. In its relocation mode (a file linked
// with --emit-relocs) BOLT copies functions to new places and leaves the old
// code, with our sleds, in a section that it calls .bolt.org.text. Tables still
// lead there, where nothing runs any more, so that to flip such a sled would
// look as if all were well. Functions that BOLT leaves alone stay there too,
// and run there: those have kept their symbols. Under the lock.
#ifndef TPRT_CORE_BOLT_H
#define TPRT_CORE_BOLT_H

#include "core/plain/site.h"

namespace tprt {

// Whether some of the module's functions may have been moved. Looks into the
// module's file the first time.
bool isBolted(Module *module);
// Whether BOLT moved the code that this site of such a module leads to.
bool movedByBolt(const tprt_site &site);

// Whether BOLT was there at all, in whatever mode. For reasons in words.
bool sawBolt(const Module *module);

} // namespace tprt

#endif
