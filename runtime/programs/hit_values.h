// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program may know about a hit, and what is kept of a call's entry for a
// program that runs at the call's end. In hits.
#ifndef TPRT_PROGRAMS_HIT_VALUES_H
#define TPRT_PROGRAMS_HIT_VALUES_H

#include "probes/api.h"
#include "programs/follow_calls.h"
#include "programs/program.h"
#include "programs/read_memory.h"

namespace tprt {

// Whether a hit of an entry is where the function begins. Calls of profilers
// may come after other code (elf/mcount_calls.h).
bool isAtBeginning(const tprt_site &site);
// Stores the lowest 64 bits of vector registers as they were at the hit.
// Returns how many. If a handler keeps vectors, nothing before it has changed
// them, or they are in the frame.
uint8_t readVectorsOf(const tprt_event *event, const tprt_regs *regs,
                      uint8_t count, uint64_t *to);
// The arguments that are in no integer register, and the values that are kept,
// at the hit of an entry. Only those that the program uses.
void readOtherArguments(const Program &program, const tprt_event *event,
                        const tprt_regs *regs, OtherArguments &to);

// Only those that the program uses.
inline void readAround(const Program &program, const tprt_regs *regs,
                       CallsAround &to) {
  const auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  if (program.usesInside)
    to.inside = callsAround(program.inside, stack);
  if (program.usesDepth)
    to.depth = callsAround(program.depth, stack);
}

// An argument of the point that was hit. Unknown: there is none of this number.
Read readPointValue(const HitValues &hit, unsigned number);

// The values at the hit of an entry. `others` has to live as long as they do.
inline HitValues valuesAtEntry(const Program &program, const tprt_event *event,
                               const tprt_regs *regs, OtherArguments &others) {
  HitValues hit;
  hit.entry = event->site;
  hit.regs = regs;
  hit.caller = tprt_regs_return_address(regs);
  hit.place = {event, regs};
  hit.others = &others;
  if (__builtin_expect(program.isPlain, 1))
    return hit;
  if (program.usesOtherArguments())
    readOtherArguments(program, event, regs, others);
  if (program.usesScopes())
    readAround(program, regs, hit.around);
  return hit;
}

// What is kept of a call's entry. Its OtherArguments are kept beside it,
// because few programs use them.
struct KeptEntry {
  const tprt_site *entry;
  uint64_t caller, start;
  uint64_t arguments[TPRT_ARGUMENT_REGISTERS];
  CallsAround around;

  void keep(const Program &program, const tprt_event *event,
            const tprt_regs *regs, OtherArguments &others) {
    entry = event->site;
    caller = tprt_regs_return_address(regs);
    for (unsigned i = 0; i < TPRT_ARGUMENT_REGISTERS; ++i)
      arguments[i] = tprt_regs_argument(regs, i);
    if (__builtin_expect(program.usesOtherArguments(), 0))
      readOtherArguments(program, event, regs, others);
    if (__builtin_expect(program.usesScopes(), 0))
      readAround(program, regs, around);
    start = readTicks();
  }
};

// The `now` of a call that was left.
constexpr uint64_t kLeft = 0;

// The values at the end of a call. `result` is nullptr if there is none.
inline HitValues valuesAtEnd(const KeptEntry &kept,
                             const OtherArguments &others, uint64_t now,
                             const CallResult *result, StackPlace place) {
  HitValues hit;
  hit.entry = kept.entry;
  hit.regs = nullptr;
  hit.arguments = kept.arguments;
  hit.others = &others;
  hit.caller = kept.caller;
  hit.around = kept.around;
  hit.place = place;
  // The counters of two processors may differ by a little.
  hit.ticks = now == kLeft       ? kUnknownTicks
              : now > kept.start ? now - kept.start
                                 : 0;
  hit.result = result;
  return hit;
}

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
