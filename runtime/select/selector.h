// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. All functions except selectorFault() are
// called under the lock.
#ifndef TPRT_SELECT_SELECTOR_H
#define TPRT_SELECT_SELECTOR_H

#include "modules/module.h"

namespace tprt {

// A flag for selectors from TPRT_OPTIONS. When such a selector is read,
// everything that the patterns of excludedNames match is excluded, including
// patterns of the form `module!function`.
constexpr uint32_t kSelectWithoutExcluded = 1u << 31;
extern const char *const *excludedNames TPRT_HIDDEN;
// Another flag for TPRT_OPTIONS: the selector also finds sites of kind
// kLoneTest. Used only for a visit that checks whether there are such sites.
constexpr uint32_t kSelectLoneTests = 1u << 30;
extern size_t excludedCount TPRT_HIDDEN;

// A tprt_selector that owns its strings, with `module!function` split into its
// parts. Pattern is a trivial type, because patterns lie in probes and on
// stacks. freePattern() frees it.
struct Pattern : tprt_selector {
  char *text;
  size_t textBytes;
  const char *const *excluded;
  size_t excludedCount;
  // The pattern requests single instructions: at the address, at the offset in
  // their function, or where code of the line begins. If false, the pattern
  // requests all of a function.
  bool isPlaced, hasOffset;
  // In a probe: FoundNames::isWhole() at its first attach.
  bool isWhole;
  uint64_t offset;
  uint32_t line; // 0: none

  // Whether modules that are loaded later may have sites for this pattern.
  bool mayGrow() const {
    return isByPattern() && !(flags & TPRT_SELECT_LOADED);
  }
  bool isByPattern() const { return !sites && !address && !point; }
};

// The address that a selector contains as `address` or as the function's name,
// or nullptr if there is none.
const void *addressIn(const tprt_selector *selector);
// Whether the selector requests single instructions.
bool asksForInstructions(const tprt_selector *selector);

// A message about the selector's fault, or nullptr if it has none.
const char *selectorFault(const tprt_selector *selector);

// Whether the pattern selects functions by their names. "*" selects all
// functions, with or without a name.
bool isByName(const Pattern &pattern);
// Whether the pattern compares names, to select or to exclude.
bool asksForNames(const Pattern &pattern);
// The part of an excluded pattern that applies to the names in this module, or
// nullptr. The part does not contain "point:".
const char *excludedOf(const char *excluded, const Module *module);
// Whether an excluded pattern begins with "point:".
bool isForPointsAlone(const char *excluded);

// The name in the object that TPRT_POINT() makes. Returns nullptr if no loaded
// module with sites has such an object at this address.
const char *nameOfPoint(const void *point);
// Whether this module contains the address of the point's object.
bool hasPoint(const Module *module, const void *point);

// Returns false if there is no memory. The caller has checked that the selector
// has no fault.
bool readSelector(const tprt_selector *selector, Pattern &out);
bool copyPattern(const Pattern &pattern, Pattern &out);
void freePattern(Pattern &pattern);

} // namespace tprt

#endif
