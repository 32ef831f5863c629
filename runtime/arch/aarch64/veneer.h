// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Veneers. B reaches 128 MiB, and a program may have no free memory that near.
// In this case the entries of functions with at least six NOPs before their
// label reach stubs at any address. An entry is a sled, or a NOP or B of
// another compiler:
//
//   veneer  58000050           ldr x16, stub
//           d61f0200           br  x16
//           ........ ........  stub
//           d503245f           bti c         the return path begins here
//           14xxxxxx           b   past the sled, or to the target of a B
//   label   d503201f  nop  <->  14xxxxxx  b veneer
//
// The stub ends with a jump to its return path (writeWayBack() in stub.cpp),
// which reaches the veneer's fifth word by `br x16`. In code without sleds, the
// copy after the stub is the return path (code_patch.cpp).
//
// Exit sleds have veneers as well, each in six additional NOPs, if there are
// enough NOPs.
//
// x16 is free at an entry. Between a call and the first instruction of the
// called function, a linker may insert code that changes x16 and x17, under
// every calling convention (AAPCS64, 6.1.1; ELF for the Arm 64-bit
// Architecture, "Call and Jump relocations"). For the same reason x16 is free
// at exits: no convention uses it for a result or an argument. The exception is
// a jump that itself needs x16 (mayLoseX16()). An indirect branch by x16 may
// have a `bti c` as its target, from any page (Arm ARM, C6.2, "BTI", and the
// values of PSTATE.BTYPE).
//
// No thread executes the NOPs before the label. So the words are written in any
// order while the sled is off, with SYNC before the sled leads to them. The
// address is read as data; it was also stored before that SYNC. After that the
// words do not change. The site's stub keeps its address as long as the module
// is loaded, and a thread may be between any two of the words.
#ifndef TPRT_ARCH_VENEER_H
#define TPRT_ARCH_VENEER_H

#include <string.h>

namespace tprt {

constexpr bool kHasVeneers = true;
constexpr size_t kVeneerWords = 6, kVeneerBytes = kVeneerWords * 4;
// The offset at which the return path begins.
constexpr size_t kVeneerBack = 16;
// The size of a far stub's return path. It has two instructions, the address of
// kVeneerBack, and the address after the sled, which unwinders read
// (trampoline.S).
constexpr size_t kWayBackBytes = 32;
inline constexpr uint32_t kLoadX16 = 0x58000050;    // ldr x16, .+8
inline constexpr uint32_t kBranchX16 = 0xd61f0200;  // br  x16
inline constexpr uint32_t kLandingPad = 0xd503245f; // bti c
static_assert(kVeneerBytes == kVeneerRoom);

// Whether the branches between a veneer and its exit sled reach, with some room
// left. Parts of a function may be far before or after it.
inline bool isNearFunction(uint32_t distance) {
  constexpr uint32_t kNear = 1 << 26;
  return distance + kNear < 2 * kNear;
}

// The table's slot is the distance from the veneer up to the label. If much
// code is between label and entry sled, the veneer is too far away for
// extentOf().
inline bool hasVeneer(const tprt_site &site) {
  if (site.shape() == TPRT_SHAPE_CODE)
    return codeOf(site).slot;
  if (site.slot < kVeneerBytes || site.shape() != TPRT_SHAPE_WORD)
    return false;
  const uint32_t distance = site.sledAt - site.functionAt;
  switch (site.event.kind) {
  case TPRT_KIND_ENTRY:
    return distance + site.slot <= kReachedBefore;
  case TPRT_KIND_EXIT:
    // With another calling convention, results may be in any register.
    return isNearFunction(distance) && !(site.needs & TPRT_NEEDS_OTHER);
  case TPRT_KIND_TAIL_EXIT:
    return isNearFunction(distance);
  }
  return false;
}

// Whether the instruction after an exit sled leaves the function without
// needing x16: ret, retaa, retab, b, or br by another register. (braa and braaz
// may need both x16 and x17.)
TPRT_CODE_ACCESS inline bool mayLoseX16(uint64_t sled) {
  uint32_t word;
  memcpy(&word, reinterpret_cast<const void *>(sled + 4), sizeof word);
  constexpr uint32_t kRet = 0xd65f03c0, kRetaa = 0xd65f0bff,
                     kRetab = 0xd65f0fff, kBr = 0xd61f0000;
  return word == kRet || word == kRetaa || word == kRetab ||
         word >> 26 == kBranch >> 26 ||
         ((word & 0xfffffc1f) == kBr && word != kBranchX16);
}

inline uint64_t veneerOf(const tprt_site &site, uint64_t origin) {
  return origin + (site.shape() == TPRT_SHAPE_CODE
                       ? codeOf(site).slot
                       : site.functionAt - site.slot);
}

// The target of a branch at `from`.
inline uint64_t targetOfBranch(uint32_t word, uint64_t from) {
  auto distance = static_cast<int32_t>(word << 6) >> 4;
  return from + static_cast<uint64_t>(int64_t{distance});
}

// Where a hit continues: after the sled or NOP, or at the target of a B.
inline uint64_t afterVeneerSled(const tprt_site &site, uint64_t origin) {
  uint64_t sled = origin + site.sledAt;
  uint32_t word = kNop;
  if (site.shape() == TPRT_SHAPE_CODE)
    memcpy(&word, codeOf(site).code, sizeof word);
  return word == kNop ? sled + 4 : targetOfBranch(word, sled);
}

inline void wordsOfVeneer(const tprt_site &site, uint64_t origin, uint64_t stub,
                          uint32_t *words) {
  uint64_t last = veneerOf(site, origin) + kVeneerBack + 4,
           after = afterVeneerSled(site, origin);
  words[0] = kLoadX16;
  words[1] = kBranchX16;
  words[2] = static_cast<uint32_t>(stub);
  words[3] = static_cast<uint32_t>(stub >> 32);
  words[4] = kLandingPad;
  words[5] = encodeBranch(last, after);
}

inline uint64_t stubOfVeneer(const uint32_t *words) {
  return words[0] == kLoadX16 && words[1] == kBranchX16 &&
                 words[4] == kLandingPad
             ? words[2] | uint64_t{words[3]} << 32
             : 0;
}

TPRT_CODE_ACCESS inline bool isVeneerWritten(const tprt_site &site,
                                             uint64_t origin, uint64_t stub) {
  uint32_t words[kVeneerWords];
  wordsOfVeneer(site, origin, stub, words);
  return memcmp(reinterpret_cast<const void *>(veneerOf(site, origin)), words,
                sizeof words) == 0;
}

// Each word must still be the compiler's or, if an earlier attempt was
// interrupted, already libtprt's. Any other word belongs to another patcher.
TPRT_CODE_ACCESS inline tprt_refusal
planVeneer(const tprt_site &site, uint64_t origin, uint64_t stub, Slot *slot) {
  uint32_t words[kVeneerWords], now[kVeneerWords];
  uint64_t address = veneerOf(site, origin);
  wordsOfVeneer(site, origin, stub, words);
  if (!words[5]) // the target of a B that is 128 MiB away
    return TPRT_REFUSAL_REACH;
  memcpy(now, reinterpret_cast<const void *>(address), sizeof now);
  bool isWritten = true;
  for (size_t i = 0; i < kVeneerWords; ++i) {
    if (now[i] != words[i] && now[i] != kNop)
      return TPRT_REFUSAL_BYTES;
    isWritten &= now[i] == words[i];
  }
  *slot = {address, stub, 0, kVeneerBytes,
           isWritten ? SlotState::Written : SlotState::UnusedVeneer};
  return TPRT_REFUSAL_NONE;
}

} // namespace tprt

#endif
