// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the tables of points, tp_gates and tp_points, and the descriptors that
// they lead to (docs/table-abi.md). Every address is checked against the
// module's segments before it is followed. Called in a walk of the loader's
// list, while the module cannot go. No state, no lock.
#ifndef TPRT_CORE_POINTTABLE_H
#define TPRT_CORE_POINTTABLE_H

#include "core/module.h"

namespace tprt {

// The addresses that a record leads to.
struct GateAddresses {
  uint64_t gate, target, descriptor;
};
GateAddresses addressesOf(const tprt_gate_record &record);

// The sled of a point, and what lies behind the sled.
struct PointAddresses {
  uint64_t sled, descriptor;
};
uint64_t sledOf(const tprt_point_sled_record &record);
// The sled has passed checkPoints().
PointAddresses addressesOf(const tprt_point_sled_record &record);

// How many bytes a descriptor takes with its texts. The descriptor has passed
// checkGates() or checkPoints().
size_t bytesOf(const tprt_descriptor &descriptor);

// nullptr, or what is wrong with the first bad record; its index is stored in
// *bad.
const char *checkGates(const tprt_gate_record *records, uint32_t count,
                       Segments segments, uint32_t *bad);
// The gates of the same module, which have passed checkGates(): the descriptors
// that they lead to are not checked again.
struct CheckedGates {
  const tprt_gate_record *records;
  uint32_t count;
  // The last gate whose descriptor was asked for. A compiler writes sleds in
  // the order of their gates, or nearly so.
  uint32_t last = 0;

  // False: maybe they do.
  bool leadTo(uint64_t descriptor);
};
const char *checkPoints(const tprt_point_sled_record *records, uint32_t count,
                        CheckedGates gates, Segments segments, uint32_t *bad);

// A checksum of both tables and of the descriptors that points lead to. It
// leaves out what a lying table leads to outside of the module.
uint64_t checksumPoints(const ModuleFacts &facts, Segments segments,
                        uint64_t sum);

} // namespace tprt

#endif
