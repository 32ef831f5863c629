// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See read_program.h.
#include "control/read_program.h"
#include "base/small_alloc.h"
#include "control/probe_group.h"
#include "control/probe_groups.h"
#include "programs/program_check.h"
#include "threads/lock.h"

namespace tprt {

ProgramOf::~ProgramOf() {
  Lock lock;
  if (program)
    freeSmall(program, bytes);
}

// Finds the scopes of INSIDE and DEPTH. Returns nullptr, or the fault.
static const char *findScopes(Program &program, uint32_t client) {
  for (const Operation &operation : program) {
    if (operation.code != TPRT_PROGRAM_INSIDE &&
        operation.code != TPRT_PROGRAM_DEPTH)
      continue;
    const Scope *scope =
        scopeOf(client, static_cast<uint32_t>(operation.number));
    if (!scope)
      return "a program refers to a group of functions that this tool has not "
             "made";
    (operation.code == TPRT_PROGRAM_INSIDE ? program.inside : program.depth) =
        refOf(scope);
  }
  return nullptr;
}

const char *ProgramOf::read(Request &request, uint32_t size, uint32_t mostKeys,
                            uint32_t client) {
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
  if (!request.takeBytes(program + 1, rest))
    return "the program is short";
  const char *fault = programFault(*program);
  return fault ? fault : findScopes(*program, client);
}

} // namespace tprt
