// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The references to profilers in the module's data; see mcount_entries.h.
#include "decode/mcount_entries.h"
#include "base/search.h"
#include "base/sort.h"

namespace tprt {

bool ProfilerCalls::prepare() {
  const CodeView &view = code.view;
  for (size_t i = 0; i < view.symbolCount; ++i) {
    const CodeSymbol &symbol = view.symbols[i];
    if (symbol.profiler != Profiler::None &&
        !targets.push({symbol.at, symbol.profiler}))
      return false;
  }
  if (!listed.append(view.profilerCalls, view.profilerCallCount))
    return false;
  heapSort(listed.begin(), listed.size(),
           [](uint32_t a, uint32_t b) { return a < b; });
  return true;
}

Profiler ProfilerCalls::atWord(uint64_t address) const {
  const CodeView &view = code.view;
  for (size_t i = 0; i < view.profilerWordCount; ++i)
    if (view.profilerWords[i].address == address)
      return view.profilerWords[i].profiler;
  return Profiler::None;
}

bool ProfilerCalls::isListed(uint32_t offset) const {
  size_t i = partitionPoint(0, listed.size(),
                            [&](size_t at) { return listed[at] < offset; });
  return i < listed.size() && listed[i] == offset;
}

// A listed call is a call of a profiler, regardless of its target. A linker may
// have merged both functions of -finstrument-functions, so a jump to the merged
// function counts as the call at a function's end.
Profiler ProfilerCalls::atPlace(uint32_t offset, bool isCall,
                                Profiler target) const {
  if (isCall)
    return target == Profiler::None && isListed(offset) ? Profiler::Mcount
                                                        : target;
  bool isCyg = target == Profiler::Enter || target == Profiler::Exit;
  return isCyg ? Profiler::Exit : Profiler::None;
}

} // namespace tprt
