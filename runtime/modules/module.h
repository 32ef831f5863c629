// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules with sites: the data of each module, and how modules are loaded and
// unloaded. Everything here is used under the runtime's lock. A thread that has
// the runtime's lock never acquires the loader's.
#ifndef TPRT_MODULES_MODULE_H
#define TPRT_MODULES_MODULE_H

#include "base/extent.h"
#include "base/os_text.h"
#include "base/search.h"
#include "sites/site.h"

namespace tprt {

struct StubRegion; // stubs.h
struct Points;     // point_groups.h

// The properties of a module according to the loader and the module's own
// notes.
struct ModuleFacts {
  uint64_t base;
  const tprt_record *records; // An address inside the module; nullptr means
                              // that there is no table.
  uint32_t recordCount;
  // The same counts for points.
  uint32_t branchCount, pointCount, usdtCount;
  // Records of static branches and of sleds, in any order: point_table.h.
  const int32_t *points;
  uint32_t pointWords;
  const tprt_usdt_record *usdt;
  bool executable; // The module is the program itself.
  bool patchable;  // The module has no sled table of tp:
                   // elf/patchable_entries.h.
  bool isCode;     // A code module, with sites in code without sleds:
                   // code/code_modules.h.
  bool isInner;    // An inner module, with single instructions as sites:
                   // patch/overlap.h.
  uint64_t frames; // The address of its .eh_frame_hdr, or 0 if there is none.
  // The initialised data of its last writable segment, and the part that the
  // loader makes read-only after it has relocated the module. The two ranges
  // may overlap.
  Extent data, relocated;
  // If this is not null, the module has no sites, and this is the reason why
  // its table is refused.
  const char *fault;
  // The same reason for the tables of points only.
  const char *pointFault;
  uint64_t noteSum; // A checksum of the module's notes, including the build-id.
  // A checksum of notes, tables and descriptors. Different builds have
  // different checksums.
  uint64_t identity;

  uint64_t allRecords() const {
    return uint64_t{recordCount} + branchCount + pointCount;
  }
};

// What changes about a module while the program runs.
struct ModuleState {
  Module *next;
  Module *nextClosed; // The next module in the list of modules that are not
                      // loaded.
  uint64_t adopted;   // The epoch in which the module was last loaded.
  // The number of indexes from firstSite on that belong to this module.
  uint32_t siteRoom;
  uint32_t holders; // The number of probes with sites in this module.
  // The number of calls that read its names, segments and sites without the
  // lock. Until these calls end, no other module reuses this structure.
  uint32_t readers;
  uint16_t number; // Its index in moduleAt.
  uint8_t kinds;   // The bits 1 << tprt_event.kind of all its sites.
  // False after dlclose. The structure is kept in case the module is loaded
  // again.
  bool loaded;
  // The module is patchable or a code module, and its section or code has not
  // been read yet.
  bool unread;
  // Its initialisers have run or are running, so pinning the module does not
  // run them (module_refs.h).
  bool ready;
  // Pending probes have skipped the module, because it was not ready.
  bool passedOver;
  // Its table was refused because there was no memory. The next walk reads it
  // again (loader_walk.cpp).
  bool scarce;
  // For an unread code module: none of its code calls a profiler.
  bool hasNoProfilers;
  bool ordered; // byFunction is made.
  bool symbolsRead;
  // The errno of a failed attempt to read its names, if the attempt is to be
  // repeated.
  uint8_t namesMissed;
  // The module's file could not be opened, or its path referred to another
  // file. So the data that was read from the file may be incomplete. Written
  // under the lock, by functions that otherwise only read the module.
  mutable bool fileMissed;
  bool boltLooked; // isBolted() has checked the module: bolt.h.
  bool hasSeconds; // Some of its sites have counting or recording stubs.
  // Some of its sites are calls inside functions (CodeSite::isInside).
  bool hasCallsInside;
};

// The most frequently used members come first, because the shortest
// instructions reach offsets up to 128 bytes.
struct Module : ModulePlace, ModuleState, ModuleFacts, CodeMemory {
  char *path;
  StubRegion *stubs;
  Points *pointGroups; // nullptr means that the module has no points.
  // The addresses of the objects of points that are USDT probes. An address may
  // occur more than once.
  Array<uint64_t> usdtPoints;
  // The loader's reference that keeps the module loaded for its holders.
  void *handle;
  size_t pathBytes;
  Array<char> strings; // Names, copied from the file.
  // A copy of section tp_names. The original may be unmapped at any time.
  Array<char> names;
  uint64_t namesAddress; // The address of section tp_names in the module.
  struct Symbol {
    uint32_t name;  // An offset in `strings`.
    uint32_t order; // The index in byFunction of its function's first site.
  };
  Array<Symbol> symbols;
  // Indexed by site. An item is an offset in `strings` plus 1; 0 means that the
  // site has no name.
  Array<uint32_t> nameAt;
  // Indexed by site. Filled for a module that BOLT rewrote.
  Array<uint8_t> moved;
  // For a code module, indexed by site: the island of a pun (pun_islands.h).
  // Filled when the first island is needed.
  Array<uint64_t> puns;
  // For an inner module: the code module, and the functions whose instructions
  // were read.
  Module *outer;
  Array<CodeExtent> extents;
  // The dead bytes that no site uses. Filled for a code module that has an
  // inner module.
  DeadBytes dead;
  bool deadKnown;
  // For a code module: the requested offsets that are in no function, in order.
  Array<uint32_t> strays;
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

// The end of the sites of `module` in a batch. `begin` is the index of its
// first site. In a batch, the sites of each module follow one another in
// ascending order. A binary search finds the end. Checking all sites would be
// another pass over memory.
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

// A module that was loaded, or loaded again, while pending probes existed.
struct Arrival {
  Module *module;
  // The module's epoch at that time. If the module now has another epoch, this
  // arrival is out of date.
  uint64_t adopted;
  bool again; // The module had arrived before, and was skipped.
};

// The module that contains the names of a module's functions.
inline Module *namedOf(const Module *module) {
  return module->isInner ? module->outer : const_cast<Module *>(module);
}

} // namespace tprt

#endif
