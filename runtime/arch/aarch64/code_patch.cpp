// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 sites in code without sleds. A site is one of three instructions,
// each of which may become another of the three while other PEs execute it (Arm
// ARM DDI 0487, B2.2.5). One 4-byte store exchanges the whole instruction:
//
//   off                       on
//   d503201f  nop             14xxxxxx  b  stub
//   14xxxxxx  b  target       14xxxxxx  b  stub
//   94xxxxxx  bl target       94xxxxxx  bl stub    x30 stays the program's own
//   94xxxxxx  bl profiler     14xxxxxx  b  stub    the profiler is not called
//
// A call of a profiler is skipped by a nop. A jump to a profiler ends its
// function, so it is skipped by a jump to a ret: the copy after the site's
// stub.
//
// In place of a copy of the instruction, each stub is followed by a jump past
// the site, a jump to the target, or a ret. A far stub returns through the
// veneer (veneer.h). Called under the lock.
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

static bool isBranch(const CodeSite &code) {
  return (wordOf(code) & ~kLinkBit) >> 26 == kBranch >> 26;
}

// Whether the site is a jump to a profiler.
static bool endsFunction(const CodeSite &code) {
  return code.profiler != Profiler::None && !(wordOf(code) & kLinkBit);
}

// The target of the site's b or bl.
static uint64_t targetOf(const tprt_site &site) {
  return targetOfBranch(wordOf(codeOf(site)),
                        reinterpret_cast<uint64_t>(site.sled()));
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

bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool) {
  const CodeSite &code = codeOf(site);
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  bool goesOn = code.profiler != Profiler::None || !isBranch(code);
  uint32_t last =
      endsFunction(code)
          ? kRet
          : encodeBranch(address, goesOn ? sled + 4 : targetOf(site));
  // A veneer is written only if the site does not reach its stub.
  const bool isFar =
      !last && !encodeBranch(address, sled + 4) && hasVeneer(site);
  if ((!last && !isFar) || code.refusal != TPRT_REFUSAL_NONE)
    return false;
  // The address that unwinders see for the thread. A branch may be the last
  // instruction of its function, so for a branch this is the address of the
  // site. In GCC 12's code, a function's unwind entry begins after the nops at
  // its entry. So for these nops it is the address of the instruction after
  // them.
  uint64_t seen = goesOn && !endsFunction(code) ? sled + 4 : sled;
  uint32_t word = wordOf(code);
  for (size_t i = 4; word == kNop && i + 4 <= sizeof code.code; i += 4) {
    memcpy(&word, code.code + i, sizeof word);
    seen += word == kNop ? 4 : 0;
  }
  const uint64_t back =
      isFar ? veneerOf(site, moduleAt[site.moduleNumber]->origin) + kVeneerBack
            : 0;
  const uint32_t words[] = {last, kBrk, kBrk, kBrk};
  const uint32_t farWords[] = {kLoadX16, kBranchX16,
                               static_cast<uint32_t>(back),
                               static_cast<uint32_t>(back >> 32)};
  static_assert(sizeof words == sizeof farWords);
  memcpy(out, isFar ? farWords : words, sizeof words);
  memcpy(out + kCopySeen, &seen, sizeof seen);
  static_assert(sizeof words == kCopySeen);
  return true;
}

size_t afterInstruction(const tprt_site &site, size_t inside) {
  return inside ? codeOf(site).length : 0;
}

} // namespace tprt
