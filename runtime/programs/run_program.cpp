// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program in a hit; see program.h. The program was checked, so
// registers, jumps and texts are known to be right. Compilers make calls of
// memcpy and memset out of loops and structures, and in libtprt.a these calls
// would lead to functions that use vector registers. So there is none.
#include "programs/run_program.h"
#include "names/glob.h"
#include "programs/doubles.h"
#include "programs/follow_calls.h"
#include "programs/hit_keys.h"
#include "programs/hit_values.h"
#include "programs/pairs.h"
#include "programs/program.h"
#include "programs/program_check.h"
#include "programs/read_memory.h"
#include "sites/arch.h"
#include "threads/clock.h"
#include "threads/thread_block.h"

#include <string.h>

namespace tprt {

// MATCH and TEXT_EQUAL.
[[gnu::noinline]] static Read compareText(const Program &program,
                                          const Operation &operation,
                                          uint64_t address, uint64_t bound) {
  char bytes[TPRT_PROGRAM_MOST_STRING + 1];
  bool cut;
  const int length =
      readString(address, TPRT_PROGRAM_MOST_STRING, bound, bytes, cut);
  if (length < 0)
    return {0, false};
  bytes[length] = 0;
  const char *text = program.text() + operation.number;
  if (operation.code == TPRT_PROGRAM_TEXT_EQUAL)
    return {!cut && strcmp(text, bytes) == 0, true};
  bool isCertain;
  const bool matches = plainGlobMatchesBeginning(text, bytes, isCertain);
  return {matches, !cut || isCertain};
}

// --- values ------------------------------------------------------------------

static int64_t asSigned(uint64_t value) { return static_cast<int64_t>(value); }

// The same for 0 and -1, for which the processor has no quotient.
static bool isPlainDivisor(uint64_t b) { return b + 1 > 1; }

// Ends the pair of this key. Returns the nanoseconds since its start; unknown:
// there is none.
[[gnu::noinline]] static Read endOf(PairTable &pairs, uint64_t key) {
  const uint64_t now = readTicks();
  OpenPair pair;
  if (!endPair(pairs, key, pair))
    return {0, false};
  // The counters of two processors may differ by a little.
  return {nanosecondsInHit(now > pair.start ? now - pair.start : 0), true};
}

// Whether the result of an operation, whose own values are known, is unknown
// because of its registers.
[[gnu::noinline]] static bool comesFromUnknown(const Operation &operation,
                                               uint32_t unknown) {
  // A member that is not used may have any value.
  auto is = [&](unsigned of) { return (unknown >> of & 1) != 0; };
  if (operation.code == TPRT_PROGRAM_CONSTANT_HIGH)
    return is(operation.to);
  const Form form = formOf(operation.code);
  return (form.a && is(operation.a)) || (form.b && is(operation.b));
}

// The function is one loop with one switch, because a hit's time is mostly that
// of its dispatch.
Outcome runOperations(const Program &program, const Operation *from,
                      const Operation *end, const HitValues &hit,
                      ProgramResult &result) {
  // Not cleared: the program sets each register before it reads it.
  uint64_t registers[TPRT_PROGRAM_REGISTERS];
  uint32_t unknown = 0; // A bit for each register.
  uint64_t *keysEnd = result.keys;
  result.value = 1;
  result.isValueKnown = true;
  result.lastAt = 0;
  for (const Operation *at = from; at < end; ++at) {
    const Operation &operation = *at;
    const unsigned a = operation.a;
    auto first = [&] { return registers[a]; };
    auto second = [&] {
      return operation.code & TPRT_PROGRAM_IMMEDIATE
                 ? static_cast<uint64_t>(int64_t{operation.number})
                 : registers[operation.b];
    };
    auto isUnknown = [&] { return __builtin_expect(unknown >> a & 1, 0); };
    // The BOUND of a string is the operation right before the one that reads
    // the string.
    auto isBounded = [&] {
      return at > program.begin() && at[-1].code == TPRT_PROGRAM_BOUND;
    };
    auto bound = [&] { return isBounded() ? registers[at[-1].a] : UINT64_MAX; };
    auto isTextUnknown = [&] {
      return isUnknown() || (isBounded() && unknown >> at[-1].a & 1);
    };
    uint64_t value = 0;
    bool known = true;
    switch (operation.code & ~unsigned{TPRT_PROGRAM_IMMEDIATE}) {
    case TPRT_PROGRAM_CONSTANT:
      value = static_cast<uint64_t>(int64_t{operation.number});
      break;
    case TPRT_PROGRAM_CONSTANT_HIGH:
      value = static_cast<uint32_t>(registers[operation.to]) |
              uint64_t{static_cast<uint32_t>(operation.number)} << 32;
      break;
    case TPRT_PROGRAM_COPY:
      value = first();
      break;

    case TPRT_PROGRAM_KEEP: {
      const auto number = static_cast<unsigned>(operation.number);
      hit.keepIn->kept[number] = first();
      if (!isUnknown())
        hit.keepIn->knownKept |= static_cast<uint8_t>(1u << number);
      continue;
    }
    case TPRT_PROGRAM_KEPT: {
      const auto number = static_cast<unsigned>(operation.number);
      known = hit.others->knownKept >> number & 1;
      value = known ? hit.others->kept[number] : 0;
      break;
    }

    case TPRT_PROGRAM_ARGUMENT: {
      const auto number = static_cast<unsigned>(operation.number);
      if (number >= TPRT_ARGUMENT_REGISTERS)
        __builtin_unreachable(); // checked
      known = number < kArgumentsByLive[hit.entry->live()];
      value = hit.regs ? tprt_regs_argument(hit.regs, number)
                       : hit.arguments[number];
      break;
    }
    case TPRT_PROGRAM_STACK_ARGUMENT: {
      const auto number = static_cast<unsigned>(operation.number);
      known = number < hit.others->knownWords;
      value = known ? hit.others->words[number] : 0;
      break;
    }
    case TPRT_PROGRAM_FLOAT_ARGUMENT: {
      const auto number = static_cast<unsigned>(operation.number);
      known = number < hit.others->knownVectors;
      value = known ? hit.others->vectors[number] : 0;
      break;
    }
    case TPRT_PROGRAM_RESULT: {
      const auto number = static_cast<unsigned>(operation.number);
      known = hit.result && number < hit.result->knownIntegers;
      value = known ? hit.result->integers[number] : 0;
      break;
    }
    case TPRT_PROGRAM_FLOAT_RESULT: {
      const auto number = static_cast<unsigned>(operation.number);
      known = hit.result && number < hit.result->knownVectors;
      value = known ? hit.result->vectors[number] : 0;
      break;
    }
    case TPRT_PROGRAM_DURATION:
      known = hit.ticks != kUnknownTicks;
      value = known ? nanosecondsInHit(hit.ticks) : 0;
      break;
    case TPRT_PROGRAM_THREAD: {
      const int32_t owner =
          __atomic_load_n(&threadInHandler()->owner, __ATOMIC_RELAXED);
      known = owner > 0;
      value = static_cast<uint64_t>(int64_t{owner});
      break;
    }
    case TPRT_PROGRAM_CALLER:
      value = hit.caller;
      break;
    case TPRT_PROGRAM_REGISTER: {
      const auto number = static_cast<unsigned>(operation.number);
      if (number >= kGeneralRegisters)
        __builtin_unreachable(); // checked
      value = registerAtInstruction(*hit.regs, number);
      break;
    }
    case TPRT_PROGRAM_POINT_VALUE: {
      const Read read =
          readPointValue(hit, static_cast<unsigned>(operation.number));
      value = read.value;
      known = read.known;
      break;
    }
    case TPRT_PROGRAM_FUNCTION:
      value = indexOf(hit.entry);
      break;
    case TPRT_PROGRAM_INSIDE:
      known = hit.around.inside != kUnknownCalls;
      value = hit.around.inside != 0;
      break;
    case TPRT_PROGRAM_DEPTH:
      known = hit.around.depth < kManyCalls;
      value = hit.around.depth;
      break;
    case TPRT_PROGRAM_ERROR:
      // A function that was jumped to has yet to run, and a call that was left
      // has no end of its own.
      known = hit.regs || hit.result;
      value = static_cast<uint64_t>(int64_t{*threadInHandler()->errnoLocation});
      break;

    case TPRT_PROGRAM_ADD:
      value = first() + second();
      break;
    case TPRT_PROGRAM_SUBTRACT:
      value = first() - second();
      break;
    case TPRT_PROGRAM_MULTIPLY:
      value = first() * second();
      break;
    case TPRT_PROGRAM_DIVIDE: {
      const uint64_t b = second();
      known = b != 0;
      value = isPlainDivisor(b)
                  ? static_cast<uint64_t>(asSigned(first()) / asSigned(b))
                  : 0 - first();
      break;
    }
    case TPRT_PROGRAM_DIVIDE_UNSIGNED: {
      const uint64_t b = second();
      known = b != 0;
      value = known ? first() / b : 0;
      break;
    }
    case TPRT_PROGRAM_REMAINDER: {
      const uint64_t b = second();
      known = b != 0;
      value = isPlainDivisor(b)
                  ? static_cast<uint64_t>(asSigned(first()) % asSigned(b))
                  : 0;
      break;
    }
    case TPRT_PROGRAM_REMAINDER_UNSIGNED: {
      const uint64_t b = second();
      known = b != 0;
      value = known ? first() % b : 0;
      break;
    }
    case TPRT_PROGRAM_AND:
      value = first() & second();
      break;
    case TPRT_PROGRAM_OR:
      value = first() | second();
      break;
    case TPRT_PROGRAM_XOR:
      value = first() ^ second();
      break;
    case TPRT_PROGRAM_SHIFT_LEFT:
      value = first() << (second() & 63);
      break;
    case TPRT_PROGRAM_SHIFT_RIGHT:
      value = static_cast<uint64_t>(asSigned(first()) >> (second() & 63));
      break;
    case TPRT_PROGRAM_SHIFT_RIGHT_UNSIGNED:
      value = first() >> (second() & 63);
      break;
    case TPRT_PROGRAM_EQUAL:
      value = first() == second();
      break;
    case TPRT_PROGRAM_NOT_EQUAL:
      value = first() != second();
      break;
    case TPRT_PROGRAM_LESS:
      value = asSigned(first()) < asSigned(second());
      break;
    case TPRT_PROGRAM_LESS_UNSIGNED:
      value = first() < second();
      break;
    case TPRT_PROGRAM_LESS_EQUAL:
      value = asSigned(first()) <= asSigned(second());
      break;
    case TPRT_PROGRAM_LESS_EQUAL_UNSIGNED:
      value = first() <= second();
      break;
    case TPRT_PROGRAM_SIGN_EXTEND: {
      const int shift = 64 - operation.number;
      value = static_cast<uint64_t>(asSigned(first() << shift) >> shift);
      break;
    }
    case TPRT_PROGRAM_ZERO_EXTEND:
      value = first() & (UINT64_MAX >> (64 - operation.number));
      break;

    case TPRT_PROGRAM_FLOAT_ADD:
      value = addDoubles(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_SUBTRACT:
      value = addDoubles(first(), negated(second()));
      break;
    case TPRT_PROGRAM_FLOAT_MULTIPLY:
      value = multiplyDoubles(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_DIVIDE:
      value = divideDoubles(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_EQUAL:
      value = isEqual(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_LESS:
      value = isLess(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_LESS_EQUAL:
      value = isLess(first(), second()) || isEqual(first(), second());
      break;
    case TPRT_PROGRAM_FLOAT_FROM_SIGNED:
      value = doubleOfSigned(first());
      break;
    case TPRT_PROGRAM_FLOAT_FROM_UNSIGNED:
      value = doubleOfUnsigned(first());
      break;
    case TPRT_PROGRAM_FLOAT_TO_SIGNED: {
      const Integer integer = signedOfDouble(first());
      value = integer.value;
      known = integer.known;
      break;
    }
    case TPRT_PROGRAM_FLOAT_TO_UNSIGNED: {
      const Integer integer = unsignedOfDouble(first());
      value = integer.value;
      known = integer.known;
      break;
    }
    case TPRT_PROGRAM_FLOAT_FROM_SINGLE:
      value = doubleOfFloat(static_cast<uint32_t>(first()));
      break;
    case TPRT_PROGRAM_FLOAT_TO_SINGLE:
      value = floatOfDouble(first());
      break;

    case TPRT_PROGRAM_LOAD:
      known = !isUnknown();
      if (known) {
        const auto offset = static_cast<uint64_t>(int64_t{operation.number});
        const Read read = readNumber(first() + offset, operation.b);
        value = read.value;
        known = read.known;
      }
      break;
    case TPRT_PROGRAM_MATCH:
    case TPRT_PROGRAM_TEXT_EQUAL:
      known = !isTextUnknown();
      if (known) {
        const Read read = compareText(program, operation, first(), bound());
        value = read.value;
        known = read.known;
      }
      break;
    case TPRT_PROGRAM_BOUND:
      continue;

    case TPRT_PROGRAM_JUMP:
      at += operation.number;
      continue;
    case TPRT_PROGRAM_JUMP_IF_ZERO:
      if (isUnknown())
        return Outcome::Unread;
      at += first() ? 0 : operation.number;
      continue;
    case TPRT_PROGRAM_JUMP_IF_NOT_ZERO:
      if (isUnknown())
        return Outcome::Unread;
      at += first() ? operation.number : 0;
      continue;
    case TPRT_PROGRAM_FILTER:
      if (isUnknown())
        return Outcome::Unread;
      if (!first())
        return Outcome::Filtered;
      continue;

    case TPRT_PROGRAM_STOP_IF: {
      if (isUnknown())
        return Outcome::Unread;
      const auto at = static_cast<uint32_t>(operation.number);
      const uint32_t last = at > 1 ? at : 1;
      if (first() && (!result.lastAt || last < result.lastAt))
        result.lastAt = last;
      continue;
    }

    case TPRT_PROGRAM_KEY:
      if (isUnknown()) {
        keysEnd = addWord(keysEnd, TPRT_PROGRAM_KEY_UNKNOWN);
      } else {
        keysEnd = addWord(keysEnd, TPRT_PROGRAM_KEY_NUMBER);
        keysEnd = addWord(keysEnd, first());
      }
      continue;
    case TPRT_PROGRAM_KEY_STRING:
      keysEnd =
          isTextUnknown()
              ? addWord(keysEnd, TPRT_PROGRAM_KEY_UNKNOWN)
              : addStringKey(keysEnd, first(),
                             static_cast<uint32_t>(operation.number), bound());
      continue;
    case TPRT_PROGRAM_KEY_STACK:
      keysEnd =
          addStackKey(keysEnd, hit, static_cast<uint32_t>(operation.number));
      continue;
    case TPRT_PROGRAM_KEY_BYTES:
      keysEnd =
          isTextUnknown()
              ? addWord(keysEnd, TPRT_PROGRAM_KEY_UNKNOWN)
              : addBytesKey(keysEnd, first(),
                            static_cast<uint32_t>(operation.number), bound());
      continue;
    case TPRT_PROGRAM_VALUE:
      result.value = asSigned(first());
      result.isValueKnown =
          !isUnknown() && !(program.hasFloatValue() && isNan(first()));
      continue;

    case TPRT_PROGRAM_PAIR_START:
      if (isUnknown())
        return Outcome::Unread;
      result.pairKey = first();
      continue;
    case TPRT_PROGRAM_PAIR_END: {
      if (isUnknown())
        return Outcome::Unread;
      const Read since = endOf(*result.pairs, first());
      if (!since.known)
        return Outcome::Unpaired;
      value = since.value;
      break;
    }
    default: // The check lets no other code through.
      __builtin_unreachable();
    }
    registers[operation.to] = value;
    if (__builtin_expect(unknown != 0 || !known, 0)) {
      const bool is = !known || comesFromUnknown(operation, unknown);
      unknown = (unknown & ~(1u << operation.to)) | uint32_t{is}
                                                        << operation.to;
    }
  }
  result.keyWords = static_cast<size_t>(keysEnd - result.keys);
  return Outcome::Counts;
}

} // namespace tprt
