// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a program before it is used; see program.h.
#include "programs/program_check.h"
#include "programs/program.h"
#include "programs/quick_condition.h"
#include "tprt/table.h"

namespace tprt {

static bool hasRightPairFlags(uint32_t flags) {
  constexpr uint32_t kEither =
      TPRT_PROGRAM_STARTS_PAIR | TPRT_PROGRAM_ENDS_PAIR;
  const uint32_t sides = flags & kEither;
  if (!(flags & TPRT_PROGRAM_OPEN_PAIRS))
    return sides != kEither;
  return sides && sides != kEither &&
         !(flags & (TPRT_PROGRAM_HISTOGRAM | TPRT_PROGRAM_FLOAT_VALUE));
}

size_t bytesOfProgram(const tprt_program_head &head) {
  constexpr uint32_t kNotBoth =
      TPRT_PROGRAM_HISTOGRAM | TPRT_PROGRAM_FLOAT_VALUE;
  constexpr uint32_t kKnown = TPRT_PROGRAM_AT_END | kNotBoth |
                              TPRT_PROGRAM_SELF | TPRT_PROGRAM_KEEPS |
                              TPRT_PROGRAM_OF_MODULES | kPairFlags;
  if (head.flags & TPRT_PROGRAM_SELF &&
      (!(head.flags & TPRT_PROGRAM_AT_END) || head.flags & kPairFlags))
    return 0;
  if (head.flags & TPRT_PROGRAM_KEEPS && !(head.flags & TPRT_PROGRAM_AT_END))
    return 0;
  if ((head.flags & kNotBoth) == kNotBoth || !hasRightPairFlags(head.flags))
    return 0;
  if (head.operations > TPRT_PROGRAM_MOST_OPERATIONS ||
      head.text_bytes > TPRT_PROGRAM_MOST_TEXT ||
      head.keys > TPRT_PROGRAM_MOST_VALUES || head.flags & ~kKnown)
    return 0;
  return sizeof(Program) + head.operations * sizeof(Operation) +
         head.text_bytes;
}

namespace {
class Check {
public:
  explicit Check(Program &program) : program(program) {}
  const char *fault();

private:
  const char *findEntryPart();
  const char *faultOfPart(const Operation &operation, uint32_t at);
  const char *faultOf(const Operation &operation, uint32_t at);
  const char *faultOfNumber(const Operation &operation) const;
  const char *faultOfHitsNumber(const Operation &operation) const;
  const char *faultOfJump(const Operation &operation, uint32_t at);
  const char *faultOfPair(const Operation &operation, uint32_t at);
  void noteUse(const Operation &operation);
  bool isText(int32_t offset) const;
  bool isSet(unsigned of) const {
    return of < TPRT_PROGRAM_REGISTERS && set >> of & 1;
  }

  Program &program;
  // The registers that are set, whichever way the program came here.
  uint32_t set = 0;
  // For each operation, the same after jumps that lead to it. Valid up to
  // `reach`, the farthest operation that a jump leads to.
  uint16_t after[TPRT_PROGRAM_MOST_OPERATIONS + 1];
  bool isTarget[TPRT_PROGRAM_MOST_OPERATIONS + 1] = {};
  uint32_t reach = 0;
  uint32_t keys = 0, reads = 0, frames = 0, pairs = 0;
  uint32_t kept = 0; // A bit for each number of a KEEP.
  bool hasValue = false;
  // The operation before was an unconditional jump: only jumps lead here.
  bool isDead = false;
};
} // namespace

Form formOf(uint8_t code) {
  const uint8_t plain = code & ~unsigned{TPRT_PROGRAM_IMMEDIATE};
  const bool immediate = code & TPRT_PROGRAM_IMMEDIATE;
  if (plain >= TPRT_PROGRAM_ADD && plain <= TPRT_PROGRAM_LESS_EQUAL_UNSIGNED)
    return {true, true, !immediate, true};
  switch (code) {
  case TPRT_PROGRAM_CONSTANT:
  case TPRT_PROGRAM_KEPT:
  case TPRT_PROGRAM_ARGUMENT:
  case TPRT_PROGRAM_RESULT:
  case TPRT_PROGRAM_DURATION:
  case TPRT_PROGRAM_THREAD:
  case TPRT_PROGRAM_CALLER:
  case TPRT_PROGRAM_FUNCTION:
  case TPRT_PROGRAM_INSIDE:
  case TPRT_PROGRAM_DEPTH:
  case TPRT_PROGRAM_ERROR:
  case TPRT_PROGRAM_STACK_ARGUMENT:
  case TPRT_PROGRAM_FLOAT_ARGUMENT:
  case TPRT_PROGRAM_FLOAT_RESULT:
  case TPRT_PROGRAM_REGISTER:
  case TPRT_PROGRAM_POINT_VALUE:
    return {true, false, false, true};
  case TPRT_PROGRAM_COPY:
  case TPRT_PROGRAM_SIGN_EXTEND:
  case TPRT_PROGRAM_ZERO_EXTEND:
  case TPRT_PROGRAM_LOAD:
  case TPRT_PROGRAM_MATCH:
  case TPRT_PROGRAM_TEXT_EQUAL:
  case TPRT_PROGRAM_FLOAT_FROM_SIGNED:
  case TPRT_PROGRAM_FLOAT_FROM_UNSIGNED:
  case TPRT_PROGRAM_FLOAT_TO_SIGNED:
  case TPRT_PROGRAM_FLOAT_TO_UNSIGNED:
  case TPRT_PROGRAM_FLOAT_FROM_SINGLE:
  case TPRT_PROGRAM_FLOAT_TO_SINGLE:
  case TPRT_PROGRAM_PAIR_END:
    return {true, true, false, true};
  case TPRT_PROGRAM_FLOAT_ADD:
  case TPRT_PROGRAM_FLOAT_SUBTRACT:
  case TPRT_PROGRAM_FLOAT_MULTIPLY:
  case TPRT_PROGRAM_FLOAT_DIVIDE:
  case TPRT_PROGRAM_FLOAT_EQUAL:
  case TPRT_PROGRAM_FLOAT_LESS:
  case TPRT_PROGRAM_FLOAT_LESS_EQUAL:
    return {true, true, true, true};
  case TPRT_PROGRAM_CONSTANT_HIGH:
  case TPRT_PROGRAM_JUMP:
  case TPRT_PROGRAM_KEY_STACK:
    return {false, false, false, true};
  case TPRT_PROGRAM_JUMP_IF_ZERO:
  case TPRT_PROGRAM_JUMP_IF_NOT_ZERO:
  case TPRT_PROGRAM_BOUND:
  case TPRT_PROGRAM_KEEP:
  case TPRT_PROGRAM_FILTER:
  case TPRT_PROGRAM_KEY:
  case TPRT_PROGRAM_KEY_STRING:
  case TPRT_PROGRAM_KEY_BYTES:
  case TPRT_PROGRAM_VALUE:
  case TPRT_PROGRAM_STOP_IF:
  case TPRT_PROGRAM_PAIR_START:
    return {false, true, false, true};
  default:
    return {};
  }
}

static bool isJump(uint8_t code) {
  return code >= TPRT_PROGRAM_JUMP && code <= TPRT_PROGRAM_JUMP_IF_NOT_ZERO;
}

static bool isOutput(uint8_t code) {
  return (code >= TPRT_PROGRAM_FILTER && code <= TPRT_PROGRAM_KEY_STACK) ||
         code == TPRT_PROGRAM_STOP_IF || code == TPRT_PROGRAM_KEY_BYTES;
}

static bool isKey(uint8_t code) {
  return code == TPRT_PROGRAM_KEY || code == TPRT_PROGRAM_KEY_STRING ||
         code == TPRT_PROGRAM_KEY_STACK || code == TPRT_PROGRAM_KEY_BYTES;
}

// Whether an operation reads a string.
static bool readsString(uint8_t code) {
  return code == TPRT_PROGRAM_MATCH || code == TPRT_PROGRAM_TEXT_EQUAL ||
         code == TPRT_PROGRAM_KEY_STRING || code == TPRT_PROGRAM_KEY_BYTES;
}

// Whether the text has a string with its NUL at this offset.
bool Check::isText(int32_t offset) const {
  if (offset < 0 || static_cast<uint32_t>(offset) >= program.textBytes)
    return false;
  const char *text = program.text();
  for (uint32_t i = static_cast<uint32_t>(offset); i < program.textBytes; ++i)
    if (!text[i])
      return true;
  return false;
}

const char *Check::faultOfJump(const Operation &operation, uint32_t at) {
  const int32_t skipped = operation.number;
  const uint32_t end = at < program.entryOperations ? program.entryOperations
                                                    : program.operations;
  if (skipped < 0 || static_cast<uint32_t>(skipped) > end - at - 1)
    return "a jump leads backward or out of the program";
  const uint32_t to = at + 1 + static_cast<uint32_t>(skipped);
  after[to] = static_cast<uint16_t>(isTarget[to] ? after[to] & set : set);
  isTarget[to] = true;
  reach = to > reach ? to : reach;
  return nullptr;
}

// The same, for operations that load what is known about a hit.
const char *Check::faultOfHitsNumber(const Operation &operation) const {
  auto isBelow = [&](unsigned count) {
    return static_cast<uint32_t>(operation.number) < count;
  };
  switch (operation.code) {
  case TPRT_PROGRAM_ARGUMENT:
    return isBelow(TPRT_ARGUMENT_REGISTERS)
               ? nullptr
               : "there is no argument register of that number";
  case TPRT_PROGRAM_FLOAT_ARGUMENT:
    return isBelow(kVectorArguments)
               ? nullptr
               : "there is no vector argument register of that number";
  case TPRT_PROGRAM_STACK_ARGUMENT:
    return isBelow(kStackWords)
               ? nullptr
               : "a program can read the first 8 words of arguments in memory";
  case TPRT_PROGRAM_RESULT:
  case TPRT_PROGRAM_FLOAT_RESULT:
  case TPRT_PROGRAM_DURATION:
    if (!program.isAtEnd())
      return "a program at entries has no result and no duration";
    return operation.code == TPRT_PROGRAM_DURATION ||
                   isBelow(operation.code == TPRT_PROGRAM_RESULT
                               ? kResultIntegers
                               : kResultVectors)
               ? nullptr
               : "there is no result register of that number";
  case TPRT_PROGRAM_REGISTER:
    return isBelow(kGeneralRegisters)
               ? nullptr
               : "there is no general register of that number";
  case TPRT_PROGRAM_POINT_VALUE:
    return isBelow(TPRT_MOST_ARGUMENTS) ? nullptr
                                        : "a point has at most 12 arguments";
  default:
    return nullptr;
  }
}

// PAIR_START and PAIR_END, each of which the program's flags announce.
const char *Check::faultOfPair(const Operation &operation, uint32_t at) {
  const bool starts = operation.code == TPRT_PROGRAM_PAIR_START;
  if (!(program.flags &
        (starts ? TPRT_PROGRAM_STARTS_PAIR : TPRT_PROGRAM_ENDS_PAIR)))
    return "the program's flags and its pairs differ";
  if (reach > at)
    return "a jump leads past a pair";
  if (starts && at + 1 != program.operations)
    return "a pair's start is not the last operation";
  return pairs++ ? "a program has two pairs" : nullptr;
}

// The operations up to the last KEEP.
const char *Check::findEntryPart() {
  program.entryOperations = 0;
  for (uint32_t at = 0; at < program.operations; ++at) {
    const Operation &operation = program.begin()[at];
    if (operation.code != TPRT_PROGRAM_KEEP)
      continue;
    if (static_cast<uint32_t>(operation.number) >= TPRT_PROGRAM_MOST_KEPT)
      return "a program can keep 4 values";
    program.entryOperations = static_cast<uint16_t>(at + 1);
    kept |= 1u << operation.number;
  }
  return program.keeps() == (program.entryOperations != 0)
             ? nullptr
             : "a program keeps values, and its head does not state it, or the "
               "reverse";
}

// What belongs only to one of the parts.
const char *Check::faultOfPart(const Operation &operation, uint32_t at) {
  if (at >= program.entryOperations) {
    const auto number = static_cast<uint32_t>(operation.number);
    return operation.code != TPRT_PROGRAM_KEPT ||
                   (number < TPRT_PROGRAM_MOST_KEPT && kept >> number & 1)
               ? nullptr
               : "a program reads a value that it does not keep";
  }
  switch (operation.code) {
  case TPRT_PROGRAM_RESULT:
  case TPRT_PROGRAM_FLOAT_RESULT:
  case TPRT_PROGRAM_DURATION:
  case TPRT_PROGRAM_ERROR:
  case TPRT_PROGRAM_KEPT:
  case TPRT_PROGRAM_PAIR_START:
  case TPRT_PROGRAM_PAIR_END:
    return "what is known at the end is read at the entry";
  default:
    return isOutput(operation.code)
               ? "a key, a value or a filter is before what is kept"
               : nullptr;
  }
}

const char *Check::faultOfNumber(const Operation &operation) const {
  const int32_t number = operation.number;
  switch (operation.code) {
  case TPRT_PROGRAM_CONSTANT_HIGH:
    return isSet(operation.to) ? nullptr
                               : "a register is read before it is set";
  case TPRT_PROGRAM_SIGN_EXTEND:
  case TPRT_PROGRAM_ZERO_EXTEND:
    return number == 8 || number == 16 || number == 32
               ? nullptr
               : "a number cannot be extended from that many bits";
  case TPRT_PROGRAM_LOAD:
    return operation.b == 1 || operation.b == 2 || operation.b == 4 ||
                   operation.b == 8
               ? nullptr
               : "a load has a wrong number of bytes";
  case TPRT_PROGRAM_MATCH:
  case TPRT_PROGRAM_TEXT_EQUAL:
    return isText(number) ? nullptr : "there is no text at that offset";
  case TPRT_PROGRAM_KEY_STRING:
  case TPRT_PROGRAM_KEY_BYTES:
    return number >= 1 && number <= TPRT_PROGRAM_MOST_STRING
               ? nullptr
               : "a string has a wrong number of bytes";
  case TPRT_PROGRAM_STOP_IF:
    return number >= 0 ? nullptr : "a number of hits is below 0";
  case TPRT_PROGRAM_INSIDE:
  case TPRT_PROGRAM_DEPTH:
    return number >= 0 && number < 2
               ? nullptr
               : "a program refers to the first two groups of functions";
  case TPRT_PROGRAM_KEY_STACK:
    return number >= 1 && number <= TPRT_PROGRAM_MOST_FRAMES
               ? nullptr
               : "a stack has a wrong number of frames";
  default:
    return faultOfHitsNumber(operation);
  }
}

// The places where an operation has a meaning.
static uint8_t placesOf(uint8_t code) {
  switch (code) {
  case TPRT_PROGRAM_REGISTER:
    return kAtInstruction;
  case TPRT_PROGRAM_POINT_VALUE:
    return kAtPoint;
  case TPRT_PROGRAM_ARGUMENT:
  case TPRT_PROGRAM_RESULT:
  case TPRT_PROGRAM_DURATION:
  case TPRT_PROGRAM_CALLER:
  case TPRT_PROGRAM_ERROR:
  case TPRT_PROGRAM_STACK_ARGUMENT:
  case TPRT_PROGRAM_FLOAT_ARGUMENT:
  case TPRT_PROGRAM_FLOAT_RESULT:
  case TPRT_PROGRAM_INSIDE:
  case TPRT_PROGRAM_DEPTH:
  case TPRT_PROGRAM_KEY_STACK:
  case TPRT_PROGRAM_PAIR_START:
  case TPRT_PROGRAM_PAIR_END:
    return kAtFunction;
  default:
    return kAtFunction | kAtInstruction | kAtPoint;
  }
}

void Check::noteUse(const Operation &operation) {
  program.places &= placesOf(operation.code);
  auto note = [&](uint8_t &count) {
    const auto number = static_cast<uint8_t>(operation.number + 1);
    count = number > count ? number : count;
  };
  switch (operation.code) {
  case TPRT_PROGRAM_FLOAT_ARGUMENT:
    return note(program.vectorArguments);
  case TPRT_PROGRAM_FLOAT_RESULT:
    return note(program.vectorResults);
  case TPRT_PROGRAM_STACK_ARGUMENT:
    return note(program.stackWords);
  case TPRT_PROGRAM_INSIDE:
    program.usesInside = true;
    return;
  case TPRT_PROGRAM_DEPTH:
    program.usesDepth = true;
    return;
  case TPRT_PROGRAM_STOP_IF:
    program.stops = true;
    return;
  case TPRT_PROGRAM_KEY_STACK:
    ++program.stacks;
    frames += static_cast<uint32_t>(operation.number);
    return;
  default:
    return;
  }
}

const char *Check::faultOf(const Operation &operation, uint32_t at) {
  const Form form = formOf(operation.code);
  if (!form.known)
    return "this libtprt does not know one of the operations";
  if ((form.to && operation.to >= TPRT_PROGRAM_REGISTERS) ||
      (form.a && operation.a >= TPRT_PROGRAM_REGISTERS) ||
      (form.b && operation.b >= TPRT_PROGRAM_REGISTERS))
    return "there is no register of that number";
  if ((form.a && !isSet(operation.a)) || (form.b && !isSet(operation.b)))
    return "a register is read before it is set";
  if (const char *fault = faultOfPart(operation, at))
    return fault;
  if (const char *fault = faultOfNumber(operation))
    return fault;
  if (operation.code == TPRT_PROGRAM_BOUND &&
      (at + 1 == program.operations || isTarget[at + 1] ||
       !readsString(program.begin()[at + 1].code)))
    return "a bound is not right before a string that is read";
  if (operation.code == TPRT_PROGRAM_KEY_BYTES &&
      (!at || program.begin()[at - 1].code != TPRT_PROGRAM_BOUND))
    return "bytes are read without a bound";
  if (isJump(operation.code)) {
    if (const char *fault = faultOfJump(operation, at))
      return fault;
  } else if (isOutput(operation.code) && reach > at) {
    return "a jump leads past a key, a value, a filter or a stop";
  }
  if (operation.code == TPRT_PROGRAM_PAIR_START ||
      operation.code == TPRT_PROGRAM_PAIR_END)
    if (const char *fault = faultOfPair(operation, at))
      return fault;
  reads += operation.code == TPRT_PROGRAM_LOAD || readsString(operation.code);
  keys += isKey(operation.code);
  if (operation.code == TPRT_PROGRAM_VALUE && hasValue)
    return "a program has two values";
  hasValue |= operation.code == TPRT_PROGRAM_VALUE;
  if (form.to)
    set |= 1u << operation.to;
  noteUse(operation);
  return nullptr;
}

const char *Check::fault() {
  program.vectorArguments = program.vectorResults = program.stackWords = 0;
  program.usesInside = program.usesDepth = program.stops = false;
  program.stacks = 0;
  if (const char *fault = findEntryPart())
    return fault;
  program.places =
      program.isAtEnd() ? kAtFunction : kAtFunction | kAtInstruction | kAtPoint;
  for (uint32_t at = 0; at < program.operations; ++at) {
    if (at && at == program.entryOperations)
      set = 0; // The last operation before was a KEEP.
    else if (isTarget[at])
      set = isDead ? after[at] : set & after[at];
    else if (isDead)
      return "an operation can never run";
    const Operation &operation = program.begin()[at];
    if (const char *fault = faultOf(operation, at))
      return fault;
    isDead = operation.code == TPRT_PROGRAM_JUMP;
  }
  if (keys != program.keys)
    return "a program has another number of keys than its head states";
  if (frames > TPRT_PROGRAM_MOST_FRAMES)
    return "the stacks of a program have more than 64 frames";
  if (reads > TPRT_PROGRAM_MOST_READS)
    return "a program reads memory more than 8 times";
  if (program.isOfPairs() && !pairs)
    return "the program's flags and its pairs differ";
  if (program.startsPair() != program.hasOpenPairs() && keys)
    return "keys are in the wrong programs of pairs";
  if (program.hasFloatValue() && !hasValue)
    return "a program for values that are doubles has no value";
  if (!program.places)
    return "a program uses values of hits of different kinds";
  return nullptr;
}

const char *placeFault(const Program &program, uint32_t kinds, Place &place) {
  constexpr uint32_t kOthers = TPRT_KIND_SET_POINT | TPRT_KIND_SET_INSTRUCTION;
  place = kinds == TPRT_KIND_SET_POINT         ? kAtPoint
          : kinds == TPRT_KIND_SET_INSTRUCTION ? kAtInstruction
                                               : kAtFunction;
  if (place == kAtFunction && kinds & kOthers)
    return "expressions at points and at single instructions need selections "
           "of their own";
  if (program.places & place)
    return nullptr;
  return place == kAtFunction
             ? "the program needs a value of points or of single instructions"
         : program.isAtEnd()
             ? "a program at the end of calls cannot run at points or at "
               "single instructions"
         : place == kAtPoint
             ? "the program needs a value that no point has"
             : "the program needs a value that no single instruction has";
}

const char *programFault(Program &program) {
  static_assert(TPRT_PROGRAM_MOST_READS == 8 && kStackWords == 8 &&
                    TPRT_PROGRAM_MOST_FRAMES == 64 && TPRT_MOST_ARGUMENTS == 12,
                "or a text above is wrong");
  const char *fault = Check(program).fault();
  program.quick = fault ? QuickCondition{} : quickConditionOf(program);
  program.isPlain = !program.usesOtherArguments() && !program.usesScopes() &&
                    !program.stops && !program.isOfPairs() &&
                    !program.hasSelf();
  return fault;
}

} // namespace tprt
