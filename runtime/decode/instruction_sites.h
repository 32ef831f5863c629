// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What finds the sites in a module's code: see reader.h. reader.cpp has what is
// the same on every processor, and <processor>/means.cpp how an instruction
// becomes a jump. Any thread; takes no lock, and allocates by the system's
// pages.
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

  // In <processor>/means.cpp.
  //
  // Whether the exit chooses its means before entries and other exits do.
  bool choosesFirst(const Exit &exit) const;
  // Whether a sled of LLVM's XRay is at this entry or exit of a function that
  // begins at `start`.
  bool isXRay(uint32_t offset, uint32_t start) const;
  // How the instruction of an entry, of an exit or of a profiler's call becomes
  // a jump, or why it does not. Takes the dead bytes that are needed.
  void choose(CodeSite &site, const Instruction &code);
  // The same of an entry, which may come to lie after the pushes with which
  // its function begins. `index` is the function's.
  void chooseEntry(CodeSite &site, const Instruction &code, uint32_t index);
  // The same of an instruction inside a function. Dead bytes are found and not
  // taken: whoever is turned on first takes them (patch/overlap.cpp).
  void chooseInside(CodeSite &site, const Instruction &code) const;
  // Settles what sites that are beside one another cannot all have. False: no
  // memory.
  bool settle();

  Array<CodeSite> &out; // In order of address when settle() is called.
  ProfilerCalls profilers;
};

} // namespace tprt

#endif
