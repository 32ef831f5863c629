// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of points, tp_points, and the descriptors that it
// leads to (docs/reference/table-abi.md). Every address is checked against the
// module's segments before it is followed. Called in a walk of the loader's
// list, while the module cannot be unloaded. No state, no lock.
#ifndef TPRT_MODULES_POINT_TABLE_H
#define TPRT_MODULES_POINT_TABLE_H

#include "modules/module.h"

namespace tprt {

// The addresses that a record leads to.
struct BranchAddresses {
  uint64_t branch, target, descriptor;
};
BranchAddresses addressesOf(const tprt_branch_record &record);

// The sled of a point, and what lies after the sled.
struct PointAddresses {
  uint64_t sled, descriptor;
};
uint64_t sledOf(const tprt_point_sled_record &record);
// The sled has passed checkPoints().
PointAddresses addressesOf(const tprt_point_sled_record &record);

// Goes through a table of points. The words lie inside the module's readable
// memory, and may have any value.
class PointRecords {
public:
  PointRecords(const int32_t *words, uint32_t count)
      : at(words), following(words), end(words + count) {}
  explicit PointRecords(const ModuleFacts &facts)
      : PointRecords(facts.points, facts.pointWords) {}

  // Moves to the next record; the first call moves to the first one. Returns
  // false if there is none, or if it is cut off.
  bool next();
  bool isCut() const { return following != end; }
  // These describe the current record, to which the last next() moved.
  bool isStaticBranch() const { return following - at > 1; }
  const tprt_branch_record &branch() const {
    return *reinterpret_cast<const tprt_branch_record *>(at);
  }
  const tprt_point_sled_record &sled() const {
    return *reinterpret_cast<const tprt_point_sled_record *>(at);
  }

private:
  const int32_t *at, *following, *end;
};

// The size of a descriptor with its texts. The descriptor has passed
// checkPoints().
size_t bytesOf(const tprt_descriptor &descriptor);

// Returns nullptr, or the fault of the first bad record, whose index it stores
// in *bad.
const char *checkPoints(PointRecords records, Segments segments, uint32_t *bad);

// A checksum of the table and of the descriptors that its sleds lead to.
// Addresses outside the module, which only a corrupt table has, are left out.
uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum);

} // namespace tprt

#endif
