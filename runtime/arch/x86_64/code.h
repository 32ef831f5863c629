// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sled.cpp and code.cpp share. Called under the lock.
#ifndef TPRT_ARCH_CODE_H
#define TPRT_ARCH_CODE_H

#include "core/arch.h"

namespace tprt {

// Plans one store, of the whole aligned word, for a slot that leads to another
// stub of the site now.
tprt_refusal planInUse(Slot *slot);
// Whether the bytes of a slot, of which `skipped` bits are left out, are the
// jump to one of the site's other stubs.
bool leadsToAnother(const Ways &ways, uint64_t from, uint64_t now,
                    unsigned skipped);

} // namespace tprt

#endif
