// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes by Zydis the instructions that frequent.cpp does not decode; see
// instruction.h. "Intel SDM" is volume 2 of the Intel 64 and IA-32
// Architectures Software Developer's Manual.
#include "decode/instruction.h"
#include "decode/x86_64/frequent.h"

#include <Zydis/Decoder.h>

namespace tprt {

static bool isBound(const ZydisDecodedInstruction &code) {
  switch (code.meta.category) {
  case ZYDIS_CATEGORY_SYSCALL:
  case ZYDIS_CATEGORY_SYSRET:
  case ZYDIS_CATEGORY_SYSTEM:
  case ZYDIS_CATEGORY_INTERRUPT:
  case ZYDIS_CATEGORY_IO:
  case ZYDIS_CATEGORY_IOSTRINGOP:
    return true;
  default:
    break;
  }
  switch (code.mnemonic) {
  case ZYDIS_MNEMONIC_XBEGIN:
  case ZYDIS_MNEMONIC_XEND:
  case ZYDIS_MNEMONIC_XABORT:
  case ZYDIS_MNEMONIC_IRET:
  case ZYDIS_MNEMONIC_IRETD:
  case ZYDIS_MNEMONIC_IRETQ:
  case ZYDIS_MNEMONIC_VMCALL:
  case ZYDIS_MNEMONIC_VMMCALL:
    return true;
  default:
    return code.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
  }
}

// A memory operand with modrm 00 and 101 is relative to the instruction's end
// (Intel SDM, 2.2.1.6, "RIP-Relative Addressing").
static bool isRipRelative(const ZydisDecodedInstruction &code) {
  return code.attributes & ZYDIS_ATTRIB_HAS_MODRM && code.raw.modrm.mod == 0 &&
         code.raw.modrm.rm == 5 && code.raw.disp.size == 32;
}

// Index 4 means no index, unless a prefix extends it (Intel SDM, 2.1.5,
// "Addressing-Mode Encoding of ModR/M and SIB Bytes").
static bool hasIndex(const ZydisDecodedInstruction &code) {
  constexpr unsigned kSib = 4, kNone = 4;
  return code.raw.modrm.rm == kSib &&
         (code.raw.sib.index != kNone || code.raw.rex.X);
}

// In a program that is linked for a fixed address, compilers use these
// instructions to refer to code and to tables of its addresses.
static uint64_t constantOf(const ZydisDecodedInstruction &code) {
  switch (code.mnemonic) {
  case ZYDIS_MNEMONIC_MOV:
  case ZYDIS_MNEMONIC_PUSH:
  case ZYDIS_MNEMONIC_CMP:
    return code.raw.imm[0].size >= 32 ? code.raw.imm[0].value.u : 0;
  case ZYDIS_MNEMONIC_LEA:
  case ZYDIS_MNEMONIC_JMP: // through a switch's table
    return code.raw.disp.size == 32 && !isRipRelative(code)
               ? static_cast<uint64_t>(code.raw.disp.value)
               : 0;
  default:
    return 0;
  }
}

// XRay's nops have the displacement 512, which distinguishes them from an
// assembler's padding.
static bool isPadding(const ZydisDecodedInstruction &code) {
  return code.mnemonic == ZYDIS_MNEMONIC_NOP && code.raw.disp.value == 0;
}

static Flow flowOfJump(const ZydisDecodedInstruction &code) {
  if (code.raw.imm[0].is_relative)
    return Flow::Jump;
  if (isRipRelative(code))
    return Flow::JumpMemory;
  if (code.raw.modrm.mod == 3)
    return Flow::JumpRegister;
  return hasIndex(code) ? Flow::JumpTable : Flow::JumpPointer;
}

static Flow flowOf(const ZydisDecodedInstruction &code) {
  switch (code.mnemonic) {
  case ZYDIS_MNEMONIC_ENDBR64:
    return Flow::LandingPad;
  case ZYDIS_MNEMONIC_NOP:
    return Flow::Nop;
  case ZYDIS_MNEMONIC_JMP:
    return isBound(code) ? Flow::Bound : flowOfJump(code);
  case ZYDIS_MNEMONIC_RET:
    return isBound(code) ? Flow::Bound : Flow::Return;
  case ZYDIS_MNEMONIC_INT3:
  case ZYDIS_MNEMONIC_UD0:
  case ZYDIS_MNEMONIC_UD1:
  case ZYDIS_MNEMONIC_UD2:
  case ZYDIS_MNEMONIC_HLT:
    return Flow::Stop;
  case ZYDIS_MNEMONIC_JRCXZ:
  case ZYDIS_MNEMONIC_JECXZ:
  case ZYDIS_MNEMONIC_LOOP:
  case ZYDIS_MNEMONIC_LOOPE:
  case ZYDIS_MNEMONIC_LOOPNE:
    return Flow::ShortBranch;
  default:
    break;
  }
  if (isBound(code))
    return Flow::Bound;
  if (code.meta.category == ZYDIS_CATEGORY_CALL)
    return Flow::Call;
  if (code.meta.category == ZYDIS_CATEGORY_COND_BR)
    return Flow::Branch;
  return Flow::Next;
}

const unsigned kBreakpointBytes = 1; // int3

const bool kHasRedZone = true; // psABI, 3.2.2

const uint32_t kSequenceSignature = 0x53053053; // of ud1 0x53053053(%rip), %edi

bool isBreakpoint(const uint8_t *code) { return *code == 0xcc; }

bool takesAddress(const uint8_t *code) {
  constexpr uint8_t kPop = 0x58, kRexB = 0x41;
  return (code[code[0] == kRexB] & ~7) == kPop;
}

bool decode(const uint8_t *bytes, size_t room, Instruction &out) {
  constexpr uint8_t kReturn = 0xc3;
  out = {};
  if (room && *bytes == kReturn) { // Most exits are such returns, so they are
                                   // decoded here.
    out.length = 1;
    out.flow = Flow::Return;
    return true;
  }
  uint8_t padded[kMostDecoded] = {};
  const uint8_t *from = bytes;
  if (room < kMostDecoded) {
    for (size_t i = 0; i < room; ++i)
      padded[i] = bytes[i];
    from = padded;
  }
  return (decodeFrequent(from, out) && out.length <= room) ||
         decodeInFull(bytes, room, out);
}

bool decodeInFull(const uint8_t *bytes, size_t room, Instruction &out) {
  // Filled in at each call, because this library has no constructors. This
  // needs about ten stores.
  ZydisDecoder decoder;
  ZydisDecodedInstruction code;
  out = {};
  if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                   ZYDIS_STACK_WIDTH_64)) ||
      ZYAN_FAILED(
          ZydisDecoderDecodeInstruction(&decoder, nullptr, bytes, room, &code)))
    return false;
  out.length = code.length;
  out.flow = flowOf(code);
  out.constant = constantOf(code);
  out.isNotTracked = code.attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
  out.isPadding = isPadding(code);
  out.setsDirection = code.mnemonic == ZYDIS_MNEMONIC_STD;
  if (out.flow == Flow::JumpRegister)
    out.target =
        static_cast<uint8_t>(code.raw.modrm.rm | unsigned{code.raw.rex.B} << 3);
  if (code.raw.imm[0].is_relative) {
    out.field = code.raw.imm[0].offset;
    out.fieldBytes = code.raw.imm[0].size / 8;
    out.distance = code.raw.imm[0].value.s;
  } else if (isRipRelative(code)) {
    out.field = code.raw.disp.offset;
    out.fieldBytes = 4;
    out.distance = code.raw.disp.value;
  }
  // With these prefixes, the address is truncated to 32 bits, or the length of
  // the instruction depends on the processor (Intel SDM, 2.2.1.7 and JMP; AMD
  // APM vol. 3, "Near Jumps in 64-Bit Mode").
  if (out.fieldBytes &&
      code.attributes &
          (ZYDIS_ATTRIB_HAS_ADDRESSSIZE | ZYDIS_ATTRIB_HAS_OPERANDSIZE) &&
      (code.attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE ||
       code.raw.imm[0].is_relative))
    out.flow = Flow::Bound;
  // A call through a word of memory has no fixed target.
  if (out.flow == Flow::Call && !code.raw.imm[0].is_relative)
    out.field = out.fieldBytes = 0;
  return true;
}

static bool isRegister(const ZydisDecodedOperand &operand, unsigned number) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
                                          operand.reg.value) ==
             ZYDIS_REGISTER_RAX + static_cast<int>(number);
}

// A register of 64 bits, because a register of 32 bits truncates the value.
static bool isGeneral(const ZydisDecodedOperand &operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_GPR64;
}

static bool isWord(const ZydisDecodedOperand &operand) {
  return operand.size == 64 && operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static Effect effectOf(const ZydisDecodedInstruction &code,
                       const ZydisDecodedOperand *operands) {
  const ZydisDecodedOperand &from = operands[1];
  if (code.meta.category == ZYDIS_CATEGORY_CMOV)
    return Effect::MayCopy;
  if (code.mnemonic == ZYDIS_MNEMONIC_MOV && isGeneral(from))
    return Effect::Copies;
  if (code.mnemonic == ZYDIS_MNEMONIC_POP)
    return Effect::Loads;
  if (code.mnemonic != ZYDIS_MNEMONIC_MOV || !isWord(from))
    return Effect::Computes;
  return from.mem.index == ZYDIS_REGISTER_NONE ? Effect::Loads
                                               : Effect::LoadsByIndex;
}

static Effect followed(Effect effect, const ZydisDecodedOperand *operands,
                       unsigned &target) {
  if (effect == Effect::Copies)
    target = static_cast<unsigned>(operands[1].reg.value - ZYDIS_REGISTER_RAX);
  return effect;
}

Effect effectOn(unsigned &target, const uint8_t *bytes, size_t room) {
  ZydisDecoder decoder;
  ZydisDecodedInstruction code;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                   ZYDIS_STACK_WIDTH_64)) ||
      ZYAN_FAILED(
          ZydisDecoderDecodeFull(&decoder, bytes, room, &code, operands)))
    return Effect::Computes;
  for (unsigned i = 0; i < code.operand_count; ++i)
    if (isRegister(operands[i], target) &&
        operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
      return i ? Effect::Computes
               : followed(effectOf(code, operands), operands, target);
  return Effect::None;
}

} // namespace tprt
