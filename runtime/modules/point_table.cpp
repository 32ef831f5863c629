// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the table of points; see point_table.h. A table may be corrupt: an
// address may have any value, and a descriptor may give any length.
#include "modules/point_table.h"
#include "base/checksum.h"
#include "modules/sled_table.h"
#include "sites/arch.h"

#include <elf.h>
#include <string.h>

namespace tprt {

template <class Field> static uint64_t follow(const Field &field) {
  return reinterpret_cast<uint64_t>(&field) +
         static_cast<uint64_t>(int64_t{field});
}

bool PointRecords::next() {
  constexpr ptrdiff_t kBranchWords = sizeof(tprt_branch_record) / sizeof *at;
  at = following;
  if (at == end)
    return false;
  bool branch = (follow(*at) & TPRT_BRANCH_MARK) == TPRT_BRANCH_MARK;
  ptrdiff_t words = branch ? kBranchWords : 1;
  if (end - at < words)
    return false;
  following = at + words;
  return true;
}

BranchAddresses addressesOf(const tprt_branch_record &record) {
  return {follow(record.branch), follow(record.target),
          follow(record.descriptor) - TPRT_BRANCH_MARK};
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

// Whether each text after the descriptor ends at the length in the descriptor.
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

// One bit per letter, from '@' on. The bits replace a call of strchr() for each
// argument.
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
    return "points to a descriptor with more than 12 arguments";
  if (!inSegment(segments, address, bytesOf(descriptor), PF_R))
    return "points to a descriptor whose texts end outside the module";
  if (!areWhole(descriptor) || descriptor.name_bytes < 2)
    return "points to a descriptor whose texts do not have the stated sizes";
  return areTypesKnown(descriptor)
             ? nullptr
             : "points to a descriptor with an unknown type of argument";
}

// The descriptors that were checked last. Copies of one statement's static
// branch and sled are mostly next to one another in the table.
namespace {
struct CheckedDescriptors {
  uint64_t known[4] = {};
  unsigned next = 0;

  const char *fault(uint64_t address, Segments segments) {
    for (uint64_t one : known)
      if (one == address && one)
        return nullptr;
    const char *fault = descriptorFault(address, segments);
    if (!fault)
      known[next++ % 4] = address;
    return fault;
  }
};
} // namespace

static const char *branchFault(const BranchAddresses &at, Segments segments,
                               CheckedDescriptors &descriptors) {
  if (!inSegment(segments, at.branch, kPointSledBytes, PF_X))
    return "points to a static branch outside the module's code";
  if (!inSegment(segments, at.target, 1, PF_X) ||
      at.target % kCodeAlignment != 0)
    return "has a static branch that leads outside the module's code";
  if (at.branch % kCodeAlignment != 0)
    return "has a misaligned static branch";
  return descriptors.fault(at.descriptor, segments);
}

// The bytes of a sled that readers use.
static constexpr uint64_t kReadBytes =
    TPRT_POINT_DESCRIPTOR_AT + sizeof(int32_t);

static const char *sledFault(const tprt_point_sled_record &record,
                             Segments segments,
                             CheckedDescriptors &descriptors) {
  uint64_t sled = sledOf(record);
  if (!inSegment(segments, sled, kReadBytes, PF_X))
    return "points to a sled outside the module's code";
  if (!inSegment(segments, sled, kReadBytes, PF_R))
    return "points to a sled in code that can't be read";
  if (sled % kCodeAlignment != 0)
    return "has a misaligned sled";
  uint64_t at = addressesOf(record).descriptor;
  if (const char *fault = descriptors.fault(at, segments))
    return fault;
  return reinterpret_cast<const tprt_descriptor *>(at)->style ==
                 TPRT_POINT_STYLE_TEST
             ? "is a sled of a point that only tests, so needs no sled"
             : nullptr;
}

const char *checkPoints(PointRecords records, Segments segments,
                        uint32_t *bad) {
  CheckedDescriptors descriptors;
  for (*bad = 0; records.next(); ++*bad)
    if (const char *fault =
            records.isStaticBranch()
                ? branchFault(addressesOf(records.branch()), segments,
                              descriptors)
                : sledFault(records.sled(), segments, descriptors))
      return fault;
  return nullptr;
}

uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum) {
  sum = checksum(facts.points, size_t{facts.pointWords} * sizeof *facts.points,
                 sum);
  for (PointRecords records(facts); records.next();) {
    if (records.isStaticBranch() ||
        !inSegment(segments, sledOf(records.sled()), kReadBytes, PF_X | PF_R))
      continue;
    uint64_t at = addressesOf(records.sled()).descriptor;
    if (!hasDescriptor(at, segments))
      continue;
    const auto *descriptor = reinterpret_cast<const tprt_descriptor *>(at);
    size_t bytes = bytesOf(*descriptor);
    // Only whole words count, so up to three bytes of padding are omitted.
    if (inSegment(segments, at, bytes, PF_R))
      sum = checksum(descriptor, bytes, sum);
  }
  return sum;
}

} // namespace tprt
