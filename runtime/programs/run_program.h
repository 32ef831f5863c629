// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter of programs. In hits.
#ifndef TPRT_PROGRAMS_RUN_PROGRAM_H
#define TPRT_PROGRAMS_RUN_PROGRAM_H

#include "programs/program.h"

namespace tprt {

// The integer arguments that may be in registers, by the function's record.
inline constexpr uint8_t kArgumentsByLive[] = {TPRT_ARGUMENT_REGISTERS, 1, 3,
                                               TPRT_ARGUMENT_REGISTERS};
static_assert(TPRT_LIVE_ALL == 0 && TPRT_LIVE_ONE == 1 &&
              TPRT_LIVE_THREE == 2 && TPRT_LIVE_ARGUMENTS == 3);

// Runs these operations of the program.
Outcome runOperations(const Program &program, const Operation *from,
                      const Operation *end, const HitValues &hit,
                      ProgramResult &result);

// Runs a program in the calling thread, which has a block. Async-signal-safe,
// without vector registers.
inline Outcome runProgram(const Program &program, const HitValues &hit,
                          ProgramResult &result) {
  const QuickCondition &quick = program.quick;
  const Operation *from = program.begin(), *end = program.end();
  const unsigned argument = quick.argument;
  if (__builtin_expect(program.entryOperations != 0, 0)) {
    const Operation *entryEnd = from + program.entryOperations;
    (hit.keepIn ? end : from) = entryEnd;
  } else if (quick.operations &&
             argument < kArgumentsByLive[hit.entry->live()]) {
    if (!quick.holdsFor(hit.regs ? tprt_regs_argument(hit.regs, argument)
                                 : hit.arguments[argument]))
      return Outcome::Filtered;
    from += quick.isUsedAgain ? 0 : quick.operations;
  }
  return runOperations(program, from, end, hit, result);
}

} // namespace tprt

#endif
