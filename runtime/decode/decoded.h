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
// A direct jump that leads out of its function, or to its beginning; or the end
// of a function that continues in the next one, as if by a condition.
struct Jump {
  uint32_t to;
  uint32_t from; // The index of the function that has it.
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
  kMoved = 1 << 9,   // Its unwind entry is that of code inside a function.
  // And whether its instructions are known.
  kDecoded = 1 << 10, // From its beginning to its end.
  kUnclear = 1 << 11, // Something leads, or refers, to what is no instruction.
  // What indirect jumps of the function, or of its parts, may lead to.
  kLabelled = 1 << 12, // A word of data has an address inside it.
  kTabled = 1 << 13,   // It refers to a table of distances that lead into it.
  kPadded = 1 << 14,   // It has padding between its instructions.
  // It sets the direction flag, which is clear where functions begin and end.
  kReversed = 1 << 15,
  kJumpsByWord = 1 << 16, // It jumps through a fixed word of memory.
  kIndirect = 1 << 17,    // It, or a part of it, has any other indirect jump.
  kReturns = 1 << 18,     // It has a return.
  kNamedInside = 1 << 19, // A symbol has an address inside it.
};

// An operand's address, where no function is, and no thread writes. Tables that
// switches use are there.
struct Reference {
  uint32_t to;   // An offset.
  uint32_t from; // The index of the function that has it.
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
  // Decodes all functions. nullptr, or why there are none.
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
  // Whether more than direct jumps may lead to any instruction of the function:
  // an indirect jump of its own or of a part of it, or whoever reads a word of
  // data, or comes from another module by a symbol.
  bool mayBeEnteredInside(uint32_t index) const {
    return signs[parents[index]] & (kIndirect | kLabelled | kNamedInside);
  }
  // Whether a jump leads to some offset from `from` up to `to`, without `to`.
  bool isTarget(uint32_t from, uint32_t to) const {
    return targets.firstFrom(from, to) < to;
  }
  // Whether more leads to these bytes than one word of data, as the table of
  // -fpatchable-function-entry has it. No function has these bytes.
  bool isUsed(uint32_t from, uint32_t to) const;
  // Whether the offset lies in a restartable sequence.
  bool isInSequence(uint32_t offset) const;
  // Whether the function, or a part of it, has a jump to this offset, which is
  // where the function begins, or is entered.
  bool leadsInto(uint32_t offset, uint32_t from) const;
  // Whether a jump from this function to `target` leads to another function.
  bool leavesTo(uint32_t function, uint32_t target) const;
  // Whether data may lie below the stack pointer where this function is entered
  // by a jump, as nothing tells for certain that it is no part of another one.
  bool mayKeepBelow(size_t index) const {
    constexpr unsigned kCertain = kCalled | kNamed | kCalls;
    return kHasRedZone && !(signs[index] & kCertain);
  }
  // The same where the jump `code` at `offset` in this function leads to code
  // that counts as another one.
  bool mayKeepBelow(uint32_t function, uint32_t offset,
                    const Instruction &code) const;
  // If the exit is a jump through a thunk, makes `code` the jump through a
  // register that it stands for. Returns the offset after the instructions
  // that the function has before it; else the exit's own.
  uint32_t seeThroughThunk(const Exit &exit, Instruction &code) const;
  // What the indirect jump at `offset` in this function does.
  Way wayOf(uint32_t function, uint32_t offset, const Instruction &code) const;
  // Whether one of the last instructions before the jump through register
  // `target` at `offset` in this function takes the stack pointer from another
  // register, as longjmp does, or pops the target.
  bool isStackChanged(uint32_t function, uint32_t offset,
                      unsigned target) const;
  // Whether the word is one that no thread writes once the module is relocated.
  bool isReadOnlyWord(uint64_t address) const {
    return isReadOnly(address, sizeof(uint64_t));
  }

  const CodeView &view;
  Array<Function> functions;
  // By function: the function that it is a part of, or itself.
  Array<uint32_t> parents;
  Array<Exit> exits;
  // Where the module has anything to do with profilers: calls that may be of
  // one, and nops that may stand for calls.
  Array<Exit> calls;
  DeadBytes dead;

protected:
  // Whether the offset is that of a sled or its slot.
  bool isKept(uint32_t offset) const;
  // Whether an instruction begins there that was decoded.
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

  // In no_unwind_code.cpp: what leads to code from where no function is.
  void followOutside(uint32_t from, uint32_t end);
  void followAllOutside();
  // Lets nothing be padding after functions that end with a call which
  // returns.
  bool spareBehindCalls();
  // Whether a jump through a word of memory is all that is there.
  bool isImport(uint32_t offset) const;

  // In function_parts.cpp: which code is a function, and the rest's functions.
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

  // In <processor>/switches.cpp or operands.cpp. What an instruction with a
  // field refers to, if it is no direct jump; 0: nothing that is known.
  uint64_t operandOf(uint32_t index, uint32_t offset,
                     const Instruction &code) const;
  bool findTables();
  bool noteRows(uint64_t address, uint32_t function);
  // Lets functions begin where their symbols are, if only nops lie between that
  // and their unwind entries.
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
  // From the first function to the end of the last: where an instruction begins
  // that was decoded; what a jump or a call leads to, or an operand refers to
  // between functions, or something outside of functions leads to; and what a
  // call of another function leads to.
  CodeBits starts, targets, called;
  Array<Jump> jumps; // In order of where they lead, once all are known.
  // By jump: the index of the function that it leads to or into;
  // functions.size(): none. Filled in for all at once, in one pass over jumps
  // and functions, which are both in order.
  Array<uint32_t> owners;
  Array<Reference> references;
  // Where indirect jumps may lead: offsets of what looks like padding.
  Array<uint32_t> labels;
  // Indexes of functions that end with a call.
  Array<uint32_t> endCalls;
  // In the order of their descriptors.
  Array<Sequence> sequences;
  // Something has the address of a part of nobody knows which function.
  bool hidesLabels = false;
  // What unpatched() returns.
  mutable uint8_t copies[4][kMostRead];
  mutable unsigned copied = 0;
};

} // namespace tprt

#endif
