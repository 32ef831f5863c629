// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader of code has to know about a module beforehand, and which
// memory it may read. Used by attach and visit, on any thread; each function
// says whether its caller has the lock.
#ifndef TPRT_CODE_DECODE_INPUTS_H
#define TPRT_CODE_DECODE_INPUTS_H

#include "code/code_modules.h"
#include "elf/mcount_calls.h"

namespace tprt {

// What the reader is given beside the module's own facts.
struct Hints {
  Array<uint32_t> kept; // CodeView::kept
  // What of that the program has written, or may write at any time.
  Array<uint32_t> written;
  Array<CodeSymbol> symbols;
  ProfilerHints profilers;
  // The bytes, as they were, of what libtprt may have changed, and of
  // breakpoints that others have set.
  Array<CodePatch> patches;

  bool knowProfilers() const {
    for (const CodeSymbol &symbol : symbols)
      if (symbol.profiler != Profiler::None)
        return true;
    return !profilers.words.empty() || !profilers.calls.empty();
  }

  // The view refers to the hints and to `readable`.
  CodeView view(const Module *module, const Array<Segment> &readable) const;
};

// Fills in the hints. `hints.patches` has what libtprt may have changed; the
// breakpoints are added. Under the lock. False: no memory.
bool findHints(Module *module, Hints &hints);
// Lists what the reader may read of a pinned module. Without the lock. False:
// no memory.
bool findReadable(const Module *module, Array<Segment> &out);

// Opened by prepareCode().
const CodeReader *codeReader();

} // namespace tprt

#endif
