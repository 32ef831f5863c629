// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads notes and tables (docs/table-abi.md); see table.h. The layout of notes
// is in ELF gABI, "Note Section".
#include "core/table.h"
#include "core/arch.h"
#include "core/module.h"

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

static const char *takeTable(uint64_t start, uint64_t stop,
                             FoundModule &module) {
  uint64_t bytes = stop - start;
  if (bytes < sizeof(tprt_record))
    return nullptr; // both symbols undefined: every table was discarded
  if (stop < start || !inSegment(module.kept(), start, bytes, PF_R))
    return "its note points to a table outside the module";
  if (start % alignof(tprt_record) != 0)
    return "its table is not aligned to 4 bytes";
  if (bytes % sizeof(tprt_record) != 0)
    return "its table is not a whole number of records";
  if (bytes / sizeof(tprt_record) > UINT32_MAX)
    return "its table has more records than this runtime takes";
  module.records = reinterpret_cast<const tprt_record *>(start);
  module.recordCount = static_cast<uint32_t>(bytes / sizeof(tprt_record));
  return nullptr;
}

static void takeNames(uint64_t start, uint64_t stop, FoundModule &module) {
  if (start >= stop || stop - start > UINT32_MAX / 2 || start % 4 != 0 ||
      !inSegment(module.kept(), start, stop - start, PF_R))
    return;
  module.names = reinterpret_cast<const char *>(start);
  module.namesBytes = stop - start;
}

// Looks at every 4-byte step instead of going from note to note. The reason:
// mold 1.10 puts notes of alignment 8 and of alignment 4 into one segment,
// where neither padding leads from one note to the next. A note of tp's is
// recognised by its header: 12 bytes of numbers, and the name.
const char *readNotes(const uint8_t *notes, size_t bytes, FoundModule &module) {
  constexpr size_t kNameAt = sizeof(Elf64_Nhdr), kDescAt = kNameAt + 4;
  for (; bytes >= kDescAt; bytes -= 4, notes += 4) {
    Elf64_Nhdr header;
    memcpy(&header, notes, sizeof header);
    bool table = header.n_type == TPRT_TABLE_VERSION;
    if (header.n_namesz != sizeof TPRT_NOTE_NAME ||
        (!table && header.n_type != TPRT_NAMES_VERSION) ||
        memcmp(notes + kNameAt, TPRT_NOTE_NAME, sizeof TPRT_NOTE_NAME) != 0)
      continue;
    const uint8_t *desc = notes + kDescAt;
    const char *fault = nullptr;
    if (header.n_descsz != sizeof(tprt_note_desc)) {
      fault = "its note does not have the size of version 1";
    } else if (bytes - kDescAt < sizeof(tprt_note_desc)) {
      fault = "its note is truncated";
    } else {
      uint64_t start = resolve64(desc + offsetof(tprt_note_desc, start));
      uint64_t stop = resolve64(desc + offsetof(tprt_note_desc, stop));
      if (table)
        fault = takeTable(start, stop, module);
      else
        takeNames(start, stop, module);
    }
    if (table && fault)
      return fault;
  }
  return nullptr;
}

// Most records lie in the same segment as the record before.
namespace {
struct CodeSegment {
  const Array<Segment> &all;
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
                         const Array<Segment> &segments, uint32_t *bad) {
  CodeSegment code{segments};
  RecordAddresses at;
  for (uint32_t i = 0; i < count; ++i) {
    const tprt_record &r = records[i];
    *bad = i;
    if (i == 0 && r.needs & TPRT_RECORD_NEAR)
      return "goes on from a record that is not there";
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
