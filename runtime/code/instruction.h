// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One decoded instruction, as far as probes in code need to know it. On x86-64
// the decoder is Zydis, and a quick one for frequent instructions
// (x86_64/frequent.cpp). Any thread; allocates nothing.
#ifndef TPRT_CODE_INSTRUCTION_H
#define TPRT_CODE_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// What an instruction does with the program counter.
enum class Flow : uint8_t {
  Next,         // Goes on behind itself.
  Nop,          // The same, and does nothing else.
  LandingPad,   // endbr64
  Call,         // Any call.
  Jump,         // jmp to a fixed address.
  Branch,       // A conditional jump with a 32-bit form.
  ShortBranch,  // jrcxz, loop: conditional jumps without one.
  JumpMemory,   // jmp through a fixed word of memory, as in a table of imports.
  JumpRegister, // jmp to where a register leads.
  JumpPointer,  // jmp through the word that a register leads to: *8(%rax).
  JumpTable,    // jmp through a word chosen by an index: *(%rdx,%rax,8).
  Return,       // ret, ret imm16
  Stop,         // ud2, hlt, int3: never goes on.
  // What runs nowhere but at its own place: a system call, an interrupt, a far
  // transfer, the start of a transaction.
  Bound,
};

struct Instruction {
  uint8_t length;
  Flow flow;
  // The field that counts from the instruction's end: offset and bytes. No
  // field: 0.
  uint8_t field, fieldBytes;
  int64_t distance; // The field's value.
  // A number in the instruction that may be an address, or 0.
  uint64_t constant;
  uint8_t target;     // JumpRegister: the register's number.
  bool isNotTracked;  // It has prefix notrack, as a switch's jumps may have.
  bool isPadding;     // A nop of the kind that assemblers pad with.
  bool setsDirection; // It is std, which lets copies of memory go backwards.

  // Whether the instruction that follows is reached only by jumps.
  bool ends() const {
    return flow == Flow::Jump || flow == Flow::JumpMemory || isIndirect() ||
           flow == Flow::Return || flow == Flow::Stop;
  }
  // Whether it jumps to an address that registers hold or lead to.
  bool isIndirect() const {
    return flow == Flow::JumpRegister || flow == Flow::JumpPointer ||
           flow == Flow::JumpTable;
  }
  // Whether it leads to the fixed address `length + distance` behind itself.
  bool isDirect() const {
    return flow == Flow::Jump || flow == Flow::Branch ||
           flow == Flow::ShortBranch || (flow == Flow::Call && fieldBytes);
  }
};

// False: the first `room` bytes at `code` begin with no instruction that the
// decoder knows.
bool decode(const uint8_t *code, size_t room, Instruction &out);
// The same by Zydis alone, which takes ten times as long.
bool decodeInFull(const uint8_t *code, size_t room, Instruction &out);

constexpr size_t kMostDecoded = 16;
// Which numbers in an instruction its reader has to know of.
enum class Numbers : uint8_t { All, None };
// The length of an instruction of which nothing but the length matters: it goes
// on behind itself, is no nop, and refers to nothing by a distance. With
// Numbers::All, it also has no number that may be an address. 0: decode() has
// to say what it is. More than half of all instructions are such, and the
// length is computed without a branch that a processor would mispredict. It
// reads at most kMostDecoded bytes. Where decode() is as quick, always 0.
unsigned lengthOfPlain(const uint8_t *code, Numbers numbers);

// Whether a debugger's breakpoint instruction of kBreakpointBytes is there.
extern const unsigned kBreakpointBytes;
bool isBreakpoint(const uint8_t *code);

// What an instruction does to a register.
enum class Effect : uint8_t {
  None,
  Copies,       // Gives it another register's value.
  MayCopy,      // The same, under a condition.
  Loads,        // Loads it from memory: a word.
  LoadsByIndex, // The same, chosen by an index.
  Computes,     // Anything else, as a sum.
};

// The effect on general register number `target`, which becomes the other one's
// number if that is copied. The instruction is one that decode() knows.
Effect effectOn(unsigned &target, const uint8_t *code, size_t room);

} // namespace tprt

#endif
