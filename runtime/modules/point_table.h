// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of points, tp_points, and the descriptors that it refers to
// (docs/reference/table-abi.md). Every address is checked against the module's
// segments before it is used. Called in a walk of the loader's list, while the
// module cannot be unloaded. The functions have no state and need no lock.
#ifndef TPRT_MODULES_POINT_TABLE_H
#define TPRT_MODULES_POINT_TABLE_H

#include "modules/module.h"

namespace tprt {

// The addresses in a record.
struct BranchAddresses {
  uint64_t branch, target, descriptor;
};
BranchAddresses addressesOf(const tprt_branch_record &record);

// The sled of a point, and the data after the sled.
struct PointAddresses {
  uint64_t sled, descriptor;
};
uint64_t sledOf(const tprt_point_sled_record &record);
// The sled must have passed checkPoints().
PointAddresses addressesOf(const tprt_point_sled_record &record);

// Iterates over a table of points. The words lie inside the module's readable
// memory, and may have any value.
class PointRecords {
public:
  PointRecords(const int32_t *words, uint32_t count)
      : at(words), following(words), end(words + count) {}
  explicit PointRecords(const ModuleFacts &facts)
      : PointRecords(facts.points, facts.pointWords) {}

  // Moves to the next record. The first call moves to the first record. Returns
  // false if there is no further record, or if it is cut off.
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

// The size of a descriptor with its texts. The descriptor must have passed
// checkPoints().
size_t bytesOf(const tprt_descriptor &descriptor);

// Returns nullptr, or the fault of the first bad record. Stores the index of
// this record in *bad.
const char *checkPoints(PointRecords records, Segments segments, uint32_t *bad);

// A checksum of the table and of the descriptors that its sleds refer to.
// Addresses outside the module, which occur only in a corrupt table, are
// omitted.
uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum);

} // namespace tprt

#endif
