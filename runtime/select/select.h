// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites that a pattern selects. Used under the lock, except for
// FoundNames::find().
#ifndef TPRT_SELECT_SELECT_H
#define TPRT_SELECT_SELECT_H

#include "names/match.h"
#include "names/path_glob.h"
#include "select/selector.h"

namespace tprt {

// The functions whose names a pattern matches. The functions are found without
// the lock, because demangling the names of a hundred thousand functions takes
// some tenths of a second.
class FoundNames {
public:
  // Examines all modules that the pattern may match, or only the modules in the
  // list `of`, which is read under the lock. Skips modules that were already
  // examined. Called without the lock. Returns false if there is no memory.
  bool find(const Pattern &pattern, const Array<Arrival> *of = nullptr);
  // Whether some function's name is equal to the pattern's text, although the
  // pattern is also a glob. In that case, the pattern selects no other
  // function.
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
  // Ascending indexes into a module's symbols, each with the pattern that
  // matched.
  Array<Match> symbols, excluded;
  bool whole = false;
  mutable size_t hint = 0; // Modules are usually looked up in the order of the
                           // parts.
};

enum class Selected {
  All,
  Again, // A module was loaded after the names were found.
  NoMemory
};

// These functions add the sites of all loaded modules, or of one module, in
// order of address within each module. If `again` is false, only linked names
// are compared in modules that `names` has not examined.
Selected selectSites(const Pattern &pattern, const FoundNames &names,
                     bool again, Array<uint32_t> &out);
Selected selectFromModule(const Pattern &pattern, const FoundNames &names,
                          bool again, Module *module, Array<uint32_t> &out);
// For each function of a code module in which the pattern requests an
// instruction, adds an offset. Called under the lock. Returns false if there is
// no memory.
bool findAskedFunctions(const Pattern &pattern, const FoundNames &names,
                        Module *outer, Array<uint32_t> &out);
// Whether sites of this module can match, according to the module's name and
// state.
bool mayMatch(const Pattern &pattern, const Module *module);

} // namespace tprt

#endif
