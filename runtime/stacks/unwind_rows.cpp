// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads .eh_frame_hdr and .eh_frame; see unwind_rows.h. Their format: Linux
// Standard Base 5.0, Core, 10.6 ("Exception Frames") and DWARF 5, 6.4. Every
// address is checked before it is read, because the tables may be corrupt.
#include "stacks/unwind_rows.h"
#include "base/leb128.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/sort.h"
#include "stacks/frame_rules.h"

#include <elf.h>
#include <string.h>

namespace tprt {

// --- rows that differ --------------------------------------------------------

bool RowList::prepare() {
  if (used)
    return true;
  rows = static_cast<UnwindRow *>(
      reservePages(roundToPages((kMost + 1) * sizeof *rows)));
  index = static_cast<uint16_t *>(
      reservePages(roundToPages(kIndex * sizeof *index)));
  if (!rows || !index)
    return false;
  rows[kNoCode] = {UnwindRow::NoCode, 0, 0, 0};
  rows[kUnknown] = {UnwindRow::Unknown, 0, 0, 0};
  used = 2;
  return true;
}

void RowList::release() {
  if (rows)
    freePages(rows, roundToPages((kMost + 1) * sizeof *rows));
  if (index)
    freePages(index, roundToPages(kIndex * sizeof *index));
  rows = nullptr, index = nullptr, used = 0;
}

static uint32_t hashOf(const UnwindRow &row) {
  uint64_t hash = row.kind;
  const int32_t words[] = {row.cfa, row.frame, row.back};
  for (const int32_t word : words)
    hash = (hash ^ static_cast<uint32_t>(word)) * 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(hash >> 32);
}

uint16_t RowList::numberOf(const UnwindRow &row) {
  if (row.kind == UnwindRow::Unknown)
    return kUnknown;
  for (uint32_t i = hashOf(row);; ++i) {
    uint16_t &entry = index[i % kIndex];
    if (entry && rows[entry] == row)
      return entry;
    if (entry)
      continue;
    if (used > kMost)
      return kUnknown;
    rows[used] = row;
    entry = static_cast<uint16_t>(used++);
    return entry;
  }
}

// --- tables ------------------------------------------------------------------

namespace {
struct Tables {
  uint64_t origin, header;
  Segments readable;
  RowList &list;
  ModuleRows &to;
  // The common entry that was read last; 0 is none.
  uint64_t commonAt = 0;
  CommonEntry common = {};
  bool isCommonKnown = false;
  bool hasMemory = true;

  bool isReadable(uint64_t start, uint64_t bytes) const;
  FrameReader contentsOf(uint64_t entry) const;
  bool findCommon(uint64_t at);
  void readFunction(uint64_t start, uint64_t entry);
  void add(uint64_t address, const UnwindRow &row);
};
} // namespace

bool Tables::isReadable(uint64_t start, uint64_t bytes) const {
  for (const Segment &each : readable)
    if (start >= each.start && start <= each.end && each.end - start >= bytes)
      return true;
  return false;
}

// An entry's contents, without its length. Empty if they are not all in the
// module.
FrameReader Tables::contentsOf(uint64_t entry) const {
  uint32_t length = 0;
  if (!isReadable(entry, sizeof length))
    return {};
  memcpy(&length, reinterpret_cast<const void *>(entry), sizeof length);
  const uint64_t start = entry + sizeof length;
  if (length >= 0xfffffff0 || !isReadable(start, length))
    return {};
  const auto *first = reinterpret_cast<const uint8_t *>(start);
  return {first, first + length};
}

bool Tables::findCommon(uint64_t at) {
  if (at != commonAt) {
    commonAt = at;
    isCommonKnown = readCommonEntry(contentsOf(at), common);
  }
  return isCommonKnown;
}

// From the address on the row applies. A later call for the same address
// replaces an earlier one.
void Tables::add(uint64_t address, const UnwindRow &row) {
  const uint64_t start = address - origin;
  if (start > UINT32_MAX)
    return;
  const uint16_t number = list.numberOf(row);
  const size_t count = to.starts.size();
  if (count && to.starts[count - 1] == start)
    to.numbers[count - 1] = number;
  else if (!count || to.numbers[count - 1] != number)
    hasMemory = to.starts.push(static_cast<uint32_t>(start)) &&
                to.numbers.push(number) && hasMemory;
}

void Tables::readFunction(uint64_t start, uint64_t entry) {
  FrameReader in = contentsOf(entry);
  const auto field = reinterpret_cast<uint64_t>(in.at);
  const auto back = in.take<uint32_t>();
  if (!back || !findCommon(field - back))
    return;
  const auto place = reinterpret_cast<uint64_t>(in.at);
  const uint64_t first =
      place + static_cast<uint64_t>(int64_t{in.take<int32_t>()});
  const uint64_t bytes = in.take<uint32_t>();
  const size_t count = to.starts.size();
  if (first != start || !bytes || first < origin ||
      (count && first - origin < to.starts[count - 1]) ||
      !in.skip(in.takeLeb()))
    return;
  FrameRules rules(common);
  uint64_t at = 0;
  for (bool goesOn = true; goesOn && at < bytes && hasMemory;) {
    uint64_t next = at;
    goesOn = rules.run(in, next);
    add(first + at, rules.row());
    at = next;
  }
  add(first + bytes, {UnwindRow::Unknown, 0, 0, 0});
}

namespace {
struct Line {
  int32_t start, entry;
};
} // namespace

// When lld sorts the table, it treats the distances as unsigned: code that lies
// before the table comes last.
static bool isInOrder(const Line *lines, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i)
    if (lines[i].start < lines[i - 1].start)
      return false;
  return true;
}

bool readRows(uint64_t origin, uint64_t header, Segments readable,
              RowList &list, ModuleRows &to) {
  Tables tables = {origin, header, readable, list, to};
  struct {
    uint8_t version, frames, count, table;
    int32_t place;
    uint32_t lines;
  } head;
  if (!tables.isReadable(header, sizeof head))
    return true;
  memcpy(&head, reinterpret_cast<const void *>(header), sizeof head);
  // Distances of 4 bytes: sdata4, udata4, and datarel | sdata4 (LSB Core,
  // 10.5.1).
  if (head.version != 1 || (head.frames & 0x0f) != 0x0b || head.count != 3 ||
      head.table != 0x3b ||
      !tables.isReadable(header + sizeof head,
                         uint64_t{head.lines} * sizeof(Line)))
    return true;
  const auto *lines = reinterpret_cast<const Line *>(header + sizeof head);
  Array<Line> ordered;
  if (!isInOrder(lines, head.lines)) {
    if (!ordered.append(lines, head.lines))
      return false;
    heapSort(ordered.begin(), ordered.size(),
             [](const Line &a, const Line &b) { return a.start < b.start; });
    lines = ordered.begin();
  }
  auto at = [&](int32_t distance) {
    return header + static_cast<uint64_t>(int64_t{distance});
  };
  for (uint32_t i = 0; i < head.lines && tables.hasMemory; ++i)
    tables.readFunction(at(lines[i].start), at(lines[i].entry));
  return tables.hasMemory;
}

} // namespace tprt
