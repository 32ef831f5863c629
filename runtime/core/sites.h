// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules with a sled table and their sites. All under the runtime's lock,
// which is never held while the loader's lock is taken (os/linux/loader.h).
#ifndef TPRT_CORE_SITES_H
#define TPRT_CORE_SITES_H

#include "core/cancel.h"
#include "core/memory.h"
#include "tprt/tprt.h"

struct tprt_site;

// At variables of other files: their addresses are no matter of the GOT.
// -fvisibility=hidden speaks of definitions alone.
#define TPRT_HIDDEN __attribute__((visibility("hidden")))

namespace tprt {

struct Module;
struct Chain;

// Upper bounds in a process. What is below them costs nothing: the arrays grow
// in place.
constexpr uint32_t kMaxSites = 1u << 24;
constexpr uint32_t kMaxModules = 1u << 15;

struct StubData; // what a stub reads at each hit: the architecture's plan.h

} // namespace tprt

// The public handle. Lies in one array by index, never moves. Small, as to flip
// many sleds is to walk this array.
struct tprt_site {
  tprt_event event; // first: the trampoline hands it to the handler as it is
  uint32_t sledAt, functionAt;     // from its module's origin
  uint16_t moduleNumber;           // 0: no site
  uint8_t kind, size, slot, needs; // as in the record
  // Written under the lock; described without it.
  bool enabled;    // its sled is flipped
  uint8_t refusal; // tprt_refusal, the last one

  tprt::Module *module() const;
  const uint8_t *sled() const;
  const uint8_t *function() const;
  unsigned shape() const { return TPRT_RECORD_SHAPE(kind); }
  unsigned live() const { return TPRT_RECORD_LIVE(kind); }
};
static_assert(sizeof(tprt_site) == 32,
              "the counting code of all architectures shifts by it");

namespace tprt {

// A loaded module's segments, as the loader reports them.
struct Segment {
  uint64_t start, end; // addresses
  uint64_t flags;      // PF_R | PF_W | PF_X; no padding: it is summed up
};

// Those of one module, wherever they are kept.
struct Segments {
  const Segment *first;
  size_t count;

  Segments(const Segment *first, size_t count) : first(first), count(count) {}
  Segments(const Array<Segment> &all) : Segments(all.begin(), all.size()) {}
  const Segment *begin() const { return first; }
  const Segment *end() const { return first + count; }
};

struct StubRegion; // stubs.h
struct Mapping;    // os/linux/maps.h

// What the loader and its own notes say of a module.
struct ModuleFacts {
  uint64_t base;
  const tprt_record *records; // in the module; nullptr: no table
  uint32_t recordCount;
  bool executable;   // the program itself
  bool foreign;      // no table of ours: core/foreign.h
  int guard;         // see protectionByProperty()
  const char *fault; // not null: its table is refused, and it has no sites
  uint64_t noteSum;  // of its notes, the build-id among them
  uint64_t identity; // and of its table: another build has another one
};

// What code asks for most often stands within the first 128 bytes, which the
// shortest instructions reach.
struct Module : ModuleFacts {
  Module *next;
  Module *nextClosed; // of those that are not loaded
  uint64_t adopted;   // the epoch in which it came, or came back
  uint64_t origin;    // the lowest address of its segments
  uint32_t firstSite; // index; its sites follow one another by address
  uint32_t siteCount; // may be below recordCount: one site a sled
  uint32_t siteRoom;  // indexes from firstSite that are this module's
  uint32_t holders;   // probes with sites in it
  uint32_t readers;   // calls that read its names, segments and sites without
                      // the lock; until they end it makes room for no other
  uint16_t number;    // its place in moduleAt
  uint8_t events;     // 1 << tprt_event_kind of all its sites
  bool loaded;        // false after dlclose; kept so that it can come back
  bool unread;        // foreign, and its section was not looked at yet
  bool symbolsRead;
  uint8_t namesMissed; // errno of a try to read them that is to be repeated
  bool boltLooked;     // see bolt.h
  bool counting;       // some of its sites have counting stubs
  mutable bool
      openedWhole;     // for writing, once: from then on parts are joined again
  mutable bool copied; // most of its code pages were made private in one go
  char *path;
  StubRegion *stubs;
  void *handle; // the loader's reference of its holders
  size_t pathBytes;
  Array<Segment> segments;
  // What its code is mapped as, while a TextWriter is at it.
  mutable Array<Mapping> mappings;
  Array<char> strings; // names, copied from the file
  Array<char>
      names; // a copy of section tp_names, which may be unmapped any time
  uint64_t namesAddress; // where it was
  struct Symbol {
    uint32_t name;  // offset in strings
    uint32_t order; // first of its function's sites in byFunction
  };
  Array<Symbol> symbols;
  Array<uint32_t> nameAt;     // by site: offset in strings plus 1; 0: no name
  Array<uint64_t> nops;       // of a foreign module: each site's first bytes
  Array<uint8_t> moved;       // by site, of a module that BOLT rewrote
  Array<uint32_t> byFunction; // site indexes in order of function address
};

extern Module *modules TPRT_HIDDEN;
extern size_t badModules;
// Grows in place; nullptr until reserveSites(), final from then on.
extern tprt_site *sites TPRT_HIDDEN;
extern uint32_t siteCount TPRT_HIDDEN;
extern Module **moduleAt TPRT_HIDDEN; // by number; grows in place

} // namespace tprt

inline tprt::Module *tprt_site::module() const {
  return tprt::moduleAt[moduleNumber];
}
inline const uint8_t *tprt_site::sled() const {
  return reinterpret_cast<const uint8_t *>(module()->origin + sledAt);
}
inline const uint8_t *tprt_site::function() const {
  return reinterpret_cast<const uint8_t *>(module()->origin + functionAt);
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
  return indexOf(&site) - site.module()->firstSite;
}

inline const uint64_t &nopOf(const tprt_site &site) {
  return site.module()->nops[placeOf(site)];
}

// Where the sites of `module` that begin at `begin` of a batch end. In a batch
// each module's sites follow one another, ascending; to look at all of them
// would be a pass over memory of its own.
inline size_t endOfModule(const Array<uint32_t> &batch, size_t begin,
                          const Module *module) {
  size_t low = begin, high = batch.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (batch[middle] - module->firstSite < module->siteCount)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Set by readSymbols(); nullptr: none.
const char *nameOf(const tprt_site &site);

// The runtime's one lock. The loader's comes before it: whoever has this one
// neither calls the loader nor allocates from the program's allocator, whose
// lock another thread may have that waits for this one in fork().
struct Lock {
  Lock();
  ~Lock();

private:
  CancelDisabled uncancelled; // lasts longer than the lock is held
};
// The same by hand: around a fork, and in a walk of the loader.
void takeLock();
void giveLock();
// In a copy of this process that fork() did not make, before any other use of
// the lock.
void renewLock();
// False: when the copy was made another thread was changing what the lock
// protects. Such a copy runs on as it is, but no call can do anything there.
bool isUsable();
constexpr char kUnusable[] =
    "this process was made by a bare clone() or _Fork() while another thread "
    "was inside libtprt: nothing can be attached or detached here";

// Makes the runtime usable: idempotent, called under no lock by every entry
// point.
bool initialise();
// Begins the array. Before a thread's block shows it; false: no memory. Without
// the lock, async-signal-safe.
bool reserveSites();

// A running 64-bit checksum: tells builds apart, not enemies. Of whole 4-byte
// words.
uint64_t checksum(const void *memory, size_t bytes, uint64_t sum);

// A module found by the loader's walk (os/linux/loader.cpp fills it).
struct FoundModule : ModuleFacts {
  static constexpr size_t kMaxSegments = 32;
  const char *names; // section tp_names, or nullptr
  size_t namesBytes;
  size_t segmentCount;
  Segment segments[kMaxSegments];
  char path[4096];

  Segments kept() const { return {segments, segmentCount}; }
};

// Why the last sled table was refused, as a sentence with its module, and the
// status that belongs to it.
struct TableRefusal {
  tprt_status status;
  char text[400];
};
extern TableRefusal lastRefusal;

// What a walk of the loader does with the modules it finds and misses, with the
// loader's lock and the runtime's held.

uint64_t identityOf(const FoundModule &found);
// Whether a module that is loaded is the same build at the same place.
bool isStill(const Module *module, const FoundModule &found);
// Gives it sites, or those that it had before it was closed. nullptr: no
// memory.
Module *adoptModule(const FoundModule &found);
// The module is no longer loaded. It has no sled that is on, as it would be
// pinned.
void closeModule(Module *module);

// A module that came, or came back, while probes stood.
struct Arrival {
  Module *module;
  uint64_t adopted; // its epoch; another than the module's now: out of date
};

// Grows whenever a module comes or goes. What was selected in one epoch is good
// in that one alone. Under the lock.
extern uint64_t epoch TPRT_HIDDEN;

// Makes the sites of a foreign module whose memory is pinned. Under the lock.
void readForeignSites(Module *module);

// Reads the symbols of a module's file once and names its sites.
void readSymbols(Module *module);
// First place in byFunction of a function at `address` or behind it, or
// siteCount.
uint32_t functionFrom(const Module *module, uint64_t address);

// Shell-style match: `*`, `?`, `[a-z]`, `[!a]`; no escapes. Whole string.
bool globMatches(const char *pattern, const char *text);
// The pattern against a path or its last part.
bool globMatchesPath(const char *pattern, const char *path);
const char *fileNameOf(const char *path);
// nullptr, or what is wrong with the pattern.
const char *globFault(const char *pattern);

} // namespace tprt

#endif
