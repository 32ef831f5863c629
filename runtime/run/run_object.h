// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of handlers that a tool has loaded (tprt/run.h).
#ifndef TPRT_RUN_RUN_OBJECT_H
#define TPRT_RUN_RUN_OBJECT_H

#include "run/load_image.h"
#include "tprt/run.h"

namespace tprt {

struct RunLines;

struct RunObject {
  // What the handlers get. Must be the first member: the functions find the
  // object by it.
  tprt_run_api api;
  RunObject *next;
  uint32_t number;
  uint32_t owner;  // The connection's number; 0: the connection has ended.
  uint32_t groups; // How many groups have handlers of it.
  RunImage image;
  RunLines *lines;
  // The part of the file that has arrived.
  char *file;
  uint64_t fileBytes, arrived;
};

} // namespace tprt

#endif
