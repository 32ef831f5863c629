// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of sites, from the table or from the symbols of the module's file.
// Under the lock, except nameOf() where the module's `readers` keep them.
#ifndef TPRT_CORE_SYMBOLS_H
#define TPRT_CORE_SYMBOLS_H

#include "core/module.h"

namespace tprt {

// Set by readSymbols(); nullptr: none.
const char *nameOf(const tprt_site &site);

// Reads the symbols of a module's file once and names its sites.
void readSymbols(Module *module);
// First place in byFunction of a function at `address` or behind it, or
// siteCount.
uint32_t functionFrom(const Module *module, uint64_t address);

} // namespace tprt

#endif
