// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. All but selectorFault() and
// splitAtModule() under the lock.
#ifndef TPRT_CORE_SELECT_H
#define TPRT_CORE_SELECT_H

#include "core/sites.h"

namespace tprt {

// A tprt_selector with strings of its own, `module!function` taken apart.
// Trivial: it lives in probes and on stacks, freed by freePattern().
struct Pattern : tprt_selector {
  char *text;
  size_t textBytes;

  // Modules that come later may have sites for it.
  bool mayGrow() const {
    return !sites && !address && !(flags & TPRT_SELECT_LOADED);
  }
};

// nullptr, or what is wrong with it.
const char *selectorFault(const tprt_selector *selector);
// The '!' between module and function, or nullptr. One inside brackets or of a
// C++ operator's name is not it.
const char *splitAtModule(const char *text);

// False: no memory. The selector has no fault.
bool readSelector(const tprt_selector *selector, Pattern &out);
void freePattern(Pattern &pattern);

// Adds the sites of all loaded modules, or of one, in order of address within
// each module. False: no memory.
bool selectSites(const Pattern &pattern, Array<uint32_t> &out);
bool selectFromModule(const Pattern &pattern, Module *module,
                      Array<uint32_t> &out);
// For a pattern that selects nothing: the status, with the reason.
tprt_status explainNothing(const Pattern &pattern);

} // namespace tprt

#endif
