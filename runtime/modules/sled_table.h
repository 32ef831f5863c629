// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the notes and tables of a loaded module. Every address is checked
// against the module's segments before it is used. The functions have no state
// and need no lock.
#ifndef TPRT_MODULES_SLED_TABLE_H
#define TPRT_MODULES_SLED_TABLE_H

#include "modules/module.h"

namespace tprt {

// Whether the `bytes` from `start` on lie inside one segment with these flags.
bool inSegment(Segments segments, uint64_t start, uint64_t bytes,
               uint32_t flags);

// The addresses of the tables in memory, by the types of their notes. An empty
// extent means that the address is unknown.
struct TableExtents {
  Extent of[TPRT_POINTS_VERSION + 1];
};

// Searches one note segment for tp's notes. A note refers to the table of
// sleds, to the table of points, or to the names of functions that the module
// contains. A table counts as found if it has at least one record. A note of
// names that refers to an address outside the module is ignored. Returns
// nullptr, or the fault of the table of sleds. A fault of another table is
// stored in the module's `pointFault`. If `known` contains the address of a
// table, that address is used instead of the note's.
const char *readNotes(const uint8_t *notes, size_t bytes, FoundModule &module,
                      const TableExtents *known = nullptr);

// Returns nullptr, or the fault of the first bad record. Stores the index of
// this record in *bad.
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

} // namespace tprt

#endif
