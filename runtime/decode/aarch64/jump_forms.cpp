// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an instruction of AArch64 becomes a jump; see instruction_sites.h.
//
// An instruction is one word, and becomes a branch. No bytes after it are
// needed, and no jump can have its target inside an instruction. While threads
// execute a NOP, a B or a BL, it may become another one of these instructions
// (Arm ARM, B2.2.5). Any other instruction may not be changed in its place; its
// whole page is exchanged (base/os_text.h). What a site replaces must be able
// to run after the site's stub. If a branch does not reach the stub, a NOP or a
// B at an entry needs nops before its function.
#include "base/search.h"
#include "decode/instruction_sites.h"
#include "tprt/tprt.h"

#include <string.h>

namespace tprt {

// The sleds of LLVM's XRay: a branch over seven NOPs. While such a sled is on,
// its first word is neither NOP nor branch.
static constexpr uint32_t kXRayBytes = 32;

static bool isXRayAt(const DecodedCode &all, uint32_t offset) {
  constexpr uint32_t kOver = 0x14000008, kNop = 0xd503201f;
  if (all.room(offset, kXRayBytes) < kXRayBytes)
    return false;
  uint32_t words[kXRayBytes / 4];
  memcpy(words, all.at(offset), sizeof words);
  bool isSled = words[0] == kOver;
  for (unsigned i = 1; i < kXRayBytes / 4; ++i)
    isSled &= words[i] == kNop;
  return isSled;
}

bool SiteReader::choosesFirst(const Exit &) const { return false; }

bool SiteReader::isXRay(uint32_t offset, uint32_t) const {
  return isXRayAt(*this, offset);
}

// Whether the offset may be between a load-exclusive and its store. A hit
// stores to memory, which may make the store-exclusive fail each time (Arm ARM,
// B2.9.5, "Load-Exclusive and Store-Exclusive instruction usage restrictions").
// The loop around both would then never end.
static bool isExclusive(const DecodedCode &all, uint32_t offset) {
  constexpr uint32_t kLongest = 32 * 4, kClear = 0xd503305f; // clrex
  size_t i = all.functionAt(offset);
  uint32_t start = i < all.functions.size() ? all.functions[i].start : offset;
  for (uint32_t back = 4; back <= kLongest && offset - start >= back;
       back += 4) {
    uint32_t word;
    memcpy(&word, all.at(offset - back), sizeof word);
    bool isPairOfCas = (word >> 21 & 1) && !(word >> 31); // casp
    bool either = (word & 0x3f800000) == 0x08000000 && !isPairOfCas;
    if (either && word >> 22 & 1)
      return true;
    if (either || (word & 0xfffff0ff) == kClear)
      return false;
  }
  return false;
}

// If six nops that no thread executes end at the function's label, returns
// their beginning. They can become a veneer (arch/aarch64/veneer.h). Otherwise
// returns 0. The nops are padding, or belong to -fpatchable-function-entry=N,M,
// whose table contains an address among them. The instruction before them never
// continues, or is a call at a function's end, which does not return.
static uint32_t roomForVeneer(const DecodedCode &all, uint32_t function) {
  constexpr uint32_t kMost = 256 * 4; // limit of the search
  const size_t none = all.functions.size();
  auto decodeBefore = [&](uint32_t end, Instruction &code) {
    return all.room(end - 4, 4) == 4 && all.decodeAt(end - 4, end, code);
  };
  uint32_t start = function;
  Instruction code;
  while (function - start < kMost && all.functionAt(start - 4) == none &&
         decodeBefore(start, code) && code.flow == Flow::Nop)
    start -= 4;
  if (function - start < kVeneerRoom || all.isUsed(start, function))
    return 0;
  const bool isCode = decodeBefore(start, code);
  const bool ends =
      !isCode || code.ends() ||
      (code.flow == Flow::Call && all.functionAt(start - 4) != none);
  return ends ? function - kVeneerRoom : 0;
}

static void refuse(CodeSite &site, tprt_refusal reason) {
  site.refusal = static_cast<uint8_t>(reason);
}

static void take(CodeSite &site, Means means) {
  site.own = site.length;
  site.means = means;
  site.starts = kNoPun; // each branch has its own distance
}

// Whether the instruction at the offset has its effect only at its own address,
// or only directly before or after the instruction there.
static bool isBound(const DecodedCode &all, uint32_t offset,
                    const Instruction &code) {
  uint32_t word, before = 0;
  memcpy(&word, all.at(offset), sizeof word);
  if (all.room(offset - 4, 4) == 4)
    memcpy(&before, all.at(offset - 4), sizeof before);
  auto is = [](uint32_t of, uint32_t mask, uint32_t value) {
    return (of & mask) == value;
  };
  // movprfx must precede the instruction that it changes (Arm ARM, B1.4.1).
  auto isPrefix = [&](uint32_t of) {
    return is(of, 0xfffffc00, 0x0420bc00) || is(of, 0xff3ee000, 0x04102000);
  };
  switch (code.flow) {
  case Flow::LandingPad: // a branch may need it there
  case Flow::Stop:
  case Flow::Bound:
    return true;
  case Flow::Call:
    return !code.fieldBytes; // blr: x30 would be an address in the stub
  default:
    break;
  }
  // The copy of a load contains what the load reads (arch/aarch64/
  // code_patch.cpp), which must therefore be code. A vector register would need
  // more room.
  if (is(word, 0x3b000000, 0x18000000)) {
    const auto from =
        offset + 4 + static_cast<uint32_t>(code.distance); // modulo 2^32
    return is(word, 0x3f000000, 0x1c000000) || all.room(from, 8) < 8;
  }
  return isPrefix(word) || isPrefix(before) ||
         // The prologue, the main part and the epilogue of a copy or a set of
         // memory are consecutive (Arm ARM, C3.2.14).
         is(word, 0x3b200c00, 0x19000400) ||
         // These sign and authenticate with the pc (FEAT_PAuth_LR).
         is(word, 0xff000000, 0xf3000000) || is(word, 0xff00001f, 0x5500001f) ||
         is(word, 0xffff03ff, 0xdac103fe);
}

// Whether one store may exchange the instruction for a branch.
static bool isInList(const CodeSite &site, const Instruction &code) {
  return site.profiler != Profiler::None || code.flow == Flow::Nop ||
         code.flow == Flow::Jump ||
         (site.kind == TPRT_KIND_INSTRUCTION && code.flow == Flow::Call &&
          code.fieldBytes);
}

void SiteReader::choose(CodeSite &site, const Instruction &code) {
  bool isCall = site.profiler != Profiler::None;
  if (isKept(site.at))
    return refuse(site, TPRT_REFUSAL_ROOM);
  const bool isInPlace = isInList(site, code);
  // A hit at a conditional branch would not show whether the function is left.
  // A call at an entry would change the return address before the hit.
  if (!isInPlace &&
      (isBound(*this, site.at, code) || code.flow == Flow::Call ||
       (site.kind != TPRT_KIND_ENTRY && code.flow == Flow::Branch)))
    return refuse(site, TPRT_REFUSAL_INSTRUCTION);
  if (site.at != site.function && isExclusive(*this, site.at))
    return refuse(site, TPRT_REFUSAL_INSTRUCTION);
  if (site.kind == TPRT_KIND_ENTRY && !isCall && isInPlace)
    site.slot = roomForVeneer(*this, site.function);
  take(site, Means::Jump);
}

void SiteReader::chooseEntry(CodeSite &site, const Instruction &code,
                             uint32_t) {
  choose(site, code);
}

void SiteReader::chooseInside(CodeSite &site, const Instruction &code) const {
  for (uint32_t back = 0; back < kXRayBytes && back <= site.at; back += 4)
    if (isXRayAt(*this, site.at - back))
      return refuse(site, TPRT_REFUSAL_XRAY);
  if (isKept(site.at))
    return refuse(site, TPRT_REFUSAL_ROOM);
  bool isCall = code.flow == Flow::Call && code.fieldBytes;
  if (isExclusive(*this, site.at) ||
      (!isInList(site, code) && isBound(*this, site.at, code)))
    return refuse(site, TPRT_REFUSAL_INSTRUCTION);
  take(site, isCall ? Means::Call : Means::Jump);
}

bool SiteReader::settle() { return true; }

} // namespace tprt
