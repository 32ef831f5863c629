// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of points, tp_points, and the descriptors that it
// leads to (docs/reference/table-abi.md). Every address is checked against the
// module's segments before it is followed. Called in a walk of the loader's
// list, while the module cannot go. No state, no lock.
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
// memory; they may say anything.
class PointRecords {
public:
  PointRecords(const int32_t *words, uint32_t count)
      : at(words), following(words), end(words + count) {}
  explicit PointRecords(const ModuleFacts &facts)
      : PointRecords(facts.points, facts.pointWords) {}

  // Continues to the next record, the first one included. False: there is none,
  // or it is cut off.
  bool next();
  bool isCut() const { return following != end; }
  // These describe the record that the last next() went to.
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

// How many bytes a descriptor takes with its texts. The descriptor has passed
// checkPoints().
size_t bytesOf(const tprt_descriptor &descriptor);

// nullptr, or what is wrong with the first bad record; its index is stored in
// *bad.
const char *checkPoints(PointRecords records, Segments segments, uint32_t *bad);

// A checksum of the table and of the descriptors that its sleds lead to. It
// leaves out what a lying table leads to outside of the module.
uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum);

} // namespace tprt

#endif
