// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group: what one command of a tool has attached. It has one probe for each
// of its patterns, all with the same action. On the work thread.
#ifndef TPRT_OPTIONAL_CONTROL_GROUP_H
#define TPRT_OPTIONAL_CONTROL_GROUP_H

#include "core/plain/array.h"
#include "optional/control/selection.h"
#include "optional/control/times.h"

namespace tprt {

struct ToolGroup {
  ToolGroup *next;
  uint32_t number, action, flags;
  uint32_t owner;   // The connection's number; 0: the connection has ended.
  int32_t ownerPid; // The tool's process.
  uint64_t begun;   // nanoseconds()
  bool ending;      // It is to be ended as soon as no thread is inside.
  Array<tprt_probe *> probes;
  TimedGroup *timed;     // Of a group that times.
  Selection *selections; // What the probes refer to.
};

// nullptr: there is none of this number, or it is ending.
ToolGroup *findGroup(uint32_t number);

} // namespace tprt

#endif
