// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes and tables (docs/table-abi.md); see table.h. Note layout: ELF gABI,
// "Note Section".
#include "core/table.h"
#include "core/arch.h"

#include <elf.h>
#include <string.h>

namespace tprt {

static uint64_t mix(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ sum >> 29;
}

// Four at once: each by itself waits for its multiplication, and tables are
// megabytes.
uint64_t checksum(const void *memory, size_t bytes, uint64_t sum) {
  const auto *at = static_cast<const uint8_t *>(memory);
  uint64_t sums[4] = {sum, 1, 2, 3}, words[4];
  for (; bytes >= sizeof words; bytes -= sizeof words, at += sizeof words) {
    memcpy(words, at, sizeof words);
    for (int i = 0; i < 4; ++i)
      sums[i] = mix(sums[i], words[i]);
  }
  sum = mix(mix(mix(sums[0], sums[1]), sums[2]), sums[3]);
  for (; bytes >= 4; bytes -= 4, at += 4) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    sum = mix(sum, word);
  }
  return sum;
}

static bool inSegment(const Segment &s, uint64_t start, uint64_t bytes,
                      uint32_t flags) {
  return (s.flags & flags) == flags && start >= s.start && start <= s.end &&
         bytes <= s.end - start;
}

[[gnu::cold]] bool inSegment(const Array<Segment> &segments, uint64_t start,
                             uint64_t bytes, uint32_t flags) {
  for (const Segment &s : segments)
    if (inSegment(s, start, bytes, flags))
      return true;
  return false;
}

// A self-relative field's value, by memcpy: notes are 4-byte aligned.
static uint64_t resolve64(const uint8_t *field) {
  int64_t distance;
  memcpy(&distance, field, sizeof distance);
  return reinterpret_cast<uint64_t>(field) + static_cast<uint64_t>(distance);
}

static const char *readDescriptor(const uint8_t *desc,
                                  const Array<Segment> &segments,
                                  const tprt_record **records,
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

// The descriptor of the next note of ours with `type`, from *at on; none if it
// stays null. Looks at every 4-byte step rather than from note to note: mold
// 1.10 puts notes of alignment 8 and 4 into one segment, where neither padding
// leads from one to the next. Our header, 12 bytes of numbers and the name, is
// its own mark.
[[gnu::cold]] static const char *nextNote(const uint8_t *notes, size_t bytes,
                                          uint32_t type, size_t *at,
                                          const uint8_t **desc) {
  constexpr size_t kNameAt = sizeof(Elf64_Nhdr), kDescAt = kNameAt + 4;
  *desc = nullptr;
  for (; bytes >= kDescAt && *at <= bytes - kDescAt; *at += 4) {
    const uint8_t *note = notes + *at;
    Elf64_Nhdr header;
    memcpy(&header, note, sizeof header);
    if (header.n_namesz != sizeof TPRT_NOTE_NAME || header.n_type != type ||
        memcmp(note + kNameAt, TPRT_NOTE_NAME, sizeof TPRT_NOTE_NAME) != 0)
      continue;
    if (header.n_descsz != sizeof(tprt_note_desc))
      return "its note does not have the size of version 1";
    if (bytes - *at - kDescAt < sizeof(tprt_note_desc))
      return "its note is truncated";
    *desc = note + kDescAt;
    *at += 4;
    return nullptr;
  }
  return nullptr;
}

[[gnu::cold]] const char *findTable(const uint8_t *notes, size_t bytes,
                                    const Array<Segment> &segments,
                                    const tprt_record **records,
                                    uint32_t *count) {
  const uint8_t *desc;
  for (size_t at = 0;;) {
    const char *fault = nextNote(notes, bytes, TPRT_TABLE_VERSION, &at, &desc);
    if (fault || !desc)
      return fault;
    if ((fault = readDescriptor(desc, segments, records, count)))
      return fault;
  }
}

[[gnu::cold]] void findNames(const uint8_t *notes, size_t bytes,
                             const Array<Segment> &segments, const char **names,
                             size_t *namesBytes) {
  const uint8_t *desc;
  for (size_t at = 0;
       !nextNote(notes, bytes, TPRT_NAMES_VERSION, &at, &desc) && desc;) {
    uint64_t start = resolve64(desc + offsetof(tprt_note_desc, start));
    uint64_t stop = resolve64(desc + offsetof(tprt_note_desc, stop));
    if (start >= stop || stop - start > UINT32_MAX / 2 || start % 4 != 0 ||
        !inSegment(segments, start, stop - start, PF_R))
      continue;
    *names = reinterpret_cast<const char *>(start);
    *namesBytes = stop - start;
  }
}

// Most records are of the segment of the one before.
namespace {
struct CodeSegment {
  const Array<Segment> &all;
  const Segment *last = nullptr;
  bool contains(uint64_t start, uint64_t bytes) {
    return (last && start - last->start <= last->end - last->start &&
            bytes <= last->end - start) ||
           find(start, bytes);
  }
  [[gnu::cold]] bool find(uint64_t start, uint64_t bytes) {
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
    if (TPRT_RECORD_EVENT(r.kind) > TPRT_RECORD_TAIL_EXIT)
      return "is of a kind this runtime does not know";
    if (const char *fault = recordFault(r, sled, function))
      return fault;
  }
  return nullptr;
}

} // namespace tprt
