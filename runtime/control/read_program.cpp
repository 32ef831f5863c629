// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See read_program.h.
#include "control/read_program.h"
#include "base/small_alloc.h"
#include "threads/lock.h"

namespace tprt {

ProgramOf::~ProgramOf() {
  Lock lock;
  if (program)
    freeSmall(program, bytes);
}

const char *ProgramOf::read(Request &request, uint32_t size,
                            uint32_t mostKeys) {
  tprt_program_head head;
  if (!request.take(head))
    return "the program is short";
  bytes = bytesOfProgram(head);
  if (!bytes || head.keys > mostKeys)
    return "the program's head breaks a rule of tprt/control_program.h";
  const size_t rest = bytes - sizeof(Program);
  if (size != sizeof head + rest)
    return "the program states a wrong length";
  {
    Lock lock;
    program = static_cast<Program *>(allocateSmall(bytes));
  }
  if (!program)
    return "no memory for a program";
  *program = {head.operations, head.text_bytes, head.flags, head.keys};
  return request.takeBytes(program + 1, rest) ? programFault(*program)
                                              : "the program is short";
}

} // namespace tprt
