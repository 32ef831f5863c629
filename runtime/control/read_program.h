// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the program of a request. On the work thread.
#ifndef TPRT_CONTROL_READ_PROGRAM_H
#define TPRT_CONTROL_READ_PROGRAM_H

#include "control/message.h"
#include "programs/program.h"

namespace tprt {

// The program of a request, copied and checked.
class ProgramOf {
public:
  ~ProgramOf();
  // Returns nullptr, or the fault. `size`: the bytes of the program, as the
  // request says. `mostKeys`: more keys are a fault. `client`: the connection's
  // number.
  const char *read(Request &request, uint32_t size, uint32_t mostKeys,
                   uint32_t client);
  const Program *get() const { return program; }

private:
  Program *program = nullptr;
  size_t bytes = 0;
};

} // namespace tprt

#endif
