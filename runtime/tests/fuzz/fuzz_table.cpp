// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes notes and tables. The input is a module's memory. The first byte gives
// the size of the note segment, and the second byte the size of the code. No
// byte outside of the memory may be read, and an accepted table must lie inside
// the memory.
#include "modules/point_table.h"
#include "modules/sled_table.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <memory>

static bool isInside(const tprt::Array<tprt::Segment> &segments, uint64_t start,
                     size_t bytes) {
  return tprt::inSegment(segments, start, bytes, PF_R);
}

// Accepted records refer to addresses inside the memory.
static void checkPointTable(const tprt::FoundModule &module,
                            const tprt::Array<tprt::Segment> &segments) {
  uint32_t bad = 0;
  tprt::checksumPoints(module, segments, 0);
  tprt::PointRecords records(module);
  if (tprt::checkPoints(records, segments, &bad))
    return;
  uint32_t branches = 0, points = 0;
  while (records.next()) {
    uint64_t at = 0;
    if (records.isStaticBranch()) {
      ++branches;
      tprt::BranchAddresses to = tprt::addressesOf(records.branch());
      if (!isInside(segments, to.branch, 4) ||
          !isInside(segments, to.target, 1))
        abort();
      at = to.descriptor;
    } else {
      ++points;
      at = tprt::addressesOf(records.sled()).descriptor;
    }
    const auto &descriptor = *reinterpret_cast<const tprt_descriptor *>(at);
    if (!isInside(segments, at, tprt::bytesOf(descriptor)))
      abort();
  }
  if (branches != module.branchCount || points != module.pointCount)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes < 2 || bytes > 4096)
    return 0;
  size_t notes = data[0] * bytes / 255, code = data[1] * bytes / 255;
  // The block on the heap has exactly this size, so reading one byte too far is
  // detected.
  std::unique_ptr<uint32_t[]> memory(new uint32_t[(bytes + 3) / 4]);
  auto *image = reinterpret_cast<uint8_t *>(memory.get());
  memcpy(image, data, bytes);
  auto base = reinterpret_cast<uint64_t>(image);
  tprt::Array<tprt::Segment> segments;
  segments.push({base, base + bytes - code, PF_R});
  segments.push({base + bytes - code, base + bytes, PF_R | PF_X});
  tprt::FoundModule module{};
  for (const tprt::Segment &s : segments)
    module.segments[module.segmentCount++] = s;
  const char *fault = tprt::readNotes(image, notes, module);
  auto names = reinterpret_cast<uint64_t>(module.names);
  if (names && (names < base || names + module.namesBytes > base + bytes))
    abort();
  checkPointTable(module, segments);
  const tprt_record *records = module.records;
  uint32_t count = module.recordCount, bad = 0;
  if (fault || !records)
    return 0;
  auto start = reinterpret_cast<uint64_t>(records);
  if (start < base || start + count * sizeof(tprt_record) > base + bytes ||
      count == 0)
    abort();
  if (tprt::checkRecords(records, count, segments, &bad))
    return 0;
  tprt::RecordAddresses at;
  for (uint32_t i = 0; i < count; ++i) {
    at.read(records[i]);
    uint64_t sled = at.sled, function = at.function;
    if (sled < base + bytes - code || sled + records[i].size > base + bytes ||
        function - records[i].slot < base + bytes - code ||
        function >= base + bytes)
      abort();
  }
  return 0;
}
