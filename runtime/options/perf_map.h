// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=perf=1 names stubs for perf.
#ifndef TPRT_OPTIONS_PERF_MAP_H
#define TPRT_OPTIONS_PERF_MAP_H

namespace tprt {

// Writes /tmp/perf-PID.map, which names stubs for perf. Under the runtime's
// lock. Async-signal-safe.
void writePerfMap();

} // namespace tprt

#endif
