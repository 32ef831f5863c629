// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads notes and tables (docs/reference/table-abi.md); see sled_table.h. The
// layout of notes is in ELF gABI, "Note Section".
#include "modules/sled_table.h"
#include "modules/module.h"
#include "modules/point_table.h"
#include "sites/arch.h"

#include <elf.h>
#include <string.h>

namespace tprt {

static bool inSegment(const Segment &s, uint64_t start, uint64_t bytes,
                      uint32_t flags) {
  return (s.flags & flags) == flags && start >= s.start && start <= s.end &&
         bytes <= s.end - start;
}

bool inSegment(Segments segments, uint64_t start, uint64_t bytes,
               uint32_t flags) {
  for (const Segment &s : segments)
    if (inSegment(s, start, bytes, flags))
      return true;
  return false;
}

// Reads a self-relative field by memcpy, because notes are only 4-byte aligned.
static uint64_t resolve64(const uint8_t *field) {
  int64_t distance;
  memcpy(&distance, field, sizeof distance);
  return reinterpret_cast<uint64_t>(field) + static_cast<uint64_t>(distance);
}

// Reads the span of a note as an array of `Record`s. If the linker discarded
// every table, both symbols are undefined and the span is empty; then `records`
// stays null. Returns nullptr, or the fault.
template <class Record>
static const char *takeTable(uint64_t start, uint64_t stop, Segments segments,
                             const Record *&records, uint32_t &count) {
  uint64_t bytes = stop - start;
  if (bytes < sizeof(Record))
    return nullptr;
  if (stop < start || !inSegment(segments, start, bytes, PF_R))
    return "its note points to a table outside the module";
  if (start % alignof(Record) != 0)
    return "its table is not aligned to 4 bytes";
  if (bytes % sizeof(Record) != 0)
    return "the size of its table is not a multiple of a record's size";
  if (bytes / sizeof(Record) > UINT32_MAX)
    return "its table has more records than this runtime accepts";
  records = reinterpret_cast<const Record *>(start);
  count = static_cast<uint32_t>(bytes / sizeof(Record));
  return nullptr;
}

// The types of notes that trace.h made while its table had another format.
enum { kEarlierBranches = 3, kEarlierPoints = 4 };

static const char *takePoints(uint64_t start, uint64_t stop,
                              FoundModule &module) {
  if (const char *fault = takeTable(start, stop, module.kept(), module.points,
                                    module.pointWords))
    return fault;
  PointRecords records(module);
  module.branchCount = module.pointCount = 0;
  while (records.next())
    ++(records.isStaticBranch() ? module.branchCount : module.pointCount);
  return records.isCut() ? "its table of points ends inside a record" : nullptr;
}

static void takeNames(uint64_t start, uint64_t stop, FoundModule &module) {
  if (start >= stop || stop - start > UINT32_MAX / 2 || start % 4 != 0 ||
      !inSegment(module.kept(), start, stop - start, PF_R))
    return;
  module.names = reinterpret_cast<const char *>(start);
  module.namesBytes = stop - start;
}

static const char *takeSpan(uint32_t type, uint64_t start, uint64_t stop,
                            FoundModule &module) {
  Segments segments = module.kept();
  switch (type) {
  case TPRT_TABLE_VERSION:
    return takeTable(start, stop, segments, module.records, module.recordCount);
  case kEarlierBranches:
  case kEarlierPoints:
    return stop - start < sizeof(int32_t)
               ? nullptr
               : "its tables of points are from an earlier tprt/trace.h";
  case TPRT_POINTS_VERSION:
    return takePoints(start, stop, module);
  case TPRT_USDT_VERSION:
    // A faulty table of semaphores is treated as missing.
    takeTable(start, stop, segments, module.usdt, module.usdtCount);
    return nullptr;
  }
  takeNames(start, stop, module);
  return nullptr;
}

// Reads the part of one of tp's notes that follows its name. `bytes` is the
// size of the notes from that part on. Returns nullptr, or the fault.
static const char *takeNote(const Elf64_Nhdr &header, const uint8_t *desc,
                            size_t bytes, FoundModule &module,
                            const TableExtents *known) {
  if (header.n_descsz != sizeof(tprt_note_desc))
    return "its note has another size than a note of version 1";
  if (bytes < sizeof(tprt_note_desc))
    return "its note is truncated";
  Extent table = {resolve64(desc + offsetof(tprt_note_desc, start)),
                  resolve64(desc + offsetof(tprt_note_desc, stop))};
  module.unbounded |= table.start == module.base && table.end == module.base;
  if (known && known->of[header.n_type].start)
    table = known->of[header.n_type];
  return takeSpan(header.n_type, table.start, table.end, module);
}

// Checks every 4-byte step instead of moving from note to note. The reason:
// mold 1.10 puts notes of alignment 8 and of alignment 4 into one segment, so
// no single padding leads from each note to the next. One of tp's notes is
// recognised by its header: 12 bytes of numbers, and the name.
const char *readNotes(const uint8_t *notes, size_t bytes, FoundModule &module,
                      const TableExtents *known) {
  constexpr size_t kNameAt = sizeof(Elf64_Nhdr), kDescAt = kNameAt + 4;
  for (; bytes >= kDescAt; bytes -= 4, notes += 4) {
    Elf64_Nhdr header;
    memcpy(&header, notes, sizeof header);
    if (header.n_namesz != sizeof TPRT_NOTE_NAME ||
        header.n_type < TPRT_TABLE_VERSION ||
        header.n_type > TPRT_POINTS_VERSION ||
        memcmp(notes + kNameAt, TPRT_NOTE_NAME, sizeof TPRT_NOTE_NAME) != 0)
      continue;
    const char *fault =
        takeNote(header, notes + kDescAt, bytes - kDescAt, module, known);
    if (fault && header.n_type == TPRT_TABLE_VERSION)
      return fault;
    if (fault && header.n_type != TPRT_NAMES_VERSION)
      module.pointFault = fault;
  }
  return nullptr;
}

// Most records lie in the same segment as the record before.
namespace {
struct CodeSegment {
  const Segments all;
  const Segment *last = nullptr;
  bool contains(uint64_t start, uint64_t bytes) {
    return (last && start - last->start <= last->end - last->start &&
            bytes <= last->end - start) ||
           find(start, bytes);
  }
  bool find(uint64_t start, uint64_t bytes) {
    for (const Segment &s : all)
      if (inSegment(s, start, bytes, PF_X))
        return (last = &s) != nullptr;
    return false;
  }
};
} // namespace

const char *checkRecords(const tprt_record *records, uint32_t count,
                         Segments segments, uint32_t *bad) {
  CodeSegment code{segments};
  RecordAddresses at;
  for (uint32_t i = 0; i < count; ++i) {
    const tprt_record &r = records[i];
    *bad = i;
    if (i == 0 && r.needs & TPRT_RECORD_NEAR)
      return "continues a record that does not exist";
    at.read(r);
    uint64_t sled = at.sled, function = at.function;
    if (!code.contains(sled, r.size))
      return "points to a sled outside the module's code";
    if (!code.contains(function - r.slot, r.slot + 1))
      return "points to a function outside the module's code";
    if (TPRT_RECORD_KIND(r.traits) > TPRT_KIND_TAIL_EXIT)
      return "is of a kind this runtime does not know";
    if (const char *fault = recordFault(r, sled, function))
      return fault;
  }
  return nullptr;
}

} // namespace tprt
