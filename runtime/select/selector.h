// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. Everything except selectorFault() is
// used under the lock.
#ifndef TPRT_SELECT_SELECTOR_H
#define TPRT_SELECT_SELECTOR_H

#include "modules/module.h"

namespace tprt {

// A flag for selectors that come from TPRT_OPTIONS. When such a selector is
// read, it leaves out everything that the patterns of excludedNames match,
// patterns of the form `module!function` included.
constexpr uint32_t kSelectWithoutExcluded = 1u << 31;
extern const char *const *excludedNames TPRT_HIDDEN;
// A flag of TPRT_OPTIONS, too: the selector also finds sites of kind kLoneTest.
// Only for a visit that asks whether there are any.
constexpr uint32_t kSelectLoneTests = 1u << 30;
extern size_t excludedCount TPRT_HIDDEN;

// A tprt_selector that owns its strings, with `module!function` split into its
// parts. It is a trivial type, because it lives in probes and on stacks.
// freePattern() frees it.
struct Pattern : tprt_selector {
  char *text;
  size_t textBytes;
  const char *const *excluded;
  size_t excludedCount;
  // It asks for single instructions: those at the address, at the offset in
  // their function, or where code of the line begins; else all of a function.
  bool isPlaced, hasOffset;
  // A probe's: FoundNames::isWhole() of what it was attached to first.
  bool isWhole;
  uint64_t offset;
  uint32_t line; // 0: none

  // Whether modules that are loaded later may have sites for this pattern.
  bool mayGrow() const {
    return isByPattern() && !(flags & TPRT_SELECT_LOADED);
  }
  bool isByPattern() const { return !sites && !address && !point; }
};

// The address that a selector gives as `address`, or as the function's name;
// nullptr: none.
const void *addressIn(const tprt_selector *selector);
// Whether it asks for single instructions.
bool asksForInstructions(const tprt_selector *selector);

// nullptr, or what is wrong with the selector.
const char *selectorFault(const tprt_selector *selector);

// The name in the object that TPRT_POINT() makes. nullptr: no loaded module
// with sites has such an object there.
const char *nameOfPoint(const void *point);
// Whether that object would lie in this module.
bool hasPoint(const Module *module, const void *point);

// False: no memory. The caller has checked that the selector has no fault.
bool readSelector(const tprt_selector *selector, Pattern &out);
bool copyPattern(const Pattern &pattern, Pattern &out);
void freePattern(Pattern &pattern);

} // namespace tprt

#endif
