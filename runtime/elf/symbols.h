// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of sites, from the module's table or from the symbols of its file.
// Called under the lock, except that nameOf() may be called without it while
// the module's `readers` keep the names.
#ifndef TPRT_ELF_SYMBOLS_H
#define TPRT_ELF_SYMBOLS_H

#include "modules/module.h"

namespace tprt {

// The name that readSymbols() found, or nullptr if there is none.
const char *nameOf(const tprt_site &site);

// Reads the symbols of a module's file once and names its sites.
void readSymbols(Module *module);
// Called when the loader may have loaded the module again, from its own file.
// If the module has no names because its file was missed, the next
// readSymbols() reads the file again.
void retryNames(Module *module);
// Adds the symbols of functions in a code module's file, in the file's order.
// Symbols that cannot be read are omitted. Returns false if there is no memory.
bool findFunctionSymbols(const Module *module, Array<CodeSymbol> &out);
// Whether the file has a symbol of a function, other than a cold part, whose
// linked or plain name matches.
bool hasFunctionSymbol(const Module *module, const char *glob);
// The first index in byFunction of a function at or after `address`. If there
// is none, the size of byFunction.
uint32_t functionFrom(const Module *module, uint64_t address);

} // namespace tprt

#endif
