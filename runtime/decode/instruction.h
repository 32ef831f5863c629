// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One decoded instruction, as far as probes in code need to know it. On x86-64
// the decoder is Zydis, plus a quick decoder for frequent instructions
// (x86_64/frequent.cpp). Any thread; allocates nothing.
#ifndef TPRT_DECODE_INSTRUCTION_H
#define TPRT_DECODE_INSTRUCTION_H

#include "decode/code_bits.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// What an instruction does with the program counter.
enum class Flow : uint8_t {
  Next,         // Continues after itself.
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
  Stop,         // ud2, hlt, int3: never continues.
  // Can run only at its own place: a system call, an interrupt, a far transfer,
  // the start of a transaction.
  Bound,
};

struct Instruction {
  uint8_t length;
  Flow flow;
  // The field that is relative to the instruction's end: its offset and size.
  // No field: 0.
  uint8_t field, fieldBytes;
  int64_t distance; // The field's value.
  // A number in the instruction that may be an address, or 0.
  uint64_t constant;
  uint8_t target;     // JumpRegister: the register's number.
  bool isNotTracked;  // It has prefix notrack, as a switch's jumps may have.
  bool isPadding;     // A nop of the kind that assemblers pad with.
  bool setsDirection; // It is std, which lets copies of memory go backwards.

  // Whether only jumps can reach the next instruction.
  bool ends() const {
    return flow == Flow::Jump || flow == Flow::JumpMemory || isIndirect() ||
           flow == Flow::Return || flow == Flow::Stop;
  }
  // Whether it jumps to an address that registers hold or lead to.
  bool isIndirect() const {
    return flow == Flow::JumpRegister || flow == Flow::JumpPointer ||
           flow == Flow::JumpTable;
  }
  // Whether it leads to the fixed address `length + distance` after itself.
  bool isDirect() const {
    return flow == Flow::Jump || flow == Flow::Branch ||
           flow == Flow::ShortBranch || (flow == Flow::Call && fieldBytes);
  }
};

// Returns false if the first `room` bytes at `code` do not begin with an
// instruction that the decoder knows.
bool decode(const uint8_t *code, size_t room, Instruction &out);
// The same by Zydis alone, which takes ten times as long.
bool decodeInFull(const uint8_t *code, size_t room, Instruction &out);

constexpr size_t kMostDecoded = 16;
// The facts about a plain instruction that its reader needs: the address to
// which it leads or refers by a distance; that it returns; or that it is
// padding. Padding is a nop of two or more bytes of the kind that assemblers
// use, after an instruction that never continues or after more padding.
struct PlainLink {
  enum Kind : uint8_t { Branch, Call, Jump, Return, Operand, Padding };
  // Where the instruction begins and ends: offsets from the beginning of the
  // run.
  uint32_t start, end;
  int32_t distance; // It counts from the end. Return, Padding: nothing.
  Kind kind;
};
constexpr size_t kMostLinks = 128;
// Where a run begins, and which instructions are not plain there.
struct PlainCode {
  const uint8_t *code;
  // How many bytes belong to the run, and how many may be read (at least as
  // many).
  size_t room, readable;
  uint32_t offset;   // For `starts`.
  bool isBehindEnd;  // The instruction before never continues, or is padding.
  bool hasAddresses; // Numbers in instructions may be addresses.
  bool hasMarks;     // Nops, jumps and returns may have replaced other
                     // instructions.
};
struct PlainRun {
  size_t bytes, links;
  // The flow of the last instruction, if it is a call or never continues.
  // Padding: Flow::Nop. Anything else: Flow::Next.
  Flow last;
};
// Reads a run of plain instructions, which may be empty. Plain are those that
// go on after themselves, direct jumps and calls, and returns. These are not:
//   - all nops, jumps and returns, with `hasMarks`
//   - what has a number that may be an address, with `hasAddresses`
// Most instructions are plain, and reading them here needs a third of the time
// of decode(). The run ends before an instruction that is not plain, before the
// last few readable bytes, or when `links` is full. The instructions are marked
// in `starts`. On processors on which decode() is as quick, the run is empty.
PlainRun readPlain(const PlainCode &from, CodeBits &starts,
                   PlainLink (&links)[kMostLinks]);

// Whether a debugger's breakpoint instruction of kBreakpointBytes is there.
extern const unsigned kBreakpointBytes;
bool isBreakpoint(const uint8_t *code);

// Whether the instruction reads its own address when a call leads to it: a pop,
// as in `call 1f; 1: pop %rax`.
bool takesAddress(const uint8_t *code);

// Whether a function that calls nothing may keep data below its stack pointer.
extern const bool kHasRedZone;

// The signature that the C library and others put before the code at which a
// restartable sequence is restarted: RSEQ_SIG of glibc's sys/rseq.h.
extern const uint32_t kSequenceSignature;

// What an instruction does to a register.
enum class Effect : uint8_t {
  None,
  Copies,       // Gives it another register's value.
  MayCopy,      // The same, under a condition.
  Loads,        // Loads it from memory: a word.
  LoadsByIndex, // The same, chosen by an index.
  Computes,     // Anything else, as a sum.
};

// The effect on general register number `target`. If another register is copied
// to it, `target` becomes that one's number. decode() knows the instruction.
Effect effectOn(unsigned &target, const uint8_t *code, size_t room);

} // namespace tprt

#endif
