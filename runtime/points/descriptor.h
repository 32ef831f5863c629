// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the descriptor of the point that was hit. The core has checked each
// descriptor when it read the module's table: the strings end with their NULs,
// and the types are known letters. Async-signal-safe.
#ifndef TPRT_POINTS_DESCRIPTOR_H
#define TPRT_POINTS_DESCRIPTOR_H

#include "modules/point_groups.h"

namespace tprt {

// Returns nullptr if the event does not belong to a point.
inline const tprt_descriptor *descriptorOf(const tprt_event *event) {
  return event->kind == TPRT_KIND_POINT ? &descriptorOf(*event->site) : nullptr;
}

} // namespace tprt

#endif
