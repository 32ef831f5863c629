// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 sleds, off and on, at entry, before a return and before a tail call:
//
//   WORD   d503201f  nop          14xxxxxx  b stub
//
// A sled is flipped by one 4-byte store. NOP and B are among the instructions
// that may be replaced while another PE executes them: that PE executes either
// the old or the new instruction (Arm ARM DDI 0487, B2.2.5, "Concurrent
// modification and execution of instructions"). Nothing except NOP and B is
// ever written to a sled.
//
// If a stub is out of a branch's reach, the sled branches to a veneer: see
// veneer.h.
//
// The functions are inline, because a batch flips a site in about five
// nanoseconds. sites/arch.h includes this file and describes the functions.
#ifndef TPRT_ARCH_PLAN_H
#define TPRT_ARCH_PLAN_H

#include <string.h>

namespace tprt {

constexpr size_t kStubHeaderBytes = 64;
// For images that debuggers read (DWARF for the Arm 64-bit Architecture, 4.1).
// A stub's frame begins with two registers of the program. The stubs call the
// region's header, which begins with kHeaderCodeBytes of code.
constexpr uint16_t kDebugMachine = 183; // EM_AARCH64
constexpr uint8_t kDebugStack = 31, kDebugReturn = 32, kDebugLink = 30;
constexpr uint8_t kDebugSaved[2] = {29, kDebugLink};
constexpr bool kDebugSaves = true;
constexpr size_t kHeaderCodeBytes = 48;
constexpr bool kHasTraps = false; // every NOP can be flipped by a store
// A breakpoint of gdb or of a uprobe: brk with any number.
inline bool isBreakpointAt(const uint8_t *code) {
  return (code[0] & 0x1f) == 0 && (code[2] & 0xe0) == 0x20 && code[3] == 0xd4;
}
constexpr size_t kInnerStubBytes = 16;
// A point's sled; its shape, which static branches share; and the alignment of
// instructions.
constexpr unsigned kPointShape = TPRT_SHAPE_WORD;
constexpr uint8_t kPointSledBytes = 4;
constexpr uint64_t kCodeAlignment = 4;
// The scalable state of this CPU: bits HAVE_SVE and HAVE_SME of frame.h.
// Constant after initialiseTrampolines().
extern "C" __attribute__((visibility("hidden"))) uint32_t __tprt_vector_state;
// Linux may discard scalable vectors beyond their low 128 bits at a system
// call, and leaves streaming mode (Documentation/arch/arm64/sve.rst, sme.rst).
// On a CPU without these extensions, Linux keeps all of q0 to q31.
inline bool systemCallsKeepVectors() { return __tprt_vector_state == 0; }
// Calls work(data), and keeps all vector state around the call.
extern "C" __attribute__((visibility("hidden"))) void
__tprt_keep_vectors(void (*work)(void *), void *data);
template <class Work> inline void keepVectorsIn(Work work) {
  if (systemCallsKeepVectors())
    work();
  else
    __tprt_keep_vectors([](void *data) { (*static_cast<Work *>(data))(); },
                        &work);
}
// Results lie in x0, x1 and v0 to v3 (AAPCS64, 6.9). Arguments in memory begin
// at the stack pointer of an entry (6.8.2, stage C).
constexpr unsigned kResultIntegers = 2, kResultVectors = 4;
constexpr unsigned kWordsBeforeArguments = 0;
// Columns of unwind tables (AADWARF64, 4.1). A call stores the return address
// in x30, which may be signed.
constexpr uint64_t kStackColumn = 31, kFrameColumn = 29, kReturnColumn = 30;
constexpr bool kCallsPush = false, kHitsHaveFramePointer = true;
inline uint64_t framePointerIn(const tprt_regs &regs) { return regs.fp; }
inline uint64_t withoutSignature(uint64_t address) {
  __asm__("mov x30, %1\n\thint #7\n\tmov %0, x30"
          : "=r"(address)
          : "r"(address)
          : "x30");
  return address;
}
// The vdso's table has the interrupted function's x30 in place of its pc, so
// no table is known to describe a signal's frame.
constexpr uint64_t kSignalStack = 0, kSignalCode = 0, kSignalFrame = 0;
constexpr uint8_t kSignalExpression[] = {0};
inline uint64_t secondResultIn(const tprt_regs &regs) { return regs.x[1]; }
inline const uint64_t *wordsInRegisters(const tprt_regs *regs) {
  return regs->x;
}
// DWARF's numbers: "DWARF for the Arm 64-bit Architecture", section 4.1. The
// words are those that tprt_regs_expand() reads.
constexpr unsigned kGeneralRegisters = 32;
inline uint64_t registerAtInstruction(const tprt_regs &regs, unsigned number) {
  const auto *words = reinterpret_cast<const uint64_t *>(&regs);
  constexpr unsigned kSaved = TPRT_REGS_TO_STACK / 8;
  const unsigned at = number < 9     ? 2 + number           // x0 to x8
                      : number < 15  ? 17 + number - 9      // x9 to x14
                      : number == 15 ? 11                   // x15
                      : number < 18  ? 28 + number - 16     // x16, x17
                      : number == 18 ? 12                   // x18
                      : number < 29  ? kSaved + number - 19 // x19 to x28
                                     : number - 29;         // x29, x30
  return number == 31 ? reinterpret_cast<uint64_t>(words) + TPRT_REGS_TO_STACK +
                            TPRT_REGS_TO_INSTRUCTION
                      : words[at];
}
// clang lets no code without vector registers name one, unless it is told to.
#define TPRT_STORE_VECTOR(number)                                              \
  __asm__ volatile(".arch_extension fp\n\tstr d" #number ", %0"                \
                   : "=m"(to[number]))
inline void readVectors(uint64_t *to, unsigned count) {
  switch (count) {
  case 8:
    TPRT_STORE_VECTOR(7);
    [[fallthrough]];
  case 7:
    TPRT_STORE_VECTOR(6);
    [[fallthrough]];
  case 6:
    TPRT_STORE_VECTOR(5);
    [[fallthrough]];
  case 5:
    TPRT_STORE_VECTOR(4);
    [[fallthrough]];
  case 4:
    TPRT_STORE_VECTOR(3);
    [[fallthrough]];
  case 3:
    TPRT_STORE_VECTOR(2);
    [[fallthrough]];
  case 2:
    TPRT_STORE_VECTOR(1);
    [[fallthrough]];
  case 1:
    TPRT_STORE_VECTOR(0);
  }
}
#undef TPRT_STORE_VECTOR
// Linux uses no transactional memory (FEAT_TME).
template <class Work> inline bool inTransaction(Work) { return false; }
constexpr size_t kFrameBelow = 0, kFrameAbove = 112; // stub_frames.cpp
// The offset of the numbers in a region's header.
constexpr size_t kHeaderBias = kHeaderCodeBytes;

struct StubData {
  const void *target; // an entry of trampoline.S
  const ActionList *actionList;
  tprt_site *site;
};
static_assert(sizeof(StubData) == 24,
              "stub.cpp and trampoline.S know this layout");
inline tprt_site *siteOf(const StubData &data) { return data.site; }
inline void initialiseData(StubData &data, tprt_site &site) {
  data.site = &site;
}
// Sets the target. If a thread has already read the old target, it still uses
// the new action list, or counts a hit that is not used.
void leadTo(StubData &data, const tprt_site &site, uint32_t mode);

inline constexpr uint32_t kNop = 0xd503201f;
inline constexpr uint32_t kBranch = 0x14000000; // B imm26

// The branch from `from` to `to`; 0 if it is out of reach.
inline uint32_t encodeBranch(uint64_t from, uint64_t to) {
  auto distance = static_cast<int64_t>(to - from);
  bool reaches = distance >= -(int64_t{1} << 27) && distance < int64_t{1} << 27;
  return reaches ? kBranch | (static_cast<uint32_t>(distance >> 2) & 0x3ffffff)
                 : 0;
}

} // namespace tprt

#include "veneer.h"

namespace tprt {

// NOP, B and BL may be exchanged for one another while other PEs execute them
// (Arm ARM, B2.2.5).
inline bool mayExchangeInPlace(uint32_t word) {
  return word == kNop || (word & 0x7c000000) == kBranch;
}
inline bool needsPageExchange(const tprt_site &site) {
  uint32_t word = kNop;
  if (site.shape() == TPRT_SHAPE_CODE)
    memcpy(&word, codeOf(site).code, sizeof word);
  return !mayExchangeInPlace(word);
}

// The instruction before the entry is paciasp or pacibsp.
TPRT_CODE_ACCESS inline bool isReturnSigned(const tprt_site &site) {
  if (site.shape() != TPRT_SHAPE_CODE ||
      codeOf(site).at != codeOf(site).function + 4)
    return false;
  uint32_t word;
  memcpy(&word, site.sled() - 4, sizeof word);
  return (word & 0xffffffbf) == 0xd503233f;
}

// A site in code without sleds: code_patch.cpp.
tprt_refusal planCode(const tprt_site &site, const Ways &ways, Toggle *toggle);

TPRT_CODE_ACCESS inline tprt_refusal planToggle(const tprt_site &site,
                                                uint64_t origin,
                                                const Ways &ways,
                                                Toggle *toggle) {
  uint64_t sled = origin + site.sledAt;
  if (site.shape() == TPRT_SHAPE_CODE)
    return planCode(site, ways, toggle);
  if (site.shape() != TPRT_SHAPE_WORD)
    return site.size ? TPRT_REFUSAL_SHAPE : TPRT_REFUSAL_NO_NOPS;
  if (sled % 4)
    return TPRT_REFUSAL_ALIGNMENT;
  uint32_t on = ways.wanted ? encodeBranch(sled, ways.wanted) : 0, now;
  if (!on)
    return TPRT_REFUSAL_REACH;
  memcpy(&now, reinterpret_cast<const void *>(sled), sizeof now);
  bool isOn = now == on;
  for (uint64_t other : ways.others)
    isOn |= other && now == encodeBranch(sled, other);
  bool isLost = isOn && ways.afterVeneer &&
                !isVeneerWritten(site, origin, ways.afterVeneer);
  *toggle = {sled, kNop, on, 4,
             isLost        ? SledForm::Stale
             : isOn        ? SledForm::On
             : now == kNop ? SledForm::Off
                           : SledForm::Other};
  return TPRT_REFUSAL_NONE;
}

// The veneer of an entry is included even if the sled reaches its stub. The
// veneer of an exit may be far away. After an exit sled, its jump is also read.
inline Extent extentOf(const tprt_site &site, uint64_t origin) {
  uint64_t sled = origin + site.sledAt;
  if (!hasVeneer(site))
    return {sled, sled + 4};
  bool isEntry = site.event.kind == TPRT_KIND_ENTRY;
  return {isEntry ? veneerOf(site, origin) : sled, sled + (isEntry ? 4 : 8)};
}

// The sled itself reaches the stub, or uses a veneer.
inline bool isSlotWritten(const tprt_site &, uint64_t, uint64_t) {
  return true;
}
inline tprt_refusal planSlot(const tprt_site &site, uint64_t origin,
                             const Ways &ways, Slot *slot) {
  if (ways.afterVeneer && site.event.kind != TPRT_KIND_ENTRY &&
      !mayLoseX16(origin + site.sledAt))
    return TPRT_REFUSAL_REACH;
  if (ways.afterVeneer)
    return planVeneer(site, origin, ways.afterVeneer, slot);
  *slot = {0, 0, 0, 0, SlotState::Written};
  return TPRT_REFUSAL_NONE;
}
inline bool planFirstSlot(const tprt_site &, uint64_t, uint64_t, Slot *) {
  return false;
}

inline SledForm formByTrap(const tprt_site &) { return SledForm::Other; }
inline tprt_refusal startTrap(const tprt_site &, uint64_t, Toggle *) {
  return TPRT_REFUSAL_SHAPE;
}
inline void planTrap(const tprt_site &, Toggle *) {}
inline void finishTraps() {}
inline bool isTrapped(const tprt_site &) { return false; }
inline bool resumeTrap(void *) { return false; }
inline void resumeLostTrap(void *) {}
inline bool repeatTrap(void *) { return false; }

inline size_t startInStub(const tprt_site &) { return 0; }

// BRK is a whole word, and a debugger restores a whole word. So a jump to a
// stub has no fixed bits.
constexpr size_t kOriginalBytes = kStubBytes, kOriginalCopy = 0;
constexpr size_t kIslandBytes = 4, kWordBytes = 8;
inline FixedBits fixedBitsOf(const tprt_site &) { return {0, 0}; }
inline bool needsIsland(const tprt_site &) { return false; }
inline uint64_t islandAt(uint64_t sled, uint32_t) { return sled; }
inline uint64_t punAt(const PunJump &jump, uint32_t) { return jump.at; }
inline void writeIsland(uint8_t *, uint64_t, uint64_t) {}
inline uint64_t targetOfIsland(const uint8_t *, uint64_t) { return 0; }

void publishCode(uint64_t address, size_t bytes);

inline uint64_t readTicks() {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

} // namespace tprt

#endif
