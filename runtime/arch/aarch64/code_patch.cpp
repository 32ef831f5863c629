// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 sites in code without sleds. Three instructions may become another of
// the three while other PEs execute them (Arm ARM DDI 0487, B2.2.5), so one
// 4-byte store exchanges the whole instruction. For all others, the page is
// exchanged (needsPageExchange()).
//
//   off                       on
//   d503201f  nop             14xxxxxx  b  stub
//   14xxxxxx  b  target       14xxxxxx  b  stub
//   94xxxxxx  bl target       94xxxxxx  bl stub    x30 stays the program's own
//   94xxxxxx  bl profiler     14xxxxxx  b  stub    the profiler is not called
//   a9bf7bfd  stp, ret, ...   14xxxxxx  b  stub    in a new page
//
// A call of a profiler is skipped by a nop. A jump to a profiler ends its
// function, so it is skipped by a jump to a ret: the copy after the site's
// stub.
//
// Each stub is followed by code that has the effect of the site's instruction
// and then continues where the instruction would (writeCopy()). A far stub
// returns through the veneer (veneer.h). Called under the lock.
#include "code_patch.h"
#include "frame.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

static constexpr uint32_t kRet = 0xd65f03c0, kBrk = 0xd4200000;
static constexpr uint32_t kLinkBit = 0x80000000; // b and bl differ in this bit

static uint32_t wordOf(const CodeSite &code) {
  uint32_t word;
  memcpy(&word, code.code, sizeof word);
  return word;
}

// Whether the site is a jump to a profiler.
static bool endsFunction(const CodeSite &code) {
  return code.profiler != Profiler::None && !(wordOf(code) & kLinkBit);
}

// --- flips ------------------------------------------------------------------

// The instruction while the site is off; 0 if the jump that skips a profiler
// does not reach its target.
static uint32_t wordOff(const tprt_site &site, bool skipped) {
  const CodeSite &code = codeOf(site);
  if (!skipped)
    return wordOf(code);
  return endsFunction(code)
             ? encodeBranch(reinterpret_cast<uint64_t>(site.sled()),
                            displacedOf(site))
             : kNop;
}

// The instruction while the site leads to one of its stubs; 0 if it does not
// reach the stub.
static uint32_t wordOn(const tprt_site &site, uint64_t way) {
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  uint32_t word = way ? encodeBranch(sled, way) : 0;
  bool links = codeOf(site).means == Means::Call;
  return word && links ? word | kLinkBit : word;
}

TPRT_CODE_ACCESS static uint32_t wordNow(const tprt_site &site) {
  uint32_t now;
  memcpy(&now, site.sled(), sizeof now);
  return now;
}

// Whether the site leads to a veneer whose words were restored.
static bool isVeneerLost(const tprt_site &site, const Ways &ways) {
  return ways.afterVeneer &&
         !isVeneerWritten(site, moduleAt[site.moduleNumber]->origin,
                          ways.afterVeneer);
}

static SledForm formOf(const tprt_site &site, const Ways &ways) {
  uint32_t now = wordNow(site);
  const bool isSkipped = site.isSkipped();
  if (now == wordOff(site, isSkipped))
    return SledForm::Off;
  if (isProfilerCall(site) && now == wordOff(site, !isSkipped))
    return SledForm::OffElse;
  const uint64_t all[] = {ways.wanted, ways.others[0], ways.others[1]};
  for (uint64_t way : all)
    if (way && now == wordOn(site, way))
      return isVeneerLost(site, ways) ? SledForm::Stale : SledForm::On;
  return SledForm::Other;
}

// The reason why a site remains off, regardless of its bytes.
static tprt_refusal refusalOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  if (code.refusal != TPRT_REFUSAL_NONE)
    return static_cast<tprt_refusal>(code.refusal);
  return displacedOf(site) ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_REACH;
}

tprt_refusal planCode(const tprt_site &site, const Ways &ways, Toggle *toggle) {
  tprt_refusal refusal = refusalOf(site);
  uint32_t on = wordOn(site, ways.wanted),
           off = wordOff(site, site.isSkipped());
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  if (!on || !off)
    return TPRT_REFUSAL_REACH;
  *toggle = {reinterpret_cast<uint64_t>(site.sled()), off, on, 4,
             formOf(site, ways)};
  return TPRT_REFUSAL_NONE;
}

// A breakpoint has the length of an instruction.
SledForm formUnderBreakpoint(const tprt_site &, uint64_t, const Ways &) {
  return SledForm::Other;
}

tprt_refusal planCallOff(const tprt_site &site, uint64_t, const Ways &ways,
                         Toggle *toggle) {
  tprt_refusal refusal = refusalOf(site);
  uint32_t wanted = wordOff(site, site.isSkipped());
  if (refusal != TPRT_REFUSAL_NONE)
    return refusal;
  if (!wanted)
    return TPRT_REFUSAL_REACH;
  *toggle = {reinterpret_cast<uint64_t>(site.sled()), wanted, wanted, 4,
             formOf(site, ways)};
  return TPRT_REFUSAL_NONE;
}

void chooseOtherMeans(CodeSite &, uint64_t) {}

// At exits, no unwind table refers to popped registers.
bool isAtBeginning(size_t, const tprt_site &) { return false; }

// The frame lies below all data of the function, because the function keeps no
// data below sp (AAPCS64, 6.2.3). The stub's own frame exists from its second
// instruction to its third.
int64_t stackBelow(InnerStub, size_t inside, const tprt_site &site) {
  int64_t frame = site.isInstruction() ? INNER_FRAME_BYTES : FRAME_BYTES;
  return inside >= 4 && inside < 12 ? frame : 0;
}

// --- after the stub --------------------------------------------------------

static bool is(uint32_t word, uint32_t mask, uint32_t value) {
  return (word & mask) == value;
}

// A field of `bits` bits from bit `low` on, signed.
static int64_t fieldOf(uint32_t word, unsigned low, unsigned bits) {
  const auto top = static_cast<int32_t>(word << (32 - low - bits));
  return top >> (32 - bits);
}

// b.cond, cbz and similar instructions have their distance in bits 5 to 23, tbz
// and tbnz in bits 5 to 18 (Arm ARM, C4.1.66).
static bool isConditional(uint32_t word) {
  return is(word, 0xff000000, 0x54000000) || is(word, 0x7c000000, 0x34000000);
}
static unsigned distanceBits(uint32_t word) {
  return is(word, 0x7e000000, 0x36000000) ? 14 : 19;
}
static uint32_t withDistance(uint32_t word, unsigned bits, uint32_t words) {
  const uint32_t mask = ((1u << bits) - 1) << 5;
  return (word & ~mask) | (words << 5 & mask);
}

// For adr, adrp and a load of a literal to a general register: the value that
// the instruction leaves in the register (Arm ARM, C6.2). Literals are
// read-only: the reader makes no sites in functions with data, and code is
// mapped without write access.
TPRT_CODE_ACCESS static bool readsConstant(uint32_t word, uint64_t at,
                                           uint64_t &value) {
  const int64_t distance = fieldOf(word, 5, 19);
  if (is(word, 0x1f000000, 0x10000000)) { // adr, adrp
    const int64_t all = distance * 4 + (word >> 29 & 3);
    value = word >> 31
                ? (at & ~uint64_t{0xfff}) + static_cast<uint64_t>(all) * 4096
                : at + static_cast<uint64_t>(all);
    return true;
  }
  if (!is(word, 0x3f000000, 0x18000000) || word >> 30 == 3) // 3: prfm
    return false;
  int32_t low;
  const auto *from =
      reinterpret_cast<const void *>(at + static_cast<uint64_t>(distance * 4));
  if (word >> 30 == 1)
    memcpy(&value, from, sizeof value);
  else {
    memcpy(&low, from, sizeof low);
    value = word >> 30 == 2 ? static_cast<uint64_t>(int64_t{low})
                            : static_cast<uint32_t>(low);
  }
  return true;
}

// Writes code that has the effect of the instruction, and then continues where
// the instruction would. Returns false if a target is out of reach.
static bool writeCopy(uint32_t (&words)[4], uint64_t address, uint32_t word,
                      uint64_t at) {
  const uint64_t next = at + 4;
  uint64_t value;
  if (is(word, 0x7c000000, kBranch)) // b, bl: bl has set x30 at the site
    words[0] = encodeBranch(address, targetOfBranch(word, at));
  else if (word == kNop || is(word, 0xff000000, 0xd8000000)) // prfm literal
    words[0] = encodeBranch(address, next);
  else if (isConditional(word)) {
    const unsigned bits = distanceBits(word);
    const uint64_t to = at + static_cast<uint64_t>(fieldOf(word, 5, bits) * 4);
    words[0] = withDistance(word, bits, 2);
    words[1] = encodeBranch(address + 4, next);
    words[2] = encodeBranch(address + 8, to);
    return words[1] && words[2];
  } else if (readsConstant(word, at, value)) {
    words[0] = 0x58000040 | (word & 31); // ldr xN, .+8
    words[1] = encodeBranch(address + 4, next);
    memcpy(&words[2], &value, sizeof value);
    return words[1];
  } else {
    words[0] = word;
    words[1] = encodeBranch(address + 4, next);
    return words[1];
  }
  return words[0];
}

// The address that unwinders see for the thread: that of the instruction, which
// has yet to run. In GCC 12's code, a function's unwind entry begins after the
// nops at its entry. So for these nops it is the address of the instruction
// after them.
static uint64_t seenAt(const CodeSite &code, uint64_t sled) {
  uint32_t word = wordOf(code);
  if (code.profiler != Profiler::None && !endsFunction(code))
    return sled + 4;
  for (size_t i = 4; word == kNop && i + 4 <= sizeof code.code; i += 4) {
    memcpy(&word, code.code + i, sizeof word);
    sled += 4;
  }
  return sled;
}

bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool) {
  const CodeSite &code = codeOf(site);
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  uint32_t words[] = {kBrk, kBrk, kBrk, kBrk};
  bool isNear = true;
  if (endsFunction(code))
    words[0] = kRet;
  else
    isNear =
        writeCopy(words, address,
                  code.profiler == Profiler::None ? wordOf(code) : kNop, sled);
  // A veneer is written only if the site does not reach its stub.
  const bool isFar =
      !isNear && !encodeBranch(address, sled + 4) && hasVeneer(site);
  if ((!isNear && !isFar) || code.refusal != TPRT_REFUSAL_NONE)
    return false;
  const uint64_t back = isFar ? veneerOf(site,
                                         moduleAt[site.moduleNumber]->origin) +
                                    kVeneerBack
                              : 0,
                 seen = seenAt(code, sled);
  const uint32_t farWords[] = {kLoadX16, kBranchX16,
                               static_cast<uint32_t>(back),
                               static_cast<uint32_t>(back >> 32)};
  static_assert(sizeof words == sizeof farWords);
  memcpy(out, isFar ? farWords : words, sizeof words);
  memcpy(out + kCopySeen, &seen, sizeof seen);
  static_assert(sizeof words == kCopySeen);
  return true;
}

// In the copy of a conditional branch, the third word leads to the target.
size_t afterInstruction(const tprt_site &site, size_t inside) {
  return inside && !(inside >= 8 && isConditional(wordOf(codeOf(site))))
             ? codeOf(site).length
             : 0;
}

} // namespace tprt
