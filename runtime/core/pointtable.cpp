// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the tables of points; see pointtable.h. A module may lie: an address
// may lead anywhere, and a descriptor may say any length.
#include "core/pointtable.h"
#include "core/arch.h"
#include "core/table.h"

#include <elf.h>
#include <string.h>

namespace tprt {

template <class Field> static uint64_t follow(const Field &field) {
  return reinterpret_cast<uint64_t>(&field) +
         static_cast<uint64_t>(int64_t{field});
}

GateAddresses addressesOf(const tprt_gate_record &record) {
  return {follow(record.gate), follow(record.target),
          follow(record.descriptor)};
}

uint64_t sledOf(const tprt_point_sled_record &record) {
  return follow(record.sled);
}

TPRT_CODE_ACCESS PointAddresses
addressesOf(const tprt_point_sled_record &record) {
  uint64_t sled = sledOf(record), field = sled + TPRT_POINT_DESCRIPTOR_AT;
  int32_t distance;
  memcpy(&distance, reinterpret_cast<const void *>(field), sizeof distance);
  return {sled, field + static_cast<uint64_t>(int64_t{distance})};
}

size_t bytesOf(const tprt_descriptor &descriptor) {
  return sizeof descriptor + descriptor.argument_count + 1u +
         descriptor.name_bytes + descriptor.format_bytes +
         descriptor.file_bytes;
}

// Whether each of the texts behind the descriptor ends where it should.
static bool areWhole(const tprt_descriptor &descriptor) {
  const auto *end = reinterpret_cast<const char *>(&descriptor + 1);
  const size_t lengths[] = {descriptor.argument_count + size_t{1},
                            descriptor.name_bytes, descriptor.format_bytes,
                            descriptor.file_bytes};
  for (size_t length : lengths) {
    end += length;
    if (length == 0 || end[-1])
      return false;
  }
  return true;
}

// One bit per letter, from '@' on: strchr() would be called for each argument.
static constexpr uint64_t kKnownTypes = [] {
  uint64_t known = 0;
  for (const char *type = TPRT_POINT_TYPES; *type; ++type)
    known |= uint64_t{1} << (*type - '@');
  return known;
}();

static bool areTypesKnown(const tprt_descriptor &descriptor) {
  const auto *types = reinterpret_cast<const uint8_t *>(&descriptor + 1);
  for (unsigned i = 0; i < descriptor.argument_count; ++i)
    if (unsigned bit = types[i] - unsigned{'@'};
        bit >= 64 || !(kKnownTypes >> bit & 1))
      return false;
  return true;
}

static bool hasDescriptor(uint64_t address, Segments segments) {
  return address % 8 == 0 &&
         inSegment(segments, address, sizeof(tprt_descriptor), PF_R);
}

static const char *descriptorFault(uint64_t address, Segments segments) {
  if (!hasDescriptor(address, segments))
    return "points to a descriptor outside the module's readable memory";
  const auto &descriptor = *reinterpret_cast<const tprt_descriptor *>(address);
  if (descriptor.version != TPRT_DESCRIPTOR_VERSION || descriptor.flags ||
      descriptor.reserved || descriptor.style > TPRT_POINT_STYLE_TEST)
    return "points to a descriptor of a version this runtime does not know";
  if (descriptor.argument_count > TPRT_MOST_ARGUMENTS)
    return "points to a descriptor of more than 12 arguments";
  if (!inSegment(segments, address, bytesOf(descriptor), PF_R))
    return "points to a descriptor whose texts end outside the module";
  if (!areWhole(descriptor) || descriptor.name_bytes < 2)
    return "points to a descriptor whose texts do not end where it says";
  return areTypesKnown(descriptor)
             ? nullptr
             : "points to a descriptor with an unknown type of argument";
}

const char *checkGates(const tprt_gate_record *records, uint32_t count,
                       Segments segments, uint32_t *bad) {
  uint64_t known = 0; // Copies of one statement follow one another.
  for (uint32_t i = 0; i < count; ++i) {
    *bad = i;
    GateAddresses at = addressesOf(records[i]);
    if (!inSegment(segments, at.gate, kPointSledBytes, PF_X))
      return "points to a gate outside the module's code";
    if (!inSegment(segments, at.target, 1, PF_X) ||
        at.target % kCodeAlignment != 0)
      return "leads from its gate to a place outside the module's code";
    if (at.gate % kCodeAlignment != 0)
      return "has a gate between instructions";
    if (const char *fault = at.descriptor == known
                                ? nullptr
                                : descriptorFault(at.descriptor, segments))
      return fault;
    known = at.descriptor;
  }
  return nullptr;
}

// The bytes of a sled that a reader looks at.
static constexpr uint64_t kReadBytes =
    TPRT_POINT_DESCRIPTOR_AT + sizeof(int32_t);

bool CheckedGates::leadTo(uint64_t descriptor) {
  constexpr uint32_t kNear = 4;
  for (uint32_t i = last; i < count && i - last <= kNear; ++i)
    if (addressesOf(records[i]).descriptor == descriptor) {
      last = i;
      return true;
    }
  return false;
}

const char *checkPoints(const tprt_point_sled_record *records, uint32_t count,
                        CheckedGates gates, Segments segments, uint32_t *bad) {
  for (uint32_t i = 0; i < count; ++i) {
    *bad = i;
    uint64_t sled = sledOf(records[i]);
    if (!inSegment(segments, sled, kReadBytes, PF_X))
      return "points to a sled outside the module's code";
    if (!inSegment(segments, sled, kReadBytes, PF_R))
      return "points to a sled in code that can't be read";
    if (sled % kCodeAlignment != 0)
      return "has a sled between instructions";
    uint64_t descriptor = addressesOf(records[i]).descriptor;
    if (const char *fault = gates.leadTo(descriptor)
                                ? nullptr
                                : descriptorFault(descriptor, segments))
      return fault;
    if (reinterpret_cast<const tprt_descriptor *>(descriptor)->style ==
        TPRT_POINT_STYLE_TEST)
      return "is a sled of a test, which has none";
  }
  return nullptr;
}

uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum) {
  sum =
      checksum(facts.gates, size_t{facts.gateCount} * sizeof *facts.gates, sum);
  sum = checksum(facts.points, size_t{facts.pointCount} * sizeof *facts.points,
                 sum);
  for (uint32_t i = 0; i < facts.pointCount; ++i) {
    if (!inSegment(segments, sledOf(facts.points[i]), kReadBytes, PF_X | PF_R))
      continue;
    uint64_t at = addressesOf(facts.points[i]).descriptor;
    if (!hasDescriptor(at, segments))
      continue;
    const auto *descriptor = reinterpret_cast<const tprt_descriptor *>(at);
    size_t bytes = bytesOf(*descriptor);
    // Only whole words count, so up to three bytes of padding are left out.
    if (inSegment(segments, at, bytes, PF_R))
      sum = checksum(descriptor, bytes, sum);
  }
  return sum;
}

} // namespace tprt
