// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads at a hit what a program uses beside the integer arguments.
#ifndef TPRT_PROGRAMS_HIT_VALUES_H
#define TPRT_PROGRAMS_HIT_VALUES_H

#include "probes/api.h"
#include "programs/program.h"

namespace tprt {

// Stores the lowest 64 bits of vector registers as they were at the hit.
// Returns how many. If a handler keeps vectors, nothing before it has changed
// them, or they are in the frame.
uint8_t readVectorsOf(const tprt_event *event, const tprt_regs *regs,
                      uint8_t count, uint64_t *to);
// The arguments that are in no integer register, at the hit of an entry. Only
// those that the program uses.
void readOtherArguments(const Program &program, const tprt_event *event,
                        const tprt_regs *regs, OtherArguments &to);

// The result, at the end of a call.
inline void readResult(const Program &program, const tprt_event *event,
                       const tprt_regs *regs, CallResult &to) {
  to.integers[0] = tprt_regs_result(regs);
  to.integers[1] = secondResultIn(*regs);
  to.knownIntegers = event->site->live() == TPRT_LIVE_ONE ? 1 : 2;
  to.knownVectors = 0;
  if (__builtin_expect(program.vectorResults != 0, 0))
    to.knownVectors =
        readVectorsOf(event, regs, program.vectorResults, to.vectors);
}

} // namespace tprt

#endif
