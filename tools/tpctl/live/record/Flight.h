// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl record --when: the process records into a ring all the time, and tpctl
// keeps the part that led to an event.

#ifndef TPCTL_LIVE_RECORD_FLIGHT_H
#define TPCTL_LIVE_RECORD_FLIGHT_H

#include "Recorder.h"
#include "live/targets/Target.h"

namespace tpctl {

struct FlightOptions {
  std::string Size;          ///< --flight
  std::string When;          ///< empty: no condition
  std::string Before, After; ///< of the event, as durations
  unsigned Count = 1;        ///< how many events
};

/// `O.Path` is the first file's name, as tpctl sees it. `Packed`: files are
/// compressed.
llvm::Expected<ExitCode> recordFlight(const FlightOptions &F, RecorderOptions O,
                                      Target &At, bool Packed);

} // namespace tpctl

#endif
