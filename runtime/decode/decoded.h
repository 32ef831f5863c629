// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module's code, decoded: its functions, their parts and ends, where jumps
// lead, and what is padding. Any thread; takes no lock, and allocates by the
// system's pages.
#ifndef TPRT_DECODE_DECODED_H
#define TPRT_DECODE_DECODED_H

#include "decode/code_bits.h"
#include "decode/instruction.h"
#include "decode/unwind_entries.h"
#include "sites/padding.h"

#include <elf.h>

namespace tprt {

struct Exit {
  uint32_t at;
  uint32_t function; // An index.
};
// A direct jump that leads out of its function, or to its beginning. Also the
// end of a function that continues in the next one: that counts as a
// conditional jump.
struct Jump {
  uint32_t to;
  uint32_t from; // The index of the function that contains it.
  bool isConditional;
};

// The signs by which code with an unwind entry counts as a function, or not.
enum : uint32_t {
  kCalled = 1 << 0,  // By a direct call.
  kNamed = 1 << 1,   // By a symbol.
  kCold = 1 << 2,    // By a symbol of a part that was moved away.
  kLoaded = 1 << 3,  // An instruction loads its address.
  kListed = 1 << 4,  // A word of data is its address.
  kEntered = 1 << 5, // A jump of another function leads past its beginning.
  kJumped = 1 << 6,  // The same to its beginning, without a condition.
  kShared = 1 << 7,  // Several functions jump to it.
  kCalls = 1 << 8,   // It calls. So no data lies below the stack pointer.
  kMoved = 1 << 9,   // Its unwind entry looks like that of code inside a
                     // function.
  // And whether its instructions are known.
  kDecoded = 1 << 10, // From its beginning to its end.
  kUnclear = 1 << 11, // Something leads, or refers, to a place between
                      // instructions.
  // Possible targets of indirect jumps of the function or of its parts.
  kLabelled = 1 << 12, // A word of data has an address inside it.
  kTabled = 1 << 13,   // It refers to a table of distances into it.
  kPadded = 1 << 14,   // It has padding between its instructions.
  // It sets the direction flag, which is clear where functions begin and end.
  kReversed = 1 << 15,
  kJumpsByWord = 1 << 16, // It jumps through a fixed word of memory.
  kIndirect = 1 << 17,    // It, or a part of it, has any other indirect jump.
  kReturns = 1 << 18,     // It has a return.
  kNamedInside = 1 << 19, // A symbol has an address inside it.
};

// An operand's address, outside of functions and read-only. The tables of
// switches have such addresses.
struct Reference {
  uint32_t to;   // An offset.
  uint32_t from; // The index of the function that contains it.
};

// The instructions of a restartable sequence; see function_parts.cpp. Offsets.
struct Sequence {
  uint32_t start, end;
};

// What an indirect jump does.
enum class Way : uint8_t {
  Leaves, // The function is left, as by a call through a pointer at its end.
  Stays,  // It is a switch's jump, or one to a label by its address.
  Unknown
};

class DecodedCode {
public:
  explicit DecodedCode(const CodeView &view) : view(view) {}
  // Decodes all functions. Returns nullptr, or the reason why there are none.
  const char *decodeAll();

  // The code at this offset, of which at most kMostRead bytes are read before
  // the next four calls.
  const uint8_t *at(uint32_t offset) const {
    const auto *code = reinterpret_cast<const uint8_t *>(view.origin + offset);
    return view.patchCount ? unpatched(offset, code) : code;
  }
  // How many bytes may be read from an offset on, at most as many as are asked.
  size_t room(uint32_t offset, size_t most) const {
    while (most && !isIn(view, view.origin + offset,
                         view.origin + offset + most, PF_R | PF_X))
      --most;
    return most;
  }
  bool decodeAt(uint32_t offset, uint32_t end, Instruction &code) const {
    return decode(at(offset), end - offset, code);
  }
  // The index of the function that contains the offset; functions.size(): none.
  size_t functionAt(uint32_t offset) const;
  // Whether every instruction of the function is known.
  bool isKnown(uint32_t index) const {
    return (signs[index] & (kDecoded | kUnclear)) == kDecoded;
  }
  // Whether the direction flag may be set inside the function.
  bool isReversed(uint32_t index) const {
    return signs[parents[index]] & kReversed;
  }
  // Whether anything other than direct jumps may lead to an instruction inside
  // the function: an indirect jump of the function or of a part of it, a word
  // of data, or a symbol that other modules use.
  bool mayBeEnteredInside(uint32_t index) const {
    return signs[parents[index]] & (kIndirect | kLabelled | kNamedInside);
  }
  // Whether a jump leads to some offset from `from` up to `to`, without `to`.
  bool isTarget(uint32_t from, uint32_t to) const {
    return targets.firstFrom(from, to) < to;
  }
  // Whether anything leads to these bytes except one word of data, such as that
  // in the table of -fpatchable-function-entry. The bytes are outside of
  // functions.
  bool isUsed(uint32_t from, uint32_t to) const;
  // Whether the offset lies in a restartable sequence.
  bool isInSequence(uint32_t offset) const;
  // Whether the function, or a part of it, has a jump to this offset, at which
  // the function begins or is entered.
  bool leadsInto(uint32_t offset, uint32_t from) const;
  // Whether a jump from this function to `target` leads to another function.
  bool leavesTo(uint32_t function, uint32_t target) const;
  // Whether data may lie below the stack pointer when a jump enters this
  // function: it is not certain that the function is not a part of another one.
  bool mayKeepBelow(size_t index) const {
    constexpr unsigned kCertain = kCalled | kNamed | kCalls;
    return kHasRedZone && !(signs[index] & kCertain);
  }
  // The same for the jump `code` at `offset` in this function, which leads to
  // code that counts as another function.
  bool mayKeepBelow(uint32_t function, uint32_t offset,
                    const Instruction &code) const;
  // If the exit is a jump through a thunk, changes `code` to the jump through a
  // register that it replaces, and returns the offset after the function's
  // instructions before it. Otherwise returns the exit's own offset.
  uint32_t seeThroughThunk(const Exit &exit, Instruction &code) const;
  // What the indirect jump at `offset` in this function does.
  Way wayOf(uint32_t function, uint32_t offset, const Instruction &code) const;
  // Whether one of the last instructions before the jump through register
  // `target` at `offset` in this function loads the stack pointer from another
  // register, as longjmp does, or pops the target.
  bool isStackChanged(uint32_t function, uint32_t offset,
                      unsigned target) const;
  // Whether the word cannot be written once the module is relocated.
  bool isReadOnlyWord(uint64_t address) const {
    return isReadOnly(address, sizeof(uint64_t));
  }

  const CodeView &view;
  Array<Function> functions;
  // By function: the function that it is a part of, or itself.
  Array<uint32_t> parents;
  Array<Exit> exits;
  // If the module has anything to do with profilers: calls that may be of one,
  // and nops that may replace calls.
  Array<Exit> calls;
  DeadBytes dead;

protected:
  // Whether the offset is that of a sled or its slot.
  bool isKept(uint32_t offset) const;
  // Whether a decoded instruction begins there.
  bool startsAt(uint32_t offset) const { return starts.has(offset); }

private:
  static constexpr uint32_t kMostRead = 32;
  const uint8_t *unpatched(uint32_t offset, const uint8_t *code) const;
  bool findProfilerTargets();
  // Whether a call that leads to `to`, or a nop, may be one of a profiler.
  bool mayLeadToProfiler(uint64_t to) const;
  bool indexFunctions();
  bool decodeFunction(uint32_t index);
  bool noteLink(uint32_t index, uint32_t offset, uint64_t to,
                PlainLink::Kind kind);
  bool readPlainRun(uint32_t index, uint32_t offset, bool ended,
                    uint32_t &padding, PlainRun &run);
  bool endPadding(uint32_t &padding, uint32_t end);
  bool noteInstruction(uint32_t index, uint32_t offset,
                       const Instruction &code);
  bool addGap(uint32_t index, bool reached);
  bool noteJump(uint32_t index, uint64_t to, Flow flow);
  bool noteOperand(uint32_t index, uint64_t address);
  bool noteConstant(uint32_t index, uint64_t address);
  bool finishJumps();
  bool findOwners();
  void refuseSkewed();
  bool isReadOnly(uint64_t address, size_t bytes) const;

  // In no_unwind_code.cpp: notes the targets of code outside of functions.
  void followOutside(uint32_t from, uint32_t end);
  void followAllOutside();
  // If a function ends with a call that returns, excludes the bytes after it
  // from padding.
  bool spareBehindCalls();
  // Whether the code there is only a jump through a word of memory.
  bool isImport(uint32_t offset) const;

  // In function_parts.cpp: finds out which code is a function, and to which
  // functions the other code belongs.
  bool findParts();
  bool isLost(size_t index) const;
  bool hasLost() const;
  bool isEnd(uint32_t offset) const;
  bool findLost();
  bool sortReferences();
  void followJumps();
  bool followTables(bool isLast);
  bool followJump(const Jump &jump, uint32_t to);
  template <class Row>
  bool followRows(uint32_t start, uint32_t end, uint32_t function);
  void readSymbols();
  bool readWords(Extent words);
  bool noteLabel(uint32_t offset);
  bool noteSequence(Extent words, uint64_t at);
  bool readAllWords();
  bool isOwnPart(uint32_t index, uint32_t of) const;
  void findSigns();
  size_t rootOf(size_t index) const;
  bool findShared();
  bool isFunction(uint32_t index) const;
  bool isImports(uint32_t index) const;

  // In <processor>/switches.cpp or operands.cpp. The address to which an
  // instruction with a field refers, if it is not a direct jump; 0 if that is
  // not known.
  uint64_t operandOf(uint32_t index, uint32_t offset,
                     const Instruction &code) const;
  bool findTables();
  bool noteRows(uint64_t address, uint32_t function);
  // Moves the beginnings of functions to their symbols, if only nops are
  // between these and their unwind entries.
  void takeNopsBefore();
  template <class Is> bool hasRow(uint64_t address, const Is &is) const;
  bool mayBeTable(uint64_t address) const;
  bool isTable(uint64_t address, uint32_t function) const;
  bool leadsToInstruction(uint64_t address) const;
  bool leadsToPart(uint64_t address, uint32_t function) const;
  Effect lastEffect(uint32_t function, uint32_t offset, unsigned target) const;

  // The profilers' functions in this module.
  Array<uint32_t> profilerTargets;
  // By kIndexed bytes, from the first function on: the first function that ends
  // after the beginning of these bytes.
  static constexpr uint32_t kIndexed = 256;
  Array<uint32_t> firstFunctions;
  // By function: the signs; and the first other function that jumps to it, or
  // itself.
  Array<uint32_t> signs;
  Array<uint32_t> jumpers;
  // From the first function to the end of the last. `starts`: where decoded
  // instructions begin. `targets`: targets of jumps and calls, of operands
  // between functions, and of code outside of functions. `called`: targets of
  // calls of other functions.
  CodeBits starts, targets, called;
  Array<Jump> jumps; // In order of their targets, once all are known.
  // By jump: the index of the function to which or into which it leads;
  // functions.size(): none. Filled in by one pass over jumps and functions,
  // which are both in order.
  Array<uint32_t> owners;
  Array<Reference> references;
  // Where indirect jumps may lead: offsets of what looks like padding.
  Array<uint32_t> labels;
  // Indexes of functions that end with a call.
  Array<uint32_t> endCalls;
  // In the order of their descriptors.
  Array<Sequence> sequences;
  // Something has the address of a part whose function is not known.
  bool hidesLabels = false;
  // What unpatched() returns.
  mutable uint8_t copies[4][kMostRead];
  mutable unsigned copied = 0;
};

} // namespace tprt

#endif
