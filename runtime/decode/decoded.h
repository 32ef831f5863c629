// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module's decoded code: its functions, their parts and ends, the targets of
// jumps, and the padding. May be used on any thread; acquires no lock, and
// allocates only pages from the system.
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
// A direct jump out of its function, or to the function's beginning. If a
// function continues in the next one, its end counts as a conditional jump.
struct Jump {
  uint32_t to;
  uint32_t from; // The index of the function that contains the jump.
  bool isConditional;
};

// The signs by which code with an unwind entry counts as a function, or not.
enum : uint32_t {
  kCalled = 1 << 0,  // A direct call has this function as its target.
  kNamed = 1 << 1,   // A symbol has the function's address.
  kCold = 1 << 2,    // A symbol of a part that was moved elsewhere has this
                     // address.
  kLoaded = 1 << 3,  // An instruction loads the function's address.
  kListed = 1 << 4,  // A word of data contains the function's address.
  kEntered = 1 << 5, // A jump of another function has its target after the
                     // function's beginning.
  kJumped = 1 << 6,  // An unconditional jump of another function has its target
                     // at the function's beginning.
  kShared = 1 << 7,  // Several functions jump to this function.
  kCalls = 1 << 8,   // The function makes calls. So no data lies below the
                     // stack pointer.
  kMoved = 1 << 9,   // The unwind entry looks like that of code inside a
                     // function.
  // And bits that say whether the instructions are known.
  kDecoded = 1 << 10, // The function is decoded from its beginning to its end.
  kUnclear = 1 << 11, // A jump or a reference has its target between
                      // instructions.
  // Possible targets of indirect jumps of the function or of its parts.
  kLabelled = 1 << 12, // A word of data contains an address inside the
                       // function.
  kTabled = 1 << 13,   // The function refers to a table of distances into
                       // itself.
  kPadded = 1 << 14,   // The function has padding between its instructions.
  // The function sets the direction flag, which is clear where functions begin
  // and end.
  kReversed = 1 << 15,
  kJumpsByWord = 1 << 16, // The function jumps through a fixed word of memory.
  kIndirect = 1 << 17,    // The function, or a part of it, has any other
                          // indirect jump.
  kReturns = 1 << 18,     // The function has a return.
  kNamedInside = 1 << 19, // A symbol has an address inside the function.
};

// An operand's address, outside of functions, in read-only memory. The tables
// of switches have such addresses.
struct Reference {
  uint32_t to;   // An offset.
  uint32_t from; // The index of the function that contains it.
};

// The instructions of a restartable sequence; see function_parts.cpp. Offsets.
struct Sequence {
  uint32_t start, end;
};

// The kind of an indirect jump.
enum class Way : uint8_t {
  Leaves, // The jump leaves the function, for instance as a call through a
          // pointer at its end.
  Stays,  // The jump belongs to a switch, or its target is a label whose
          // address is taken.
  Unknown
};

class DecodedCode {
public:
  explicit DecodedCode(const CodeView &view) : view(view) {}
  // Decodes all functions. Returns nullptr, or the reason why there are no
  // functions.
  const char *decodeAll();

  // The code at this offset. At most kMostRead bytes may be read, and only
  // before the fourth next call.
  const uint8_t *at(uint32_t offset) const {
    const auto *code = reinterpret_cast<const uint8_t *>(view.origin + offset);
    return view.patchCount ? unpatched(offset, code) : code;
  }
  // The number of readable bytes from an offset on, at most `most`.
  size_t room(uint32_t offset, size_t most) const {
    while (most && !isIn(view, view.origin + offset,
                         view.origin + offset + most, PF_R | PF_X))
      --most;
    return most;
  }
  bool decodeAt(uint32_t offset, uint32_t end, Instruction &code) const {
    return decode(at(offset), end - offset, code);
  }
  // The index of the function that contains the offset, or functions.size() if
  // there is none.
  size_t functionAt(uint32_t offset) const;
  // Whether every instruction of the function is known.
  bool isKnown(uint32_t index) const {
    return (signs[index] & (kDecoded | kUnclear)) == kDecoded;
  }
  // Whether the direction flag may be set inside the function.
  bool isReversed(uint32_t index) const {
    return signs[parents[index]] & kReversed;
  }
  // Whether instructions inside the function may be reached by something other
  // than direct jumps: by an indirect jump of the function or of a part of it,
  // by a word of data, or by a symbol that other modules use.
  bool mayBeEnteredInside(uint32_t index) const {
    return signs[parents[index]] & (kIndirect | kLabelled | kNamedInside);
  }
  // Whether some jump has its target at an offset from `from` up to, but
  // excluding, `to`.
  bool isTarget(uint32_t from, uint32_t to) const {
    return targets.firstFrom(from, to) < to;
  }
  // Whether these bytes are referred to in any way except by one word of data,
  // such as that in the table of -fpatchable-function-entry. The bytes must be
  // outside of functions.
  bool isUsed(uint32_t from, uint32_t to) const;
  // Whether the offset lies in a restartable sequence.
  bool isInSequence(uint32_t offset) const;
  // Whether the function, or a part of it, has a jump to this offset, which is
  // the beginning or the entry of the function.
  bool leadsInto(uint32_t offset, uint32_t from) const;
  // Whether a jump from this function to `target` leads to another function.
  bool leavesTo(uint32_t function, uint32_t target) const;
  // Whether data may lie below the stack pointer when a jump enters this
  // function. This is so if the function may be a part of another function.
  bool mayKeepBelow(size_t index) const {
    constexpr unsigned kCertain = kCalled | kNamed | kCalls;
    return kHasRedZone && !(signs[index] & kCertain);
  }
  // Whether data may lie below the stack pointer at the jump `code` at `offset`
  // in this function, if its target counts as another function.
  bool mayKeepBelow(uint32_t function, uint32_t offset,
                    const Instruction &code) const;
  // If the exit is a jump through a thunk, changes `code` to the jump through a
  // register that the thunk replaces. Returns the offset after the function's
  // instructions before that jump. Otherwise returns the exit's own offset.
  uint32_t seeThroughThunk(const Exit &exit, Instruction &code) const;
  // The kind of the indirect jump at `offset` in this function.
  Way wayOf(uint32_t function, uint32_t offset, const Instruction &code) const;
  // Whether one of the last instructions before the jump through register
  // `target` at `offset` in this function loads the stack pointer from another
  // register, as in longjmp, or pops the target.
  bool isStackChanged(uint32_t function, uint32_t offset,
                      unsigned target) const;
  // Whether the word is read-only after the module was relocated.
  bool isReadOnlyWord(uint64_t address) const {
    return isReadOnly(address, sizeof(uint64_t));
  }

  const CodeView &view;
  Array<Function> functions;
  // Indexed by function: the function that it is a part of, or itself.
  Array<uint32_t> parents;
  Array<Exit> exits;
  // Filled if the module refers to profilers: possible calls of a profiler, and
  // nops that may replace such calls.
  Array<Exit> calls;
  DeadBytes dead;

protected:
  // Whether the offset belongs to a sled or its slot.
  bool isKept(uint32_t offset) const;
  // Whether a decoded instruction begins at this offset.
  bool startsAt(uint32_t offset) const { return starts.has(offset); }

private:
  static constexpr uint32_t kMostRead = 32;
  const uint8_t *unpatched(uint32_t offset, const uint8_t *code) const;
  bool findProfilerTargets();
  // Whether a call with the target `to`, or a nop, may be a call of a profiler.
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

  // In no_unwind_code.cpp: records the targets of code outside of functions.
  void followOutside(uint32_t from, uint32_t end);
  void followAllOutside();
  // If a function ends with a call that returns, excludes the bytes after it
  // from padding.
  bool spareAfterCalls();
  // Whether the code at this offset is only a jump through a word of memory.
  bool isImport(uint32_t offset) const;

  // In function_parts.cpp: determines which code is a function, and to which
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
  // instruction with a field refers, if the instruction is not a direct jump.
  // Returns 0 if the address is unknown.
  uint64_t operandOf(uint32_t index, uint32_t offset,
                     const Instruction &code) const;
  bool findTables();
  bool noteRows(uint64_t address, uint32_t function);
  // Moves the beginnings of functions to their symbols if only nops lie between
  // the symbols and the unwind entries.
  void takeNopsBefore();
  template <class Is> bool hasRow(uint64_t address, const Is &is) const;
  bool mayBeTable(uint64_t address) const;
  bool isTable(uint64_t address, uint32_t function) const;
  bool leadsToInstruction(uint64_t address) const;
  bool leadsToPart(uint64_t address, uint32_t function) const;
  Effect lastEffect(uint32_t function, uint32_t offset, unsigned target) const;

  // The profilers' functions in this module.
  Array<uint32_t> profilerTargets;
  // For each kIndexed bytes, from the first function on: the first function
  // that ends after the beginning of these bytes.
  static constexpr uint32_t kIndexed = 256;
  Array<uint32_t> firstFunctions;
  // Indexed by function: the signs; and the first other function that jumps to
  // it, or itself.
  Array<uint32_t> signs;
  Array<uint32_t> jumpers;
  // These bits cover the code from the first function to the end of the last
  // one. `starts`: the beginnings of decoded instructions. `targets`: targets
  // of jumps and calls, of operands between functions, and of code outside of
  // functions. `called`: targets of calls of other functions.
  CodeBits starts, targets, called;
  Array<Jump> jumps; // In order of their targets, after all of them are known.
  // Indexed by jump: the index of the function that contains the jump's target,
  // or functions.size() if there is none. Filled in by one pass over jumps and
  // functions, both of which are in order.
  Array<uint32_t> owners;
  Array<Reference> references;
  // Possible targets of indirect jumps: offsets of bytes that look like
  // padding.
  Array<uint32_t> labels;
  // Indexes of functions that end with a call.
  Array<uint32_t> endCalls;
  // In the order of their descriptors.
  Array<Sequence> sequences;
  // Some data or instruction contains the address of a part whose function is
  // unknown.
  bool hidesLabels = false;
  // The results of unpatched().
  mutable uint8_t copies[4][kMostRead];
  mutable unsigned copied = 0;
};

} // namespace tprt

#endif
