// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site, and the array that all sites lie in. An architecture needs only this
// file to plan a site's stores. The only fact about a site's module in this
// file is its place in memory. Written under the runtime's lock; hits and
// queries read without the lock.
#ifndef TPRT_SITES_SITE_H
#define TPRT_SITES_SITE_H

#include "base/array.h"
#include "base/visibility.h"
#include "sites/code_site.h"
#include "tprt/tprt.h"

namespace tprt {

struct Module;     // modules/module.h
struct ActionList; // actions/action_list.h
struct StubData;   // what a stub reads at each hit: the architecture's plan.h

// Upper bounds in a process. Unused room costs nothing, because the arrays grow
// in place.
constexpr uint32_t kMaxSites = 1u << 24;
constexpr uint32_t kMaxModules = 1u << 15;

// Kinds of sites that never call a handler, and that the API does not show.
// Their values follow those of enum tprt_kind.
enum BranchKind : uint32_t {
  kStaticBranch = TPRT_KIND_INSTRUCTION + 1,
  // The static branch of a TPRT_POINT_ON whose module has no sled of a point
  // with the same name. If a selector finds such a site, a probe opens it.
  kLoneTest
};

} // namespace tprt

// The public handle points to this structure. All sites lie in one array, in
// order of their index, and never move. A site is small, because a flip of many
// sleds walks this array.
struct tprt_site {
  // First, because the trampoline passes its address to the handler.
  tprt_event event;
  uint32_t sledAt; // An offset from the module's origin.
  union {
    uint32_t functionAt; // The same, for a function's site.
    // For a point's site or a static branch: an index of Points::groups
    // (point_groups.h).
    uint32_t pointGroup;
  };
  uint16_t moduleNumber;             // 0 means that there is no site here.
  uint8_t traits, size, slot, needs; // As in the record.
  // Written under the lock, and read without the lock for descriptions of
  // sites.
  bool enabled;    // The site's sled is flipped on.
  uint8_t refusal; // The last tprt_refusal.

  // Whether the call of a profiler is skipped while the site is off. Such a
  // site has no record with a slot, so `slot` contains this flag. The flip
  // engine sets the flag right before it plans the site's store.
  bool isSkipped() const { return slot; }
  void setSkipped(bool skipped) { slot = skipped; }
  tprt::Module *module() const;
  const uint8_t *sled() const;
  const uint8_t *function() const; // For a function's site.
  unsigned shape() const { return TPRT_RECORD_SHAPE(traits); }
  unsigned live() const { return TPRT_RECORD_LIVE(traits); }
  bool isPoint() const { return event.kind == TPRT_KIND_POINT; }
  bool isStaticBranch() const { return event.kind >= tprt::kStaticBranch; }
  bool isInstruction() const { return event.kind == TPRT_KIND_INSTRUCTION; }
  // Whether the site's function is known: the site is an entry, an exit or an
  // instruction.
  bool isOfFunction() const {
    return event.kind < TPRT_KIND_POINT || isInstruction();
  }
  // Only for static branches: the offset of the static branch's target. The
  // offset is stored in the event's flags, because no handler sees the event of
  // a static branch.
  uint32_t targetAt() const { return event.flags; }
};
static_assert(sizeof(tprt_site) == 32,
              "the counting code of all architectures shifts by it");

namespace tprt {

// The members of a module that its sites need.
struct ModulePlace {
  uint64_t origin; // The lowest address of the module's segments.
  // An index. The module's sites follow one another in order of address.
  uint32_t firstSite;
  // May be less than the number of records, because each sled has one site.
  uint32_t siteCount;
  // For a patchable module: the first bytes of each site's nop.
  Array<uint64_t> nops;
  // For a code module (code/code_modules.h), by site: the site's description,
  // and the address of the copy of the instruction. A hit continues at the
  // copy. The address is 0 if there is no copy.
  Array<CodeSite> code;
  Array<uint64_t> displaced;
};

// The array of sites, which grows in place. nullptr until reserveSites() has
// succeeded; from then on it does not change.
extern tprt_site *sites TPRT_HIDDEN;
extern uint32_t siteCount TPRT_HIDDEN;
// Begins the array of sites. Called before any thread's block refers to the
// array, without the lock. Returns false if there is no memory.
// Async-signal-safe.
bool reserveSites();
// Indexed by module number; grows in place.
extern ModulePlace **moduleAt TPRT_HIDDEN;

} // namespace tprt

inline const uint8_t *tprt_site::sled() const {
  return reinterpret_cast<const uint8_t *>(
      tprt::moduleAt[moduleNumber]->origin + sledAt);
}
inline const uint8_t *tprt_site::function() const {
  return reinterpret_cast<const uint8_t *>(
      tprt::moduleAt[moduleNumber]->origin + functionAt);
}

namespace tprt {

inline uint32_t indexOf(const tprt_site *site) {
  return static_cast<uint32_t>(site - sites);
}

// isSite() returns whether the pointer points to a site of a loaded or unloaded
// module. mayBeSite() also accepts a vacant place in the array: a place may
// become vacant when its module is closed. The pointer may have any value. Any
// thread may call these functions. Async-signal-safe.
bool mayBeSite(const tprt_site *site);
inline bool isSite(const tprt_site *site) {
  return mayBeSite(site) && site->moduleNumber;
}

// The site's place: its index minus the index of its module's first site.
inline uint32_t placeOf(const tprt_site &site) {
  return indexOf(&site) - moduleAt[site.moduleNumber]->firstSite;
}

inline const uint64_t &nopOf(const tprt_site &site) {
  return moduleAt[site.moduleNumber]->nops[placeOf(site)];
}
// For a site of a code module.
inline const CodeSite &codeOf(const tprt_site &site) {
  return moduleAt[site.moduleNumber]->code[placeOf(site)];
}
inline uint64_t displacedOf(const tprt_site &site) {
  return moduleAt[site.moduleNumber]->displaced[placeOf(site)];
}

} // namespace tprt

#endif
