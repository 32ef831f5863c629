// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of code modules (code/code_modules.h) whose code has been read.
#ifndef TPRT_LOADER_CODE_SITES_H
#define TPRT_LOADER_CODE_SITES_H

#include "modules/module.h"

namespace tprt {

// Whether the instructions that were read from a code module, and from its
// inner modules, are still those in memory. Under the lock.
bool hasSameCode(const Module *module);

// Fills in the sites of a code module. Under the lock.
void fillCode(Module *module, tprt_site *out);

} // namespace tprt

#endif
