// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of one decoded instruction that probes in code need. On x86-64
// the decoder is Zydis, plus a fast decoder for frequent instructions
// (x86_64/frequent.cpp). May be called on any thread; allocates nothing.
#ifndef TPRT_DECODE_INSTRUCTION_H
#define TPRT_DECODE_INSTRUCTION_H

#include "decode/code_bits.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// The effect of an instruction on the program counter.
enum class Flow : uint8_t {
  Next,         // Continues after the instruction.
  Nop,          // Continues after the instruction, and has no other effect.
  LandingPad,   // endbr64; bti, paciasp
  Call,         // Any call.
  Jump,         // jmp to a fixed address.
  Branch,       // A conditional jump with a 32-bit form.
  ShortBranch,  // jrcxz, loop: conditional jumps without a 32-bit form.
  JumpMemory,   // jmp through a fixed word of memory, as in a table of imports.
  JumpRegister, // jmp to the address in a register.
  JumpPointer,  // jmp to the address in the word that a register points to:
                // *8(%rax).
  JumpTable,    // jmp to the address in a word chosen by an index:
                // *(%rdx,%rax,8).
  Return,       // ret, ret imm16
  Stop,         // ud2, hlt, int3: never continues.
  // Can be executed only at its own address: a system call, an interrupt, a far
  // transfer, the start of a transaction.
  Bound,
};

struct Instruction {
  uint8_t length;
  Flow flow;
  // The field that is relative to the instruction's end: its offset and size.
  // Both are 0 if there is no field.
  uint8_t field, fieldBytes;
  int64_t distance; // The field's value.
  // A number in the instruction that may be an address, or 0.
  uint64_t constant;
  uint8_t target;     // For JumpRegister: the register's number.
  bool isNotTracked;  // The instruction has prefix notrack, like the jumps of
                      // some switches.
  bool isPadding;     // A nop of the kind with which assemblers pad.
  bool setsDirection; // The instruction is std, which makes copies of memory
                      // run backwards.

  // Whether only jumps can reach the next instruction.
  bool ends() const {
    return flow == Flow::Jump || flow == Flow::JumpMemory || isIndirect() ||
           flow == Flow::Return || flow == Flow::Stop;
  }
  // Whether the instruction jumps to an address that is in registers or is read
  // through registers.
  bool isIndirect() const {
    return flow == Flow::JumpRegister || flow == Flow::JumpPointer ||
           flow == Flow::JumpTable;
  }
  // Whether the instruction's target is at the fixed distance `length +
  // distance` from its beginning.
  bool isDirect() const {
    return flow == Flow::Jump || flow == Flow::Branch ||
           flow == Flow::ShortBranch || (flow == Flow::Call && fieldBytes);
  }
};

// Returns false if the first `room` bytes at `code` do not begin with an
// instruction that the decoder knows.
bool decode(const uint8_t *code, size_t room, Instruction &out);
// Decodes with Zydis only, which needs ten times as long.
bool decodeInFull(const uint8_t *code, size_t room, Instruction &out);

constexpr size_t kMostDecoded = 16;
// The facts about a plain instruction that its user needs: the address that it
// jumps to, calls or refers to by a distance; that it returns; or that it is
// padding. Padding is a nop of two or more bytes of the kind that assemblers
// use, after an instruction that never continues or after more padding.
struct PlainLink {
  enum Kind : uint8_t { Branch, Call, Jump, Return, Operand, Padding };
  // The beginning and the end of the instruction: offsets from the beginning of
  // the run.
  uint32_t start, end;
  int32_t distance; // The distance is relative to the end. For Return and
                    // Padding the distance is not used.
  Kind kind;
};
constexpr size_t kMostLinks = 128;
// The beginning of a run, and which instructions are not plain in it.
struct PlainCode {
  const uint8_t *code;
  // The number of bytes in the run, and the number of readable bytes (at least
  // as many).
  size_t room, readable;
  uint32_t offset;   // The offset of the run in `starts`.
  bool isAfterEnd;   // The previous instruction never continues, or is padding.
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
// Reads a run of plain instructions, which may be empty. Plain instructions are
// those that continue after themselves, direct jumps and calls, and returns.
// Not plain are:
//   - all nops, jumps and returns, with `hasMarks`
//   - instructions with a number that may be an address, with `hasAddresses`
// Most instructions are plain, and reading them by this function needs a third
// of the time of decode(). The run ends before an instruction that is not
// plain, before the last few readable bytes, or when `links` is full. The
// instructions are marked in `starts`. On processors on which decode() is
// equally fast, the run is empty.
PlainRun readPlain(const PlainCode &from, CodeBits &starts,
                   PlainLink (&links)[kMostLinks]);

// Whether a debugger's breakpoint instruction of kBreakpointBytes is at this
// address.
extern const unsigned kBreakpointBytes;
bool isBreakpoint(const uint8_t *code);

// Whether the instruction, if it is the target of a call, reads its own
// address: a pop, as in `call 1f; 1: pop %rax`.
bool takesAddress(const uint8_t *code);

// Whether a function that calls nothing may keep data below its stack pointer.
extern const bool kHasRedZone;

// The signature that the C library and other programs put before the code at
// which a restartable sequence is restarted: RSEQ_SIG of glibc's sys/rseq.h.
extern const uint32_t kSequenceSignature;

// The effect of an instruction on a register.
enum class Effect : uint8_t {
  None,
  Copies,       // Copies another register to it.
  MayCopy,      // Copies another register to it under a condition.
  Loads,        // Loads a word from memory.
  LoadsByIndex, // Loads a word that is chosen by an index.
  Computes,     // Any other effect, for instance a sum.
};

// The effect on general register number `target`. If another register is copied
// to it, `target` becomes the number of that register. The instruction must be
// one that decode() knows.
Effect effectOn(unsigned &target, const uint8_t *code, size_t room);

} // namespace tprt

#endif
