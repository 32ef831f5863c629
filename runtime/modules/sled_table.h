// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads notes and tables of a loaded module. Every address is checked against
// the module's segments before it is followed. No state, no lock.
#ifndef TPRT_MODULES_SLED_TABLE_H
#define TPRT_MODULES_SLED_TABLE_H

#include "modules/module.h"

namespace tprt {

// Whether the `bytes` from `start` on lie inside one segment with these flags.
bool inSegment(Segments segments, uint64_t start, uint64_t bytes,
               uint32_t flags);

// Where the tables are in memory, by the types of their notes. An empty extent:
// not known.
struct TableExtents {
  Extent of[TPRT_POINTS_VERSION + 1];
};

// Looks through one note segment for the notes of tp's. A note leads to the
// table of sleds, or to that of points; a table counts as
// found if it has at least one record. Or it leads to the names that the module
// carries for its functions; if that note leads outside the module, it counts
// as none. Returns nullptr, or what is wrong with the table of sleds. What is
// wrong with another table becomes the module's `pointFault`. A table whose
// place is in `known` is there, whatever its note says.
const char *readNotes(const uint8_t *notes, size_t bytes, FoundModule &module,
                      const TableExtents *known = nullptr);

// nullptr, or what is wrong with the first bad record; its index is stored in
// *bad.
const char *checkRecords(const tprt_record *records, uint32_t count,
                         Segments segments, uint32_t *bad);

// The two addresses of a record. A table's records are read in order into the
// same RecordAddresses, because a near record is relative to the addresses of
// the record before it.
struct RecordAddresses {
  uint64_t sled = 0, function = 0;
  void read(const tprt_record &record) {
    bool near = record.needs & TPRT_RECORD_NEAR;
    if (!near)
      sled = reinterpret_cast<uint64_t>(&record.sled);
    sled += static_cast<uint64_t>(int64_t{record.sled});
    function = near ? sled : reinterpret_cast<uint64_t>(&record.function);
    function += static_cast<uint64_t>(int64_t{record.function});
  }
};

// Makes sites from a module's records, those of points included, or, if
// `patchable` is not null, from the entries of a patchable section. The sites
// are in order, one per sled: identical code folding leaves two records for one
// sled. Returns the number of sites.
uint32_t makeSites(Module *module, const uint64_t *patchable, tprt_site *out);

} // namespace tprt

#endif
