// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hit_values.h. Runs in hits: async-signal-safe, without vector registers.
#include "programs/hit_values.h"
#include "modules/module.h"
#include "modules/point_groups.h"
#include "programs/read_memory.h"
#include "programs/run_program.h"
#include "sites/arch.h"

namespace tprt {

bool isAtBeginning(const tprt_site &site) {
  return !isProfilerCall(site) || codeOf(site).profiler == Profiler::Fentry;
}

uint8_t readVectorsOf(const tprt_event *event, const tprt_regs *regs,
                      uint8_t count, uint64_t *to) {
  const void *frame = tprt_regs_vectors(event, regs);
  if (!frame) // The record says that they have no arguments and no results.
    return 0;
  if (!(event->flags & kVectorsInFrame)) {
    readVectors(to, count);
    return count;
  }
  for (unsigned i = 0; i < count; ++i)
    __atomic_store_n(&to[i], static_cast<const uint64_t *>(frame)[2 * i],
                     __ATOMIC_RELAXED);
  return count;
}

// Stores words of the arguments in memory. Returns how many. A program may ask
// for arguments that the function has not, so there may be no such words: the
// stack may end.
static uint8_t readStackWords(const tprt_regs *regs, uint8_t count,
                              uint64_t *to) {
  const uint64_t *from = tprt_regs_stack(regs) + kWordsBeforeArguments;
  for (uint8_t i = 0; i < count; ++i) {
    const Read word = readNumber(reinterpret_cast<uint64_t>(from + i), 8);
    if (!word.known)
      return i;
    to[i] = word.value;
  }
  return count;
}

// Runs the part of a program that runs at entries.
static void keepValues(const Program &program, const tprt_event *event,
                       const tprt_regs *regs, OtherArguments &to) {
  HitValues hit;
  hit.entry = event->site;
  hit.regs = regs;
  hit.caller = tprt_regs_return_address(regs);
  hit.others = &to;
  hit.keepIn = &to;
  if (program.usesScopes())
    readAround(program, regs, hit.around);
  ProgramResult result;
  result.keys = nullptr; // This part has no keys.
  runProgram(program, hit, result);
}

void readOtherArguments(const Program &program, const tprt_event *event,
                        const tprt_regs *regs, OtherArguments &to) {
  to.knownVectors = to.knownWords = to.knownKept = 0;
  if (isAtBeginning(*event->site)) {
    to.knownVectors =
        readVectorsOf(event, regs, program.vectorArguments, to.vectors);
    to.knownWords = readStackWords(regs, program.stackWords, to.words);
  }
  if (program.keeps())
    keepValues(program, event, regs, to);
}

Read readPointValue(const HitValues &hit, unsigned number) {
  const tprt_descriptor &descriptor = descriptorOf(*hit.entry);
  if (number >= descriptor.argument_count)
    return {0, false};
  return {wordOf(descriptor, hit.regs, number), true};
}

} // namespace tprt
