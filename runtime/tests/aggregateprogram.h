// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of programs (programs/program.h): a program whose end,
// and the end of what it writes to, are at a page that cannot be accessed.
#ifndef TPRT_TESTS_AGGREGATEPROGRAM_H
#define TPRT_TESTS_AGGREGATEPROGRAM_H

#include "programs/program.h"
#include "programs/program_check.h"
#include "programs/run_program.h"
#include "sites/site.h"
#include "threads/thread_block.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace tprt;
using Operations = std::vector<Operation>;

constexpr uint8_t operator+(tprt_program_code Code) {
  return static_cast<uint8_t>(Code);
}
constexpr uint8_t immediate(tprt_program_code Code) {
  return Code | TPRT_PROGRAM_IMMEDIATE;
}

constexpr Operation kSet0 = {TPRT_PROGRAM_CONSTANT, 0, 0, 0, 7};
constexpr Operation kKey0 = {TPRT_PROGRAM_KEY, 0, 0, 0, 0};
constexpr Operation kValue0 = {TPRT_PROGRAM_VALUE, 0, 0, 0, 0};

// Bytes whose end is the end of readable memory.
class Guarded {
public:
  explicit Guarded(size_t Most) : Room((Most + page() - 1) / page() * page()) {
    Start =
        static_cast<char *>(mmap(nullptr, Room + page(), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(Start + Room, page(), PROT_NONE);
  }
  Guarded(const Guarded &) = delete;
  ~Guarded() { munmap(Start, Room + (HasNext ? page() : 0)); }
  char *last(size_t Bytes) const { return Start + Room - Bytes; }
  // From now on the page after the bytes is not mapped at all. peek() can read
  // a page without permissions where the system, or an emulator, does not know
  // process_vm_readv().
  void unmapNext() {
    munmap(Start + Room, page());
    HasNext = false;
  }
  static size_t page() { return static_cast<size_t>(getpagesize()); }

private:
  size_t Room;
  char *Start;
  bool HasNext = true;
};

struct Source {
  Operations Code;
  std::string Text; // With its NULs.
  uint32_t Keys = 0, Flags = 0;
};

uint32_t keysOf(const Operations &Code) {
  uint32_t Keys = 0;
  for (const Operation &Each : Code)
    Keys += Each.code == TPRT_PROGRAM_KEY ||
            Each.code == TPRT_PROGRAM_KEY_STRING ||
            Each.code == TPRT_PROGRAM_KEY_STACK ||
            Each.code == TPRT_PROGRAM_KEY_BYTES;
  return Keys;
}

Source source(Operations Code, std::string Text = "", uint32_t Flags = 0) {
  return {Code, Text, keysOf(Code), Flags};
}

struct Ran {
  Outcome How;
  std::vector<uint64_t> Keys;
  std::optional<int64_t> Value;
};

class AggregateProgram : public testing::Test {
protected:
  AggregateProgram()
      : Memory(1 << 16), KeyMemory(kKeyRoom * 8), ArgumentMemory(64),
        OtherMemory(sizeof(OtherArguments)), ResultMemory(sizeof(CallResult)) {
    currentThread();
    Entry.traits = traitsOf(TPRT_LIVE_ALL);
    Hit = {};
    Hit.entry = &Entry;
    auto *Words = reinterpret_cast<uint64_t *>(
        ArgumentMemory.last(TPRT_ARGUMENT_REGISTERS * 8));
    for (unsigned I = 0; I < TPRT_ARGUMENT_REGISTERS; ++I)
      Words[I] = 100 + I;
    Hit.arguments = Words;
    Others = reinterpret_cast<OtherArguments *>(
        OtherMemory.last(sizeof(OtherArguments)));
    Hit.others = Others;
    Result =
        reinterpret_cast<CallResult *>(ResultMemory.last(sizeof(CallResult)));
  }

  static uint8_t traitsOf(unsigned Live) {
    for (unsigned Traits = 0; Traits < 256; ++Traits)
      if (TPRT_RECORD_LIVE(Traits) == Live)
        return static_cast<uint8_t>(Traits);
    abort();
  }

  // The text is filled up, so that the program is aligned, and ends at the
  // page.
  Program *place(const Source &From) {
    std::string Text = From.Text;
    Text.resize((Text.size() + 3) / 4 * 4);
    const size_t Bytes =
        sizeof(Program) + From.Code.size() * sizeof(Operation) + Text.size();
    auto *To = reinterpret_cast<Program *>(Memory.last(Bytes));
    *To = {static_cast<uint32_t>(From.Code.size()),
           static_cast<uint32_t>(Text.size()), From.Flags, From.Keys};
    memcpy(To + 1, From.Code.data(), From.Code.size() * sizeof(Operation));
    memcpy(Memory.last(Text.size()), Text.data(), Text.size());
    return To;
  }

  std::string fault(const Source &From) {
    const char *Fault = programFault(*place(From));
    return Fault ? Fault : "";
  }
  std::string fault(const Operations &Code) { return fault(source(Code)); }

  Ran run(const Program &Of) {
    // The run may write one word after the keys.
    ProgramResult To;
    To.keys = reinterpret_cast<uint64_t *>(KeyMemory.last(kKeyRoom * 8));
    Ran Out = {runProgram(Of, Hit, To), {}, {}};
    if (Out.How != Outcome::Counts)
      return Out;
    EXPECT_LE(To.keyWords, kMostKeyWords);
    Out.Keys.assign(To.keys, To.keys + To.keyWords);
    if (To.isValueKnown)
      Out.Value = To.value;
    return Out;
  }
  Ran run(const Source &From) {
    EXPECT_EQ(fault(From), "");
    return run(*place(From));
  }

  // Runs Code, and returns register 0, or nothing if it is not known.
  std::optional<int64_t> value(Operations Code, const std::string &Text = "",
                               uint32_t Flags = TPRT_PROGRAM_AT_END) {
    Code.push_back({TPRT_PROGRAM_VALUE, 0, 0, 0, 0});
    const Ran Out = run(source(Code, Text, Flags));
    EXPECT_EQ(Out.How, Outcome::Counts);
    return Out.Value;
  }

  // Operations that put a number of 64 bits into a register.
  static Operations load(unsigned To, uint64_t Number) {
    return {{TPRT_PROGRAM_CONSTANT, static_cast<uint8_t>(To), 0, 0,
             static_cast<int32_t>(Number)},
            {TPRT_PROGRAM_CONSTANT_HIGH, static_cast<uint8_t>(To), 0, 0,
             static_cast<int32_t>(Number >> 32)}};
  }
  static Operations load(unsigned To, const void *Address) {
    return load(To, reinterpret_cast<uint64_t>(Address));
  }
  static Operations join(std::initializer_list<Operations> Parts) {
    Operations All;
    for (const Operations &Each : Parts)
      All.insert(All.end(), Each.begin(), Each.end());
    return All;
  }
  std::optional<int64_t> combine(uint8_t Code, uint64_t A, uint64_t B) {
    return value(join({load(1, A), load(2, B), {{Code, 0, 1, 2, 0}}}));
  }

  Guarded Memory, KeyMemory, ArgumentMemory, OtherMemory, ResultMemory;
  OtherArguments *Others; // Hit.others: nothing is known.
  CallResult *Result;     // Only if Hit.result points to it.
  tprt_site Entry = {};
  HitValues Hit;
};

} // namespace

#endif
