// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors as the runtime keeps them. Everything except selectorFault() is
// used under the lock.
#ifndef TPRT_SELECT_SELECT_H
#define TPRT_SELECT_SELECT_H

#include "modules/module.h"
#include "names/match.h"
#include "names/path_glob.h"

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

class FoundNames;

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
// Adds an offset of each function of a code module of which the pattern asks
// for an instruction. Under the lock. False: no memory.
bool findAskedFunctions(const Pattern &pattern, const FoundNames &names,
                        Module *outer, Array<uint32_t> &out);

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

// The functions whose names a pattern matches. They are found without the lock,
// because to make the names of a hundred thousand functions readable takes some
// tenths of a second.
class FoundNames {
public:
  // Looks at all modules that the pattern may match, or at those in `of`, a
  // list that is read under the lock. Skips modules that it has looked at
  // already. Called without the lock. False: no memory.
  bool find(const Pattern &pattern, const Array<Arrival> *of = nullptr);
  // Whether some function's name is the text of the pattern itself, though it
  // is a glob, too. Then the pattern selects no other function.
  bool isWhole() const { return whole; }

private:
  friend struct NameMatcher;
  struct Part {
    const Module *module;
    uint64_t adopted;
    size_t begin, end; // of symbols
    size_t excludedBegin, excludedEnd;
  };
  struct Match {
    uint32_t symbol;
    uint16_t pattern; // of the excluded ones
    bool isWhole;
  };
  const Part *partOf(const Module *module) const;
  bool look(const Pattern &pattern, const Module *module,
            struct Comparing &names);
  void keepWhole();

  Array<Part> parts;
  // Ascending indexes into a module's symbols, and by which pattern.
  Array<Match> symbols, excluded;
  bool whole = false;
  mutable size_t hint = 0; // Modules are asked for in the order of the parts.
};

enum class Selected {
  All,
  Again, // A module came after the names were found.
  NoMemory
};

// These add the sites of all loaded modules, or of one, in order of address
// within each module. If `again` is false, modules that `names` has not looked
// at are compared with linked names alone.
Selected selectSites(const Pattern &pattern, const FoundNames &names,
                     bool again, Array<uint32_t> &out);
Selected selectFromModule(const Pattern &pattern, const FoundNames &names,
                          bool again, Module *module, Array<uint32_t> &out);
// Whether sites of this module can match, as far as its name and state tell.
bool mayMatch(const Pattern &pattern, const Module *module);
// Called for a pattern that selects nothing. Returns the status and explains
// the reason. In no_match.cpp.
tprt_status explainNothing(const Pattern &pattern, const FoundNames &names);

} // namespace tprt

#endif
