// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. All but selectorFault() and
// splitAtModule() under the lock.
#ifndef TPRT_CORE_SELECT_H
#define TPRT_CORE_SELECT_H

#include "core/glob.h"
#include "core/module.h"

namespace tprt {

// In a selector's flags, for selectors of TPRT_OPTIONS: it leaves out what
// these patterns match when it is read, `module!function` among them.
constexpr uint32_t kSelectWithoutExcluded = 1u << 31;
extern const char *const *excludedNames TPRT_HIDDEN;
extern size_t excludedCount TPRT_HIDDEN;

// A tprt_selector with strings of its own, `module!function` taken apart.
// Trivial: it lives in probes and on stacks, freed by freePattern().
struct Pattern : tprt_selector {
  char *text;
  size_t textBytes;
  const char *const *excluded;
  size_t excludedCount;

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
bool copyPattern(const Pattern &pattern, Pattern &out);
void freePattern(Pattern &pattern);

// The functions whose demangled name a pattern matches. Found without the lock,
// as the C++ library's demangler allocates from the program's allocator.
class CppNames {
public:
  // Looks at all modules that the pattern may match, or those of a list that is
  // read under the lock, except those it has looked at already. Without the
  // lock. False: no memory.
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
  // Indexes into a module's symbols, ascending.
  Array<uint32_t> symbols, excluded;
  mutable size_t hint = 0; // modules are asked for in the order of the parts
};

enum class Selected {
  All,
  Again, // a module came after the names were found
  NoMemory
};

// Adds the sites of all loaded modules, or of one, in order of address within
// each module. Where `again` is false, modules without names count as ones
// without C++ names.
Selected selectSites(const Pattern &pattern, const CppNames &names, bool again,
                     Array<uint32_t> &out);
Selected selectFromModule(const Pattern &pattern, const CppNames &names,
                          bool again, Module *module, Array<uint32_t> &out);
// For a pattern that selects nothing: the status, with the reason.
tprt_status explainNothing(const Pattern &pattern, const CppNames &names);

} // namespace tprt

#endif
