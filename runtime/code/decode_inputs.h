// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data about a module that the decoder needs in advance, and the memory
// that it may read. Used by attach and visit, on any thread; each function says
// whether its caller has the lock.
#ifndef TPRT_CODE_DECODE_INPUTS_H
#define TPRT_CODE_DECODE_INPUTS_H

#include "code/code_modules.h"
#include "elf/mcount_calls.h"

namespace tprt {

// The input of the decoder in addition to the module's facts.
struct Hints {
  Array<uint32_t> kept; // CodeView::kept
  // The offsets of code that the program has written, or may write at any time.
  Array<uint32_t> written;
  Array<CodeSymbol> symbols;
  ProfilerHints profilers;
  // The original bytes at addresses that libtprt may have changed, and under
  // breakpoints that other programs have set.
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

// Fills in the hints. On entry, `hints.patches` contains the bytes that libtprt
// may have changed. The breakpoints are added. Called under the lock. Returns
// false if there is no memory.
bool findHints(Module *module, Hints &hints);
// Lists the memory of a pinned module that the decoder may read. Called without
// the lock. Returns false if there is no memory.
bool findReadable(const Module *module, Array<Segment> &out);

} // namespace tprt

#endif
