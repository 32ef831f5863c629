// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules with a sled table: what is known of each, how they come and go. All
// under the runtime's lock, which is never held while the loader's lock is
// taken.
#ifndef TPRT_CORE_MODULE_H
#define TPRT_CORE_MODULE_H

#include "core/os.h"
#include "core/plain/segment.h"
#include "core/plain/site.h"

namespace tprt {

struct StubRegion; // stubs.h

// What the loader and its own notes say of a module.
struct ModuleFacts {
  uint64_t base;
  const tprt_record *records; // in the module; nullptr: no table
  uint32_t recordCount;
  bool executable;   // the program itself
  bool foreign;      // no table of ours: core/foreign.h
  const char *fault; // not null: its table is refused, and it has no sites
  uint64_t noteSum;  // of its notes, the build-id among them
  uint64_t identity; // and of its table: another build has another one
};

// What becomes of a module while the program runs.
struct ModuleState {
  Module *next;
  Module *nextClosed; // of those that are not loaded
  uint64_t adopted;   // the epoch in which it came, or came back
  uint32_t siteRoom;  // indexes from firstSite that are this module's
  uint32_t holders;   // probes with sites in it
  uint32_t readers;   // calls that read its names, segments and sites without
                      // the lock; until they end it makes room for no other
  uint16_t number;    // its place in moduleAt
  uint8_t kinds;      // 1 << tprt_event_kind of all its sites
  bool loaded;        // false after dlclose; kept so that it can come back
  bool unread;        // foreign, and its section was not looked at yet
  bool symbolsRead;
  uint8_t namesMissed; // errno of a try to read them that is to be repeated
  bool boltLooked;     // see bolt.h
  bool counting;       // some of its sites have counting stubs
};

// What code asks for most often comes first, as the shortest instructions reach
// 128 bytes.
struct Module : ModulePlace, ModuleState, ModuleFacts, CodeMemory {
  char *path;
  StubRegion *stubs;
  void *handle; // the loader's reference of its holders
  size_t pathBytes;
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
  Array<uint8_t> moved;       // by site, of a module that BOLT rewrote
  Array<uint32_t> byFunction; // site indexes in order of function address
};

extern Module *modules TPRT_HIDDEN;
extern size_t badModules;

} // namespace tprt

inline tprt::Module *tprt_site::module() const {
  return static_cast<tprt::Module *>(tprt::moduleAt[moduleNumber]);
}

namespace tprt {

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

// Makes the runtime usable: idempotent, called under no lock by every entry
// point.
bool initialise();
// Begins the array. Before a thread's block shows it; false: no memory. Without
// the lock, async-signal-safe.
bool reserveSites();

// A running 64-bit checksum: tells builds apart, not enemies. Of whole 4-byte
// words.
uint64_t checksum(const void *memory, size_t bytes, uint64_t sum);

// A module found by the loader's walk (walkmodules.cpp fills it).
struct FoundModule : ModuleFacts {
  static constexpr size_t kMaxSegments = 32;
  int guard;         // see protectionByProperty()
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

} // namespace tprt

#endif
