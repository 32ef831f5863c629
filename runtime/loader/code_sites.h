// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of code modules (code/code_modules.h) whose code has been read.
#ifndef TPRT_LOADER_CODE_SITES_H
#define TPRT_LOADER_CODE_SITES_H

#include "modules/module.h"

namespace tprt {

// Whether the instructions of a code module, and of its inner modules, are
// unchanged in memory since they were read. Called under the lock.
bool hasSameCode(const Module *module);

// Fills in the sites of a code module. Called under the lock.
void fillCode(Module *module, tprt_site *out);

} // namespace tprt

#endif
