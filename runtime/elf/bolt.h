// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that llvm-bolt has rewritten. In its relocation mode (for a file
// linked with --emit-relocs), BOLT copies functions to new addresses. The old
// code, with its sleds, remains in a section that BOLT calls .bolt.org.text,
// and tables still refer to this section. The old code is no longer executed,
// so flipping such a sled would seem to succeed and have no effect. Functions
// that BOLT does not move remain in that section, are executed there, and keep
// their symbols. Called under the lock.
#ifndef TPRT_ELF_BOLT_H
#define TPRT_ELF_BOLT_H

#include "sites/site.h"

namespace tprt {

// Whether some of the module's functions may have been moved. The first call
// reads the module's file.
bool isBolted(Module *module);
// Whether BOLT moved the code of this site, which must be in such a module.
bool movedByBolt(const tprt_site &site);

// Whether BOLT rewrote the module at all, in any mode. Used in error texts.
bool sawBolt(const Module *module);

} // namespace tprt

#endif
