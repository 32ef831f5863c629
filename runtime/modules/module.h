// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules with sites: what is known of each, and how they come and go.
// Everything here is used under the runtime's lock. A thread that has the
// runtime's lock never takes the loader's.
#ifndef TPRT_MODULES_MODULE_H
#define TPRT_MODULES_MODULE_H

#include "base/extent.h"
#include "base/os_text.h"
#include "base/search.h"
#include "sites/site.h"

namespace tprt {

struct StubRegion; // stubs.h
struct Points;     // point_groups.h

// What the loader and the module's own notes say about a module.
struct ModuleFacts {
  uint64_t base;
  const tprt_record *records; // Inside the module; nullptr: no table.
  uint32_t recordCount;
  // The same for points.
  uint32_t branchCount, pointCount, usdtCount;
  // Records of static branches and of sleds, in any order: point_table.h.
  const int32_t *points;
  uint32_t pointWords;
  const tprt_usdt_record *usdt;
  bool executable; // The module is the program itself.
  bool patchable;  // The module has no table of tp's: elf/patchable_entries.h.
  bool isCode;     // A code module, with sites in code without sleds:
                   // code/code_modules.h.
  bool isInner;    // An inner module, with single instructions as sites:
                   // patch/overlap.h.
  uint64_t frames; // The address of its .eh_frame_hdr; 0: it has none.
  // The initialised data of its last writable segment, and the part that the
  // loader makes read-only after it has relocated the module. The two may
  // overlap.
  Extent data, relocated;
  // If not null, the reason why its table is refused; then it has no sites.
  const char *fault;
  // The same for the tables of points alone.
  const char *pointFault;
  uint64_t noteSum; // A checksum of its notes, the build-id included.
  // A checksum of notes, tables and descriptors: different builds have
  // different ones.
  uint64_t identity;

  uint64_t allRecords() const {
    return uint64_t{recordCount} + branchCount + pointCount;
  }
};

// What changes about a module while the program runs.
struct ModuleState {
  Module *next;
  Module *nextClosed; // In the list of modules that are not loaded.
  uint64_t adopted;   // The epoch in which the module was loaded last.
  // How many indexes from firstSite on are this module's.
  uint32_t siteRoom;
  uint32_t holders; // How many probes have sites in it.
  // How many calls read its names, segments and sites without the lock. Until
  // these calls end, no other module takes this one's place.
  uint32_t readers;
  uint16_t number; // Its place in moduleAt.
  uint8_t kinds;   // The bits 1 << tprt_event.kind of all its sites.
  // False after dlclose. The structure is kept for when the module comes back.
  bool loaded;
  // It is patchable or a code module, and its section or code has not been read
  // yet.
  bool unread;
  // Its initialisers have run or are running: pinning it runs none
  // (module_refs.h).
  bool ready;
  // Pending probes have skipped it, because it was not ready.
  bool passedOver;
  // For an unread code module: nothing in it calls a profiler.
  bool hasNoProfilers;
  bool ordered; // byFunction is made.
  bool symbolsRead;
  // The errno of a failed attempt to read its names, if the attempt is to be
  // repeated.
  uint8_t namesMissed;
  // The module's file could not be opened, or its path led to another file. So
  // what was read from the file may be incomplete. Written under the lock, by
  // readers that otherwise do not change the module.
  mutable bool fileMissed;
  bool boltLooked; // isBolted() has looked: bolt.h.
  bool hasSeconds; // Some of its sites have counting or recording stubs.
  // Some of its sites are calls inside functions (CodeSite::isInside).
  bool hasCallsInside;
};

// The members that code reads most often come first: the shortest instructions
// reach offsets up to 128 bytes.
struct Module : ModulePlace, ModuleState, ModuleFacts, CodeMemory {
  char *path;
  StubRegion *stubs;
  Points *pointGroups; // nullptr: the module has no points.
  // The addresses of the objects of points that are USDT probes; an address may
  // come more than once.
  Array<uint64_t> usdtPoints;
  // The loader's reference that keeps the module loaded for its holders.
  void *handle;
  size_t pathBytes;
  Array<char> strings; // Names, copied from the file.
  // A copy of section tp_names, which may be unmapped at any time.
  Array<char> names;
  uint64_t namesAddress; // The address of section tp_names in the module.
  struct Symbol {
    uint32_t name;  // An offset in `strings`.
    uint32_t order; // The place in byFunction of its function's first site.
  };
  Array<Symbol> symbols;
  // Indexed by site: an offset in `strings` plus 1; 0: the site has no name.
  Array<uint32_t> nameAt;
  // Indexed by site; filled for a module that BOLT rewrote.
  Array<uint8_t> moved;
  // For a code module, by site: the island of a pun (pun_islands.h). Filled
  // when the first island is needed.
  Array<uint64_t> puns;
  // For an inner module: the code module, and the functions whose instructions
  // were read.
  Module *outer;
  Array<CodeExtent> extents;
  // The dead bytes that no site uses. Filled for a code module that has an
  // inner module.
  DeadBytes dead;
  bool deadKnown;
  // Indexes of the sites of functions, in order of function address.
  Array<uint32_t> byFunction;
};

extern Module *modules TPRT_HIDDEN;
extern size_t badModules;

} // namespace tprt

inline tprt::Module *tprt_site::module() const {
  return static_cast<tprt::Module *>(tprt::moduleAt[moduleNumber]);
}

namespace tprt {

// The end of the sites of `module` in a batch, of which `begin` is the first.
// In a batch, the sites of each module follow one another in ascending order. A
// binary search finds the end, because looking at all sites would be another
// pass over memory.
inline size_t endOfModule(const Array<uint32_t> &batch, size_t begin,
                          const Module *module) {
  return partitionPoint(begin, batch.size(), [&](size_t at) {
    return batch[at] - module->firstSite < module->siteCount;
  });
}

// A module that the loader's walk has found (loader_walk.cpp fills this in).
struct FoundModule : ModuleFacts {
  static constexpr size_t kMaxSegments = 32;
  int guard;         // See protectionByProperty().
  const char *names; // Section tp_names, or nullptr.
  size_t namesBytes;
  // A note's bounds are undefined symbols, for example because objcopy renamed
  // the symbols.
  bool unbounded;
  size_t segmentCount;
  Segment segments[kMaxSegments];
  char path[4096];

  Segments kept() const { return {segments, segmentCount}; }
};

// A module that came, or came back, while pending probes existed.
struct Arrival {
  Module *module;
  // The module's epoch at that time. If the module has another epoch now, this
  // arrival is out of date.
  uint64_t adopted;
  bool again; // It had arrived before, and was skipped.
};

// The module that has the names of a module's functions.
inline Module *namedOf(const Module *module) {
  return module->isInner ? module->outer : const_cast<Module *>(module);
}

} // namespace tprt

#endif
