// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the instructions that call a profiler; see elf/mcount_calls.h. May be
// used on any thread; acquires no lock, and allocates only pages from the
// system.
#ifndef TPRT_DECODE_MCOUNT_ENTRIES_H
#define TPRT_DECODE_MCOUNT_ENTRIES_H

#include "decode/decoded.h"

namespace tprt {

// Whether the instruction has the form of such a call, or of the nop that
// replaces it.
bool mayCallProfiler(const uint8_t *bytes, const Instruction &code);

class ProfilerCalls {
public:
  explicit ProfilerCalls(const DecodedCode &code) : code(code) {}
  // Reads the module's symbols and lists. Returns false if there is no memory.
  bool prepare();
  // The profiler that the instruction at this offset calls or jumps to, or
  // whose call it replaces.
  Profiler of(uint32_t offset, const Instruction &instruction) const;

private:
  struct Target {
    uint32_t at;
    Profiler profiler;
  };
  Profiler atWord(uint64_t address) const;
  Profiler atTarget(uint32_t offset) const;
  bool isListed(uint32_t offset) const;
  // The profiler of a call or jump at this offset whose target is this
  // profiler's function, or None.
  Profiler atPlace(uint32_t offset, bool isCall, Profiler target) const;

  const DecodedCode &code;
  Array<Target> targets; // The addresses of the symbols of profilers'
                         // functions.
  Array<uint32_t> listed;
};

} // namespace tprt

#endif
