// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading notes and tables out of a loaded module, with every address checked
// against the module's segments before it is followed. No state, no lock.
#ifndef TPRT_CORE_TABLE_H
#define TPRT_CORE_TABLE_H

#include "core/module.h"

namespace tprt {

// Whether `bytes` from `start` on lie inside one segment that has these flags.
bool inSegment(Segments segments, uint64_t start, uint64_t bytes,
               uint32_t flags);

// Looks through one note segment for notes of ours: of a table, which is found
// when it has at least one record, and of the names that the module carries for
// its functions, where one that leads elsewhere counts as none. Returns
// nullptr, or what is wrong with the table.
const char *readNotes(const uint8_t *notes, size_t bytes, FoundModule &module);

// nullptr, or what is wrong with the first bad record, whose index is stored.
const char *checkRecords(const tprt_record *records, uint32_t count,
                         const Array<Segment> &segments, uint32_t *bad);

// The two addresses of a record. A table's records are read in order, each into
// what the one before left: a near one goes on from there.
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

// Sites from a module's records or, where `foreign` is not null, from a foreign
// section's entries: in order, one a sled, as identical code folding leaves two
// records for one. Returns how many.
uint32_t makeSites(Module *module, const uint64_t *foreign, tprt_site *out);

} // namespace tprt

#endif
