// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A probe of the recording.
#ifndef TPRT_RECORD_RECORDED_PROBE_H
#define TPRT_RECORD_RECORDED_PROBE_H

#include "actions/probe.h"
#include "programs/program.h"
#include "tprt/record.h"

namespace tprt {

// A probe of the recording, which is the handler's data.
struct RecordedProbe {
  tprt_recording_values values;
  uint32_t kinds;
  // A site that several probes found is recorded by the one that came first.
  // From 1; the last number is that of all further probes.
  uint32_t number;
  bool attached; // Which exits were refused is known.
  // Decides which calls are recorded, and with which values. It follows this
  // structure. nullptr: all calls are recorded. `list` is the number of the
  // VALUES record; 0: no values.
  const Program *program;
  uint32_t list;
  size_t bytes; // Of this structure, with the program.
  tprt_probe *probe;
  RecordedProbe *next;
};

} // namespace tprt

#endif
