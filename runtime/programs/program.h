// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that tools send (tprt/control_program.h). aggregate/ and record/ run
// them.
//
// The check (program_check.h) proves that a program ends, stays within its
// registers and its text, and reads no register before the program has set it.
// So the interpreter (run_program.h) checks nothing again.
#ifndef TPRT_PROGRAMS_PROGRAM_H
#define TPRT_PROGRAMS_PROGRAM_H

#include "programs/scope_ref.h"
#include "sites/arch.h"
#include "sites/site.h"
#include "tprt/control_program.h"

#include <stddef.h>

namespace tprt {

using Operation = tprt_program_operation;

// A program's first condition, if it compares an integer argument with a
// constant. Such a condition is the most frequent one, and computed at once.
struct QuickCondition {
  uint64_t low, span; // It holds from low to low + span, or else outside.
  bool isOutside;
  // The argument, without its upper `shift` bits, or with its sign there.
  uint8_t argument, shift;
  bool isSigned;
  uint8_t operations; // That it stands for. 0: there is no such condition.
  bool isUsedAgain;   // Later operations use the registers of these.

  bool holdsFor(uint64_t value) const {
    const uint64_t high = value << shift;
    value = isSigned
                ? static_cast<uint64_t>(static_cast<int64_t>(high) >> shift)
                : high >> shift;
    return (value - low <= span) != isOutside;
  }
};
// The flags of programs of pairs (programs/pairs.h).
constexpr uint32_t kPairFlags =
    TPRT_PROGRAM_STARTS_PAIR | TPRT_PROGRAM_ENDS_PAIR | TPRT_PROGRAM_OPEN_PAIRS;

// Where a program can run.
enum Place : uint8_t { kAtFunction = 1, kAtInstruction = 2, kAtPoint = 4 };

// A program that was checked. Its operations and its text follow the structure.
struct Program {
  uint32_t operations, textBytes, flags, keys;
  QuickCondition quick; // The check sets it.
  // The numbers from 0 on that the program may use of vector registers with
  // arguments or results, and of words with arguments. The check sets these.
  uint8_t vectorArguments = 0, vectorResults = 0, stackWords = 0;
  // Whether it has these operations. The check sets these, too.
  bool usesInside = false, usesDepth = false, stops = false;
  uint8_t stacks = 0; // How many KEY_STACK it has.
  uint8_t places = 0; // Where it may run: a set of Place.
  // How many of the operations run at the entry. The check sets it.
  uint16_t entryOperations = 0;
  // Neither the hit's values need more than its registers and its stack, nor
  // does the hit more than to count in a row. The check sets it.
  bool isPlain = false;
  uint8_t unused = 0;
  // What INSIDE and DEPTH refer to. Set by whoever knows the tool's scopes.
  ScopeRef inside = {}, depth = {};

  const Operation *begin() const {
    return reinterpret_cast<const Operation *>(this + 1);
  }
  const Operation *end() const { return begin() + operations; }
  const char *text() const { return reinterpret_cast<const char *>(end()); }
  bool isAtEnd() const { return flags & TPRT_PROGRAM_AT_END; }
  bool hasHistogram() const { return flags & TPRT_PROGRAM_HISTOGRAM; }
  bool hasFloatValue() const { return flags & TPRT_PROGRAM_FLOAT_VALUE; }
  bool hasSelf() const { return flags & TPRT_PROGRAM_SELF; }
  bool usesScopes() const { return usesInside || usesDepth; }
  bool startsPair() const { return flags & TPRT_PROGRAM_STARTS_PAIR; }
  bool isOfPairs() const { return flags & kPairFlags; }
  bool hasOpenPairs() const { return flags & TPRT_PROGRAM_OPEN_PAIRS; }
  // Modules stay loaded as long as there are tables of them.
  bool keepsModules() const {
    return stacks || flags & TPRT_PROGRAM_OF_MODULES;
  }
  bool keeps() const { return flags & TPRT_PROGRAM_KEEPS; }
  bool usesOtherArguments() const {
    return vectorArguments || stackWords || keeps();
  }
  // With its operations and its text.
  size_t bytes() const {
    return sizeof(Program) + operations * sizeof(Operation) + textBytes;
  }
};

// --- in hits -----------------------------------------------------------------

// The keys of one hit, in words, which are faster to write and to compare than
// bytes. Each key begins with a word: its kind (enum tprt_program_key_kind),
// and the length of a text << kKeyLengthShift. A number has one more word. The
// bytes of a text follow, filled up with zeros. Of a stack the length is the
// number of frames, each of which is a word, and its end is above.
constexpr unsigned kKeyLengthShift = 8, kStackEndShift = 16;
constexpr uint64_t kMostKeyLength = 255;
constexpr size_t kMostKeyWords =
    TPRT_PROGRAM_MOST_VALUES * (1 + TPRT_PROGRAM_MOST_STRING / 8) +
    TPRT_PROGRAM_MOST_FRAMES;
inline uint64_t lengthOfKey(uint64_t head) {
  return head >> kKeyLengthShift & kMostKeyLength;
}
// One byte more is read of a string than its key has.
constexpr size_t kKeyRoom = kMostKeyWords + 1;

// What few programs use of an entry: the arguments that are in no integer
// register, and the values that the program keeps.
constexpr unsigned kVectorArguments = 8, kStackWords = 8;
struct OtherArguments {
  uint64_t vectors[kVectorArguments]; // The lowest 64 bits of each register.
  uint64_t words[kStackWords];
  uint64_t kept[TPRT_PROGRAM_MOST_KEPT];
  // How many of each are known.
  uint8_t knownVectors, knownWords;
  uint8_t knownKept; // A bit for each.
};

// A call's result. Vectors as above.
struct CallResult {
  uint64_t integers[kResultIntegers];
  uint64_t vectors[kResultVectors];
  uint8_t knownIntegers, knownVectors;
};

// How many calls of the program's scopes are open around the call, as
// callsAround() (programs/scopes.h) tells. Set if the program uses scopes.
struct CallsAround {
  uint32_t inside, depth;
};

// The ticks of a call that was left by an exception or longjmp: only that it
// has ended is known, not when.
constexpr uint64_t kUnknownTicks = UINT64_MAX;

// From where the stack is walked: the hit under way. Without `regs` the call's
// frame is gone, as another call's hit has noticed.
struct StackPlace {
  const tprt_event *event;
  const tprt_regs *regs;
};

// What a program may know about a hit. Unused members need not be set.
struct HitValues {
  const tprt_site *entry;
  // The integer arguments: of the hit at an entry, or, if this is nullptr, the
  // values that the registers had at the entry.
  const tprt_regs *regs;
  const uint64_t *arguments;
  const OtherArguments *others; // If the program uses any.
  uint64_t caller;
  CallsAround around; // As it was at the entry.
  StackPlace place;   // If the program uses the stack.
  // Only at the end of a call. Or kUnknownTicks.
  uint64_t ticks;
  uint64_t inside;          // Ticks of calls inside. If the program hasSelf().
  const CallResult *result; // nullptr: there is none.
  // Where the part that runs at entries keeps values. nullptr: the other part
  // runs.
  OtherArguments *keepIn = nullptr;
};

struct PairTable;

enum class Outcome {
  Counts,
  Filtered, // The hit does not count.
  Unread,   // A condition is unknown.
  Unpaired, // The hit ends a pair that has not started.
};

// What a program has computed.
struct ProgramResult {
  uint64_t *keys; // The caller's, with room for kKeyRoom words.
  // Unless the hit counts, these are not set.
  size_t keyWords;
  int64_t value; // Or the bits of a double.
  bool isValueKnown;
  // Not 0: the hit satisfies a STOP_IF, and the number of that is this, or 1
  // for 0. Of two of them the smaller one.
  uint32_t lastAt;
  uint64_t pairKey; // If the program starts a pair.
  // The caller's, if the program ends a pair.
  PairTable *pairs;
};

} // namespace tprt

#endif
