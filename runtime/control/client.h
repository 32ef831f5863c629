// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool's connection, as the files of the control share it.
#ifndef TPRT_CONTROL_CLIENT_H
#define TPRT_CONTROL_CLIENT_H

#include "base/array.h"

#include <stdint.h>

namespace tprt {

constexpr unsigned kMostClients = 16;

// One tool's connection, as requests see it. All members are zero if there is
// no connection.
struct Client {
  bool greeted;
  bool awaits;            // The process is to wait for this tool at its end.
  uint32_t went;          // The number, from 1, of the last end at which the
                          // tool sent GO.
  int32_t pid;            // The tool's process; 0: it is not visible from here.
  uint32_t number;        // The connection's unique number, from 1.
  Array<uint32_t> listed; // The sites of its last LIST.
};

} // namespace tprt

#endif
