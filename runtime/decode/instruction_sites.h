// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code: see reader.h. reader.cpp contains the
// code for every processor. <processor>/jump_forms.cpp decides how an
// instruction becomes a jump. May be used on any thread; acquires no lock, and
// allocates only pages from the system.
#ifndef TPRT_DECODE_INSTRUCTION_SITES_H
#define TPRT_DECODE_INSTRUCTION_SITES_H

#include "decode/decoded.h"
#include "decode/mcount_entries.h"

namespace tprt {

class SiteReader : DecodedCode {
public:
  SiteReader(const CodeView &view, Array<CodeSite> &out)
      : DecodedCode(view), out(out), profilers(*this) {}
  const char *read();
  const char *readInside(const uint32_t *offsets, size_t count,
                         InnerCode &inside);

private:
  bool addEntry(uint32_t index);
  bool addExit(const Exit &exit);
  bool addCall(const Exit &call);
  uint32_t entryOf(uint32_t index) const;
  void describe(CodeSite &site, const Instruction &code) const;
  bool isSite(uint32_t offset) const;
  bool addInside(uint32_t index, InnerCode &inside);
  bool sortSites();
  bool keepOnePerPlace();

  // The following functions are in <processor>/jump_forms.cpp.
  //
  // Whether the exit's means is chosen before those of entries and other exits.
  bool choosesFirst(const Exit &exit) const;
  // Whether a sled of LLVM's XRay is at this entry or exit of a function that
  // begins at `start`.
  bool isXRay(uint32_t offset, uint32_t start) const;
  // Chooses how the instruction of an entry, of an exit or of a profiler's call
  // becomes a jump, or the reason why it cannot. Reserves the needed dead
  // bytes.
  void choose(CodeSite &site, const Instruction &code);
  // Chooses the jump of an entry, which may be moved after the pushes with
  // which its function begins. `index` is the index of the function.
  void chooseEntry(CodeSite &site, const Instruction &code, uint32_t index);
  // Chooses the jump of an instruction inside a function. Dead bytes are found
  // but not reserved: the first site that is enabled reserves them
  // (patch/overlap.cpp).
  void chooseInside(CodeSite &site, const Instruction &code) const;
  // Resolves conflicts between neighbouring sites. Returns false if there is no
  // memory.
  bool settle();

  Array<CodeSite> &out; // The sites are in order of address when settle() is
                        // called.
  ProfilerCalls profilers;
};

} // namespace tprt

#endif
