// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of code modules (code/code_modules.h), once their code was read.
#ifndef TPRT_LOADER_CODE_SITES_H
#define TPRT_LOADER_CODE_SITES_H

#include "modules/module.h"

namespace tprt {

// Whether the instructions that were read of a code module, and of its inner
// modules, are those in memory. Under the lock.
bool hasSameCode(const Module *module);

// Fills in the sites of a code module. Under the lock.
void fillCode(Module *module, tprt_site *out);

} // namespace tprt

#endif
