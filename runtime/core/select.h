// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. Everything except selectorFault() and
// splitAtModule() is used under the lock.
#ifndef TPRT_CORE_SELECT_H
#define TPRT_CORE_SELECT_H

#include "core/glob.h"
#include "core/module.h"

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

class CppNames;

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
// Adds an offset of each function of a code module of which the pattern asks
// for an instruction. Under the lock. False: no memory.
bool findAskedFunctions(const Pattern &pattern, const CppNames &names,
                        Module *outer, Array<uint32_t> &out);

// nullptr, or what is wrong with the selector.
const char *selectorFault(const tprt_selector *selector);
// The '!' between module and function, or nullptr. A '!' inside brackets or in
// the name of a C++ operator is not taken for it.
const char *splitAtModule(const char *text);

// The name in the object that TPRT_POINT() makes. nullptr: no loaded module
// with sites has such an object there.
const char *nameOfPoint(const void *point);
// Whether that object would lie in this module.
bool hasPoint(const Module *module, const void *point);

// False: no memory. The caller has checked that the selector has no fault.
bool readSelector(const tprt_selector *selector, Pattern &out);
bool copyPattern(const Pattern &pattern, Pattern &out);
void freePattern(Pattern &pattern);

// The functions whose demangled names a pattern matches. They are found without
// the lock, because the C++ library's demangler allocates from the program's
// allocator.
class CppNames {
public:
  // Looks at all modules that the pattern may match, or at those in `of`, a
  // list that is read under the lock. Skips modules that it has looked at
  // already. Called without the lock. False: no memory.
  bool find(const Pattern &pattern, const Array<Arrival> *of = nullptr);

private:
  friend struct NameMatcher;
  struct Part {
    const Module *module;
    uint64_t adopted;
    size_t begin, end; // of symbols
    size_t excludedBegin, excludedEnd;
  };
  const Part *partOf(const Module *module) const;

  Array<Part> parts;
  // Ascending indexes into a module's symbols.
  Array<uint32_t> symbols, excluded;
  mutable size_t hint = 0; // Modules are asked for in the order of the parts.
};

enum class Selected {
  All,
  Again, // A module came after the names were found.
  NoMemory
};

// These add the sites of all loaded modules, or of one, in order of address
// within each module. If `again` is false, modules that `names` has not looked
// at count as modules without C++ names.
Selected selectSites(const Pattern &pattern, const CppNames &names, bool again,
                     Array<uint32_t> &out);
Selected selectFromModule(const Pattern &pattern, const CppNames &names,
                          bool again, Module *module, Array<uint32_t> &out);
// Whether sites of this module can match, as far as its name and state tell.
bool mayMatch(const Pattern &pattern, const Module *module);
// Called for a pattern that selects nothing. Returns the status and explains
// the reason. In explain.cpp.
tprt_status explainNothing(const Pattern &pattern, const CppNames &names);

} // namespace tprt

#endif
