// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the programs that tools send: the check, and the run of each program
// that the check accepts. The input is a byte each for the flags, the number of
// keys and the number of operations, the operations, and the text. Neither the
// check nor the run may read outside of the program, or write outside of the
// keys. The first argument of the hit is a string, the text itself. The other
// values of the hit are bytes of the input, and fewer are known than the
// program uses if the input ends. A program that needs registers runs at an
// instruction. One that needs a point's values is only checked: it would need a
// module with that point.
#include "programs/program.h"
#include "programs/program_check.h"
#include "programs/run_program.h"
#include "threads/thread_block.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

using namespace tprt;

// Fills an array from the text, and returns how many items are filled.
template <size_t Count>
static uint8_t take(const std::string &text, uint64_t (&to)[Count]) {
  const size_t known =
      text.size() / sizeof *to < Count ? text.size() / sizeof *to : Count;
  memcpy(to, text.data(), known * sizeof *to);
  return static_cast<uint8_t>(known);
}

static void run(const Program &program, bool hasResult) {
  static const bool hasBlock = currentThread() != nullptr;
  static tprt_site entry = {};
  if (!hasBlock)
    abort();
  // Blocks on the heap have exactly the size that may be used.
  const std::string text(program.text(), program.textBytes);
  std::unique_ptr<uint64_t[]> arguments(new uint64_t[TPRT_ARGUMENT_REGISTERS]);
  for (unsigned i = 0; i < TPRT_ARGUMENT_REGISTERS; ++i)
    arguments[i] =
        i ? uint64_t{1} << 9 * i : reinterpret_cast<uint64_t>(text.c_str());
  std::unique_ptr<OtherArguments> others(new OtherArguments);
  others->knownVectors = take(text, others->vectors);
  others->knownWords = take(text, others->words);
  others->knownKept = 0;
  std::unique_ptr<CallResult> callResult(new CallResult);
  callResult->knownIntegers = take(text, callResult->integers);
  callResult->knownVectors = take(text, callResult->vectors);
  std::unique_ptr<uint64_t[]> keys(new uint64_t[kKeyRoom]);
  HitValues hit = {};
  hit.entry = &entry;
  hit.arguments = arguments.get();
  hit.others = others.get();
  hit.result = hasResult ? callResult.get() : nullptr;
  // Below and above the registers are the words that trampolines save.
  std::unique_ptr<uint64_t[]> saved(new uint64_t[256]());
  if (!(program.places & kAtFunction))
    hit.regs = reinterpret_cast<const tprt_regs *>(saved.get() + 64);
  ProgramResult result;
  result.keys = keys.get();
  if (program.keeps()) {
    hit.keepIn = others.get();
    runProgram(program, hit, result);
    hit.keepIn = nullptr;
  }
  if (runProgram(program, hit, result) == Outcome::Counts &&
      (result.keyWords > kMostKeyWords || result.keyWords < program.keys))
    abort();
  // What a hit has to read for the program has a bound, and no double that is
  // shown is a NaN.
  if (program.vectorArguments > kVectorArguments ||
      program.vectorResults > kResultVectors ||
      program.stackWords > kStackWords)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes < 3)
    return 0;
  tprt_program_head head = {data[2], 0, data[0], data[1]};
  data += 3, bytes -= 3;
  if (head.operations * sizeof(Operation) > bytes)
    head.operations = static_cast<uint32_t>(bytes / sizeof(Operation));
  head.text_bytes =
      static_cast<uint32_t>(bytes - head.operations * sizeof(Operation));
  const size_t all = bytesOfProgram(head);
  if (!all)
    return 0;
  std::unique_ptr<char[]> memory(new char[all]);
  auto *program = reinterpret_cast<Program *>(memory.get());
  *program = {head.operations, head.text_bytes, head.flags, head.keys};
  memcpy(program + 1, data, bytes);
  if (programFault(*program) ||
      !(program->places & (kAtFunction | kAtInstruction)))
    return 0;
  run(*program, true);
  run(*program, false);
  return 0;
}
