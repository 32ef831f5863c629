// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes and tables (docs/table-abi.md); see table.h. Note layout: ELF gABI,
// "Note Section".
#include "core/table.h"
#include "core/arch.h"

#include <elf.h>
#include <string.h>

namespace tprt {

static bool inSegment(const Array<Segment> &segments, uint64_t start, uint64_t bytes, uint32_t flags) {
  for (const Segment &s : segments)
    if ((s.flags & flags) == flags && start >= s.start && start <= s.end && bytes <= s.end - start)
      return true;
  return false;
}

// A self-relative field's value, by memcpy: notes are 4-byte aligned.
static uint64_t resolve64(const uint8_t *field) {
  int64_t distance;
  memcpy(&distance, field, sizeof distance);
  return reinterpret_cast<uint64_t>(field) + static_cast<uint64_t>(distance);
}

uint64_t sledOf(const tprt_record &record) {
  return reinterpret_cast<uint64_t>(&record.sled) + static_cast<int64_t>(record.sled);
}

uint64_t functionOf(const tprt_record &record) {
  return reinterpret_cast<uint64_t>(&record.function) + static_cast<int64_t>(record.function);
}

static const char *readDescriptor(const uint8_t *desc, const Array<Segment> &segments, const tprt_record **records,
                                  uint32_t *count) {
  uint64_t start = resolve64(desc + offsetof(tprt_note_desc, start));
  uint64_t stop = resolve64(desc + offsetof(tprt_note_desc, stop));
  if (stop - start < sizeof(tprt_record) || stop == start)
    return nullptr; // both symbols undefined: every table was discarded
  if (stop < start || !inSegment(segments, start, stop - start, PF_R))
    return "its note points to a table outside the module";
  if (start % alignof(tprt_record) != 0)
    return "its table is not aligned to 4 bytes";
  if ((stop - start) % sizeof(tprt_record) != 0)
    return "its table is not a whole number of records";
  if ((stop - start) / sizeof(tprt_record) > kMaxSites)
    return "its table has more records than this runtime takes";
  *records = reinterpret_cast<const tprt_record *>(start);
  *count = static_cast<uint32_t>((stop - start) / sizeof(tprt_record));
  return nullptr;
}

// Looks at every 4-byte step rather than from note to note: mold 1.10 puts notes
// of alignment 8 and 4 into one segment, where neither padding leads from one to
// the next. Our header, 12 bytes of numbers and the name, is its own mark.
const char *findTable(const uint8_t *notes, size_t bytes, const Array<Segment> &segments,
                      const tprt_record **records, uint32_t *count) {
  constexpr size_t kNameAt = sizeof(Elf64_Nhdr), kDescAt = kNameAt + 4;
  for (size_t at = 0; bytes >= kDescAt && at <= bytes - kDescAt; at += 4) {
    Elf64_Nhdr header;
    memcpy(&header, notes + at, sizeof header);
    if (header.n_namesz != sizeof TPRT_NOTE_NAME || header.n_type != TPRT_TABLE_VERSION ||
        memcmp(notes + at + kNameAt, TPRT_NOTE_NAME, sizeof TPRT_NOTE_NAME) != 0)
      continue;
    if (header.n_descsz != sizeof(tprt_note_desc))
      return "its note does not have the size of version 1";
    if (bytes - at - kDescAt < sizeof(tprt_note_desc))
      return "its note is truncated";
    if (const char *fault = readDescriptor(notes + at + kDescAt, segments, records, count))
      return fault;
  }
  return nullptr;
}

const char *checkRecords(const tprt_record *records, uint32_t count, const Array<Segment> &segments,
                         uint32_t *bad) {
  for (uint32_t i = 0; i < count; ++i) {
    const tprt_record &r = records[i];
    *bad = i;
    uint64_t sled = sledOf(r), function = functionOf(r);
    if (!inSegment(segments, sled, r.size, PF_X))
      return "points to a sled outside the module's code";
    if (!inSegment(segments, function - r.slot, r.slot + 1, PF_X))
      return "points to a function outside the module's code";
    if (TPRT_RECORD_EVENT(r.kind) > TPRT_RECORD_TAIL_EXIT)
      return "is of a kind this runtime does not know";
    if (const char *fault = recordFault(r, sled, function))
      return fault;
  }
  return nullptr;
}

} // namespace tprt
