// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of a module: which static branches belong to which sleds, and
// copies of the descriptors, whose originals may be unmapped at any time. Made
// once, when the module is adopted, and constant afterwards. Used under the
// lock, except descriptorOf(), which handlers call.
//
// A compiler may copy a point's static branch or its sled (inlining, unrolling)
// and may merge sleds. So one descriptor may have several of each, which
// together are a group. A TPRT_POINT_ON has a group without sleds.
#ifndef TPRT_MODULES_POINT_GROUPS_H
#define TPRT_MODULES_POINT_GROUPS_H

#include "modules/module.h"
#include "sites/arch.h"

namespace tprt {

struct PointGroup {
  uint32_t text; // The descriptor's copy: an offset in `texts`.
  // Indexes in `places`: the group's sleds, then its static branches, up to
  // `end`.
  uint32_t sleds, branches, end;
  // An index in `names`; kNoName if no TPRT_POINT_ON tests the point.
  uint32_t name;
  // The last batch that processed the group (static_branches.h).
  uint32_t batch;
  uint8_t refusal; // A tprt_refusal: the reason why that batch cannot open the
                   // static branches.
  // The descriptor's style is TPRT_POINT_STYLE_TEST. Stored here because a
  // batch reads it for each group, and would otherwise wait for the
  // descriptor's memory.
  bool test;
  bool opened; // That batch found all static branches open, or opened them.
};

// All groups of one name: a range of `byName`.
struct PointName {
  uint32_t first, end;
  uint32_t batch;
};

struct Points {
  static constexpr uint32_t kNoName = UINT32_MAX;

  Array<char> texts;
  Array<PointGroup> groups; // In order of their descriptors' addresses.
  Array<uint32_t> places;   // Places of sites.
  // Filled if the module has a TPRT_POINT_ON.
  Array<PointName> names;
  Array<uint32_t> byName; // Indexes of groups.
  bool loneTests;         // There are sites of kind kLoneTest.

  const tprt_descriptor &descriptor(const PointGroup &group) const {
    return *reinterpret_cast<const tprt_descriptor *>(texts.begin() +
                                                      group.text);
  }
};

// The texts after a descriptor.
inline const char *typesOf(const tprt_descriptor &descriptor) {
  return reinterpret_cast<const char *>(&descriptor + 1);
}
inline const char *nameOf(const tprt_descriptor &descriptor) {
  return typesOf(descriptor) + descriptor.argument_count + 1;
}
inline const char *formatOf(const tprt_descriptor &descriptor) {
  return nameOf(descriptor) + descriptor.name_bytes;
}
inline const char *fileOf(const tprt_descriptor &descriptor) {
  return formatOf(descriptor) + descriptor.format_bytes;
}

// How to read a word. Its bits beyond the size of its type are undefined, so
// the code at a point need not extend the value in a register.
struct WordForm {
  uint8_t unused; // Bits.
  bool isSigned;

  uint64_t read(uint64_t word) const {
    uint64_t high = word << unused;
    return isSigned
               ? static_cast<uint64_t>(static_cast<int64_t>(high) >> unused)
               : high >> unused;
  }
};
WordForm formOf(char type);

// The data of a point that a hit needs. Recording handlers need `plainBytes`
// first, so it is next to the pointer and not in the memory to which the
// pointer leads.
struct PointSite {
  const tprt_descriptor *descriptor; // The copy.
  // The size of a record of the point's words. 0 means that an argument is a
  // string, or is not in a register.
  uint32_t plainBytes;
  uint32_t plainCount; // Of the words.
  WordForm forms[8];

  void set(const tprt_descriptor &copy);
};
static_assert(sizeof(PointSite) == sizeof(tprt_site),
              "a site's offset is its point's, too");

// Indexed by site; filled for each point's sled and static branch. The array
// grows in place, up to the last point's site, so programs without points need
// no memory for it. A hit finds its point here by one load.
extern PointSite *pointSites TPRT_HIDDEN;

// The descriptor of a point's sled or static branch. May be called on any
// thread; async-signal-safe.
inline const tprt_descriptor &descriptorOf(const tprt_site &site) {
  return *pointSites[indexOf(&site)].descriptor;
}

// An argument of a hit, extended from its type's size to 64 bits: a word in a
// register, or in the array of those that found none. The register after the
// argument registers points to the array: rax, x8.
inline uint64_t wordOf(const tprt_descriptor &descriptor, const tprt_regs *regs,
                       unsigned i) {
  const uint64_t *first = wordsInRegisters(regs);
  const auto *others =
      reinterpret_cast<const uint64_t *>(first[TPRT_ARGUMENT_REGISTERS]);
  const uint64_t word = i < TPRT_ARGUMENT_REGISTERS
                            ? first[i]
                            : others[i - TPRT_ARGUMENT_REGISTERS];
  return formOf(typesOf(descriptor)[i]).read(word);
}

// Makes module->pointGroups from the module's sites, and assigns each site to
// its group. Before that, the `pointGroup` of a site is the offset of a
// descriptor. Returns false if there is no memory. Called while the module
// cannot be unloaded.
bool makePoints(Module *module);
void freePoints(Module *module);

} // namespace tprt

#endif
