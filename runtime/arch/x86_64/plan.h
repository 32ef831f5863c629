// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 sleds and slots, off and on:
//
//   SHORT   66 90             eb XX           at an even address; XX leads to
//     slot  cc cc cc cc cc    e9 rel32        the slot, before the entry label
//   LONG    0f 1f 44 00 00    e9 1f 44 hh hh  inside one aligned 8-byte word;
//                                             leads to an island
//                                             (jump_islands.h)
//   RET     c3 cc cc cc cc    e9 rel32        the displacement once, before the
//                                             first flip
//   CODE    an instruction    code_patch.cpp
//   others  nops              cc, the rest as it was: trap.cpp, if asked for
//
// When a uprobe or a breakpoint is removed, the file's first byte is restored.
// If the sled was on, the resulting bytes have no effect. They are further
// forms of a disabled sled (isHarmlessAfter66() has the possible values of
// XX):
//
//   SHORT   66 XX             LONG    0f 1f 44 hh hh      RET    c3 rel32
//
// Each sled is flipped by one naturally aligned store. Another core executes
// the bytes before or after the store, never a mixture (AMD APM vol. 2, 7.6.1,
// asynchronous modification inside a quadword). For Intel processors this was
// measured. Intel SDM vol. 3, 9.1.3 guarantees nothing without serialisation,
// which the barriers in batch.h provide.
//
// The functions are inline, because a batch flips a site in about five
// nanoseconds. sites/arch.h includes this file and describes the functions.
#ifndef TPRT_ARCH_PLAN_H
#define TPRT_ARCH_PLAN_H

#include <string.h>

namespace tprt {

constexpr size_t kStubHeaderBytes = 128; // stub.cpp
// For images that debuggers read (psABI, figure 3.36). A stub saves no
// registers, and debuggers need no information about the code in a region's
// header.
constexpr uint16_t kDebugMachine = 62; // EM_X86_64
constexpr uint8_t kDebugStack = 7, kDebugReturn = 16, kDebugLink = 0;
constexpr uint8_t kDebugSaved[2] = {};
constexpr bool kDebugSaves = false;
constexpr size_t kHeaderCodeBytes = 0;
constexpr bool kHasTraps = true;
// A breakpoint of gdb or of a uprobe: int3.
inline bool isBreakpointAt(const uint8_t *code) { return *code == 0xcc; }
constexpr size_t kInnerStubBytes = 32;
// A point's sled; its shape, which static branches share; and the alignment of
// instructions.
constexpr unsigned kPointShape = TPRT_SHAPE_LONG;
constexpr uint8_t kPointSledBytes = 5;
constexpr uint64_t kCodeAlignment = 1;
// System calls change rax, rcx and r11 only (psABI, A.2.1).
constexpr bool systemCallsKeepVectors() { return true; }
template <class Work> inline void keepVectorsIn(Work work) { work(); }
// Results lie in rax, rdx, xmm0 and xmm1 (psABI, 3.2.3). The return address is
// at the stack pointer of an entry.
constexpr unsigned kResultIntegers = 2, kResultVectors = 2;
constexpr unsigned kWordsBeforeArguments = 1;
// Columns of unwind tables (psABI, figure 3.36). A call stores the return
// address in memory. A hit does not save rbp.
constexpr uint64_t kStackColumn = 7, kFrameColumn = 6, kReturnColumn = 16;
constexpr bool kCallsPush = true, kHitsHaveFramePointer = false;
inline uint64_t framePointerIn(const tprt_regs &) { return 0; }
inline uint64_t withoutSignature(uint64_t address) { return address; }
// Where the kernel keeps the registers while a signal handler runs, from the
// stack pointer that the handler returns with: rsp, rip and rbp in the
// ucontext_t (Linux, arch/x86/include/asm/sigframe.h). An unwind table that
// says so of rsp has these bytes in its expression of the CFA: DW_OP_breg7 160,
// DW_OP_deref.
constexpr uint64_t kSignalStack = 160, kSignalCode = 168, kSignalFrame = 120;
constexpr uint8_t kSignalExpression[] = {0x77, 0xa0, 0x01, 0x06};
inline uint64_t secondResultIn(const tprt_regs &regs) { return regs.rdx; }
inline const uint64_t *wordsInRegisters(const tprt_regs *regs) {
  return &regs->rdi;
}
// DWARF's numbers: psABI, figure 3.36. The words are those that
// tprt_regs_expand() reads.
constexpr unsigned kGeneralRegisters = 16;
inline uint64_t registerAtInstruction(const tprt_regs &regs, unsigned number) {
  constexpr int8_t kAbove = sizeof(tprt_regs) / 8, kStack = 0;
  static constexpr int8_t kWords[kGeneralRegisters] = {
      6,          2,          3,          kAbove, // rax, rdx, rcx, rbx
      1,          0,          kAbove + 1, kStack, // rsi, rdi, rbp, rsp
      4,          5,          7,          -2,     // r8 to r11
      kAbove + 2, kAbove + 3, kAbove + 4, kAbove + 5};
  const auto *words = reinterpret_cast<const uint64_t *>(&regs);
  return number == 7 ? reinterpret_cast<uint64_t>(words + kAbove) +
                           TPRT_REGS_TO_INSTRUCTION
                     : words[kWords[number]];
}
inline void readVectors(uint64_t *to, unsigned count) {
  switch (count) {
  case 8:
    __asm__ volatile("movq %%xmm7, %0" : "=m"(to[7]));
    [[fallthrough]];
  case 7:
    __asm__ volatile("movq %%xmm6, %0" : "=m"(to[6]));
    [[fallthrough]];
  case 6:
    __asm__ volatile("movq %%xmm5, %0" : "=m"(to[5]));
    [[fallthrough]];
  case 5:
    __asm__ volatile("movq %%xmm4, %0" : "=m"(to[4]));
    [[fallthrough]];
  case 4:
    __asm__ volatile("movq %%xmm3, %0" : "=m"(to[3]));
    [[fallthrough]];
  case 3:
    __asm__ volatile("movq %%xmm2, %0" : "=m"(to[2]));
    [[fallthrough]];
  case 2:
    __asm__ volatile("movq %%xmm1, %0" : "=m"(to[1]));
    [[fallthrough]];
  case 1:
    __asm__ volatile("movq %%xmm0, %0" : "=m"(to[0]));
  }
}
// Restricted transactional memory. In a transaction, page faults and
// general-protection faults are suppressed, as if they had not occurred, and
// the transaction is undone (Intel SDM vol. 1, 16.3.8.2, "Runtime
// Considerations"). Registers and memory then are as they were, and execution
// continues after xbegin with the reason in eax.
template <class Work> inline bool inTransaction(Work work) {
  constexpr uint32_t kBegun = UINT32_MAX; // no reason
  uint32_t status = kBegun;
  __asm__ volatile("xbegin 1f\n1:" : "+a"(status)::"memory");
  if (status != kBegun)
    return false;
  work();
  __asm__ volatile("xend" ::: "memory");
  return true;
}
constexpr size_t kFrameBelow = 208, kFrameAbove = 72; // stub_frames.cpp

struct StubData {
  const ActionList *actionList;
  uint32_t siteAt; // offset from `sites`, in bytes
  // The distance from this structure to the end of the sled, or to the address
  // that unwinders see (stub.cpp).
  int32_t resume;
};
static_assert(sizeof(StubData) == 16, "trampoline.S knows this layout");
inline tprt_site *siteOf(const StubData &data) {
  return reinterpret_cast<tprt_site *>(reinterpret_cast<char *>(sites) +
                                       data.siteAt);
}
void initialiseData(StubData &data, tprt_site &site);
// Nothing to do, because a trampoline reads the action list's mode itself.
inline void leadTo(StubData &, const tprt_site &, uint32_t) {}

inline constexpr uint64_t kLongNop = 0x00'00'44'1f'0f; // 0f 1f 44 00 00
inline constexpr uint8_t kJumpNear = 0xe9;
inline constexpr uint8_t kJumpShort = 0xeb;
inline constexpr uint8_t kRet = 0xc3;
inline constexpr uint16_t kShortNop = 0x9066; // bytes 66 90

inline bool fits(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1}
                                                             << (bits - 1);
}

// Four or five bytes of memory as a number. A flip must avoid calls of memcmp,
// and loads that must wait for several stores.
TPRT_CODE_ACCESS inline uint64_t load4(const uint8_t *memory) {
  uint32_t value;
  memcpy(&value, memory, sizeof value);
  return value;
}
TPRT_CODE_ACCESS inline uint64_t load5(const uint8_t *memory) {
  return load4(memory) | uint64_t{memory[4]} << 32;
}
inline constexpr uint64_t kFiveBytes = (uint64_t{1} << 40) - 1;

// The displacement of e9 rel32 at `from`. The displacement always fits, because
// a region's stubs lie within kStubReach of all its sleds and slots.
inline uint32_t jumpDistance(uint64_t from, uint64_t to) {
  return static_cast<uint32_t>(to - (from + 5));
}
inline uint64_t jumpAt(uint64_t from, uint64_t to) {
  return kJumpNear | uint64_t{jumpDistance(from, to)} << 8;
}
// The five bytes of that jump. 0 means that `to` is out of reach.
inline uint64_t encodeJump(uint64_t from, uint64_t to) {
  return fits(static_cast<int64_t>(to - (from + 5)), 32) ? jumpAt(from, to) : 0;
}

// The length of the sled; the function continues after it.
inline unsigned sledBytes(const tprt_site &site) {
  switch (site.shape()) {
  case TPRT_SHAPE_RET:
    return 1;
  case TPRT_SHAPE_SHORT:
    return 2;
  case TPRT_SHAPE_LONG:
    return 5;
  }
  return site.size;
}

// Whether `bytes` consist of whole nops.
bool areNops(const uint8_t *code, unsigned bytes);
// Whether the sled has the bytes of a disabled sled: nops or, at a site of
// shape CODE, its instruction.
bool isUnchanged(const tprt_site &site);

inline uint64_t slotOf(const tprt_site &site, uint64_t origin) {
  return origin + site.functionAt - site.slot;
}

// One store exchanges the bytes of any site.
inline bool needsPageExchange(const tprt_site &) { return false; }
inline bool isReturnSigned(const tprt_site &) { return false; }

// For shape CODE, in code_patch.cpp: the counterparts of the functions with
// these names for other shapes.
tprt_refusal planCode(const tprt_site &site, uint64_t origin, const Ways &ways,
                      Toggle *toggle);
tprt_refusal planCodeSlot(const tprt_site &site, uint64_t origin,
                          const Ways &ways, Slot *slot);
bool isCodeSlotWritten(const tprt_site &site, uint64_t origin, uint64_t stub);
Extent extentOfCode(const tprt_site &site, uint64_t origin);
FixedBits fixedBitsOfCode(const tprt_site &site);

inline bool isSlotWritten(const tprt_site &site, uint64_t origin,
                          uint64_t stub) {
  bool ret = site.shape() == TPRT_SHAPE_RET;
  if (site.shape() == TPRT_SHAPE_CODE) [[unlikely]]
    return isCodeSlotWritten(site, origin, stub);
  if (site.shape() != TPRT_SHAPE_SHORT && !ret)
    return true;
  uint64_t from = ret ? origin + site.sledAt : slotOf(site, origin);
  const auto *memory = reinterpret_cast<const uint8_t *>(from);
  // At a ret sled all bytes except the opcode are compared.
  return load4(memory + 1) == jumpDistance(from, stub) &&
         (ret || *memory == kJumpNear);
}

// Before its first use, a slot has the compiler's int3 bytes.
TPRT_CODE_ACCESS inline bool planFirstSlot(const tprt_site &site,
                                           uint64_t origin, uint64_t stub,
                                           Slot *slot) {
  const bool ret = site.shape() == TPRT_SHAPE_RET;
  if (site.shape() != TPRT_SHAPE_SHORT && !ret)
    return false;
  uint64_t from = ret ? origin + site.sledAt : slotOf(site, origin);
  const auto *memory = reinterpret_cast<const uint8_t *>(from);
  if (load4(memory + 1) != 0xcccccccc || (!ret && *memory != 0xcc))
    return false;
  uint64_t jump = encodeJump(from, stub);
  if (ret)
    *slot = {from + 1, jump >> 8, 0, 4, SlotState::Unused};
  else
    *slot = {from, jump, 0, 5, SlotState::Unused};
  return jump != 0;
}

// Whether the site's slot leads to one of its stubs.
inline bool isSlotOurs(const tprt_site &site, uint64_t origin,
                       const Ways &ways) {
  if (isSlotWritten(site, origin, ways.wanted)) [[likely]]
    return true;
  for (uint64_t other : ways.others)
    if (other && isSlotWritten(site, origin, other))
      return true;
  return false;
}

// Whether each byte of a jump, except its opcode, is either libtprt's or the
// compiler's. In that case the system restored the page of some or all of these
// bytes.
inline bool isSlotLost(uint64_t from, const Ways &ways) {
  uint64_t now = load4(reinterpret_cast<const uint8_t *>(from) + 1);
  for (unsigned i = 0; i < 32; i += 8) {
    auto byte = static_cast<uint8_t>(now >> i);
    auto is = [&](uint64_t way) {
      return way && byte == static_cast<uint8_t>(jumpDistance(from, way) >> i);
    };
    if (byte != 0xcc && byte != 0x90 && !is(ways.wanted) &&
        !is(ways.others[0]) && !is(ways.others[1]))
      return false;
  }
  return true;
}

// Whether 66 XX is one instruction of two bytes that changes nothing except
// flags, which have no meaning at an entry (psABI, 3.2.1): cmc, clc, stc, nop.
// XX is the distance from a SHORT sled to its slot: f9 if the slot is
// immediately before the sled, f5 with endbr64 in between, f8 with one nop in
// between. At other distances, a removed uprobe would leave bytes with unknown
// effects, so these sleds are refused. The compiler makes no such sleds
// (mayFollowSlot()).
inline bool isHarmlessAfter66(uint8_t byte) {
  return byte == 0xf9 || byte == 0xf5 || byte == 0xf8 || byte == 0x90;
}

TPRT_CODE_ACCESS inline tprt_refusal planShort(const tprt_site &site,
                                               uint64_t origin,
                                               const Ways &ways,
                                               Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  auto distance = static_cast<int64_t>(slotOf(site, origin) - (sled + 2));
  if (sled % 2) [[unlikely]]
    return TPRT_REFUSAL_ALIGNMENT;
  if (!fits(distance, 8)) [[unlikely]]
    return TPRT_REFUSAL_REACH;
  auto to = static_cast<uint8_t>(distance);
  if (!isHarmlessAfter66(to)) [[unlikely]]
    return TPRT_REFUSAL_SHAPE;
  auto on = static_cast<uint16_t>(kJumpShort | to << 8);
  uint16_t now;
  memcpy(&now, reinterpret_cast<const void *>(sled), sizeof now);
  SledForm form = SledForm::Other;
  if (now == kShortNop) [[likely]]
    form = SledForm::Off;
  else if (now == on)
    form = isSlotOurs(site, origin, ways)           ? SledForm::On
           : isSlotLost(slotOf(site, origin), ways) ? SledForm::Stale
                                                    : SledForm::Other;
  else if (now == (0x66 | to << 8))
    form = SledForm::Off;
  *toggle = {sled, kShortNop, on, 2, form};
  return TPRT_REFUSAL_NONE;
}

// Not inline, because these sleds are few and inline code becomes part of two
// loops.
tprt_refusal planLong(const tprt_site &site, uint64_t origin, const Ways &ways,
                      Toggle *toggle);

// The store changes only the opcode. The displacement after the opcode was
// written by planSlot(), which also checks that it reaches the stub.
TPRT_CODE_ACCESS inline tprt_refusal planRet(const tprt_site &site,
                                             uint64_t origin, const Ways &ways,
                                             Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  uint8_t now = *reinterpret_cast<const uint8_t *>(sled);
  SledForm form = SledForm::Other;
  if (now == kRet)
    form = SledForm::Off;
  else if (now == kJumpNear && isSlotOurs(site, origin, ways))
    form = SledForm::On;
  else if (now == kJumpNear && isSlotLost(sled, ways))
    form = SledForm::Stale;
  *toggle = {sled, kRet, kJumpNear, 1, form};
  return TPRT_REFUSAL_NONE;
}

inline tprt_refusal planToggle(const tprt_site &site, uint64_t origin,
                               const Ways &ways, Toggle *toggle) {
  switch (site.shape()) {
  case TPRT_SHAPE_SHORT:
    return planShort(site, origin, ways, toggle);
  case TPRT_SHAPE_RET:
    return planRet(site, origin, ways, toggle);
  case TPRT_SHAPE_LONG:
  case TPRT_SHAPE_PATCHABLE: {
    Toggle planned; // without an address, *toggle stays in registers
    tprt_refusal refusal = planLong(site, origin, ways, &planned);
    *toggle = planned;
    return refusal;
  }
  case TPRT_SHAPE_CODE: {
    Toggle planned;
    tprt_refusal refusal = planCode(site, origin, ways, &planned);
    *toggle = planned;
    return refusal;
  }
  }
  return site.size ? TPRT_REFUSAL_SHAPE : TPRT_REFUSAL_NO_NOPS;
}

inline Extent extentOf(const tprt_site &site, uint64_t origin) {
  uint64_t sled = origin + site.sledAt;
  switch (site.shape()) {
  case TPRT_SHAPE_SHORT: // the aligned word in which the slot begins
    return {slotOf(site, origin) & ~uint64_t{7}, sled + 2};
  case TPRT_SHAPE_RET:
    return {sled, sled + 5};
  case TPRT_SHAPE_LONG:
  case TPRT_SHAPE_PATCHABLE:
    return {sled & ~uint64_t{7}, (sled & ~uint64_t{7}) + 8};
  case TPRT_SHAPE_CODE:
    return extentOfCode(site, origin);
  }
  return {sled, sled + (site.size ? site.size : 1)};
}

// The bytes of a nop after its first byte, as far as they determine the nop's
// length.
FixedBits fixedBitsOfNop(uint64_t nop);
inline constexpr FixedBits kLongBits = {0x441f, 0xffff};

inline bool needsIsland(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_LONG ||
         site.shape() == TPRT_SHAPE_PATCHABLE || isPun(site);
}
inline FixedBits fixedBitsOf(const tprt_site &site) {
  switch (site.shape()) {
  case TPRT_SHAPE_LONG:
    return kLongBits;
  case TPRT_SHAPE_PATCHABLE:
    return fixedBitsOfNop(nopOf(site));
  case TPRT_SHAPE_CODE:
    return fixedBitsOfCode(site);
  }
  return {0, 0};
}

// If the site is after pushes, its hits begin with code at the end of the room
// for the copy: lea N(%rsp), %rsp; jmp stub.
constexpr size_t kTakeBackBytes = 7;
inline size_t startInStub(const tprt_site &site) {
  return isAfterPushes(site) ? kStubBytes + kDisplacedBytes - kTakeBackBytes
                             : 0;
}

constexpr size_t kOriginalBytes = 48, kOriginalCopy = 4;
constexpr size_t kIslandBytes = 5;
// A jump of five bytes reaches 2 GiB.
constexpr bool kHasVeneers = false;
constexpr size_t kVeneerWords = 6, kWayBackBytes = 16;
inline bool hasVeneer(const tprt_site &) { return false; }
inline uint64_t veneerOf(const tprt_site &, uint64_t) { return 0; }
inline void wordsOfVeneer(const tprt_site &, uint64_t, uint64_t, uint32_t *) {}
inline bool isVeneerWritten(const tprt_site &, uint64_t, uint64_t) {
  return false;
}
inline uint64_t stubOfVeneer(const uint32_t *) { return 0; }

// The size of a word through which a pun jumps, and of that jump.
constexpr size_t kWordBytes = 8, kWordJumpBytes = 7;
inline uint64_t islandAt(uint64_t sled, uint32_t displacement) {
  return sled + 5 + static_cast<uint64_t>(static_cast<int32_t>(displacement));
}
inline void writeIsland(uint8_t *out, uint64_t address, uint64_t stub) {
  uint64_t jump = jumpAt(address, stub);
  memcpy(out, &jump, kIslandBytes);
}

inline uint64_t punAt(const PunJump &jump, uint32_t distance) {
  return jump.isByWord
             ? static_cast<uint32_t>(jump.at + kWordJumpBytes + distance)
             : islandAt(jump.at, distance);
}
// The target of an island or a slot with these bytes. 0 if the bytes are not a
// jump.
inline uint64_t targetOfIsland(const uint8_t *code, uint64_t address) {
  return *code == kJumpNear ? islandAt(address, load4(code + 1)) : 0;
}

// Nothing to do, because instruction fetch sees stores without further steps
// (Intel SDM vol. 3, 11.6).
inline void publishCode(uint64_t, size_t) {}

inline uint64_t readTicks() { return __builtin_ia32_rdtsc(); }

} // namespace tprt

#endif
