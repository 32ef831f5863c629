// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patchable modules: modules without a sled table of tp that GCC or clang built
// with -fpatchable-function-entry. Called under the lock.
#ifndef TPRT_ELF_PATCHABLE_ENTRIES_H
#define TPRT_ELF_PATCHABLE_ENTRIES_H

#include "sites/site.h"

namespace tprt {

// Stores the address of the module's section of entries, and returns the number
// of entries, or 0 if there is no such section. Reads the section headers of
// the module's file.
uint32_t findPatchable(const Module *module, const uint64_t **entries);

// Fills in one site per entry. The sites are in no particular order.
void fillPatchable(Module *module, const uint64_t *entries, uint32_t count,
                   tprt_site *out);

// Called when the sites are in order and have names. Stores the sites' nops in
// the module. Refuses each site at which no symbol shows the beginning of a
// function.
void finishPatchable(Module *module);

} // namespace tprt

#endif
