// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded probes with a program (tprt/control_program.h), which decides
// whether a call is recorded, and computes values that are recorded with it. In
// hits: async-signal-safe; the functions take no lock, and call neither malloc
// nor functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_RECORD_PROGRAM_H
#define TPRT_RECORD_RECORD_PROGRAM_H

#include "programs/hit_limit.h"
#include "record/recorded_probe.h"
#include "tprt/tprt.h"

namespace tprt {

// The end of the recording by its programs. In a copy of the process it goes on
// from where the process was.
extern HitLimit recordedLimit TPRT_HIDDEN;

// A hit of such a probe.
void recordByProgram(const tprt_event *event, const tprt_regs *regs,
                     const RecordedProbe &probe);
// The same while the thread's guard is raised. No program can run then, so a
// call that begins is lost.
void loseForProgram(const tprt_event *event);

} // namespace tprt

#endif
