// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules without a table of tp's that GCC or clang built with
// -fpatchable-function-entry. Under the lock.
#ifndef TPRT_CORE_FOREIGN_H
#define TPRT_CORE_FOREIGN_H

#include "core/plain/site.h"

namespace tprt {

// Where such a module's section of addresses lies in memory, and how many; 0
// where there is none. Reads the section headers of its file.
uint32_t findForeign(const Module *module, const uint64_t **entries);

// Fills one site an entry, in no order.
void fillForeign(Module *module, const uint64_t *entries, uint32_t count,
                 tprt_site *out);

// Once the sites are in order and have names: keeps their nops, and refuses
// those where no symbol says that a function starts there.
void finishForeign(Module *module);

} // namespace tprt

#endif
