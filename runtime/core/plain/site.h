// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site, and the array that all sites lie in. An architecture plans a site's
// stores by what is here: it knows no more of the site's module than where that
// is. Written under the runtime's lock.
#ifndef TPRT_CORE_PLAIN_SITE_H
#define TPRT_CORE_PLAIN_SITE_H

#include "core/plain/array.h"
#include "core/plain/hidden.h"
#include "tprt/tprt.h"

namespace tprt {

struct Module;   // core/module.h
struct Chain;    // core/chain.h
struct StubData; // what a stub reads at each hit: the architecture's plan.h

// Upper bounds in a process. What is below them costs nothing: the arrays grow
// in place.
constexpr uint32_t kMaxSites = 1u << 24;
constexpr uint32_t kMaxModules = 1u << 15;

} // namespace tprt

// The public handle. Lies in one array by index, never moves. Small, as to flip
// many sleds is to walk this array.
struct tprt_site {
  tprt_event event; // first: the trampoline hands it to the handler as it is
  uint32_t sledAt, functionAt;       // from its module's origin
  uint16_t moduleNumber;             // 0: no site
  uint8_t traits, size, slot, needs; // as in the record
  // Written under the lock; described without it.
  bool enabled;    // its sled is flipped
  uint8_t refusal; // tprt_refusal, the last one

  tprt::Module *module() const;
  const uint8_t *sled() const;
  const uint8_t *function() const;
  unsigned shape() const { return TPRT_RECORD_SHAPE(traits); }
  unsigned live() const { return TPRT_RECORD_LIVE(traits); }
};
static_assert(sizeof(tprt_site) == 32,
              "the counting code of all architectures shifts by it");

namespace tprt {

// What a site needs of its module.
struct ModulePlace {
  uint64_t origin;      // the lowest address of its segments
  uint32_t firstSite;   // index; its sites follow one another by address
  uint32_t siteCount;   // may be below recordCount: one site a sled
  Array<uint64_t> nops; // of a foreign module: each site's first bytes
};

// Grows in place; nullptr until reserveSites(), final from then on.
extern tprt_site *sites TPRT_HIDDEN;
extern uint32_t siteCount TPRT_HIDDEN;
extern ModulePlace **moduleAt TPRT_HIDDEN; // by number; grows in place

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

// Whether it is a site, of a module that is loaded or was; and whether it is or
// was one, as one's place may be vacant once its module is closed. Wherever it
// points to. Any thread, async-signal-safe.
bool mayBeSite(const tprt_site *site);
inline bool isSite(const tprt_site *site) {
  return mayBeSite(site) && site->moduleNumber;
}

// From its module's first site.
inline uint32_t placeOf(const tprt_site &site) {
  return indexOf(&site) - moduleAt[site.moduleNumber]->firstSite;
}

inline const uint64_t &nopOf(const tprt_site &site) {
  return moduleAt[site.moduleNumber]->nops[placeOf(site)];
}

} // namespace tprt

#endif
