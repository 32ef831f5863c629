// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an instruction of x86-64 becomes a jump; see instruction_sites.h.
//
// A site is refused if a jump has its target inside the site's bytes. Indirect
// jumps have the beginning of an instruction as their target, and only the
// bytes of one instruction change. So no indirect jump has its target inside
// bytes that change their meaning.
#include "base/search.h"
#include "base/sort.h"
#include "decode/instruction_sites.h"
#include "decode/x86_64/xray_sled.h"
#include "tprt/tprt.h"

#include <string.h>

namespace tprt {

static constexpr uint8_t kJump = 0xe9; // jmp rel32
static constexpr uint32_t kJumpBytes = 5;
static constexpr uint32_t kRetDead = 4; // of a jump at a ret of one byte
// For an instruction whose copy follows pushes (arch/x86_64/code_patch.cpp).
static constexpr uint32_t kMostAfterPushes = 13;

// Whether the instruction begins with a REX prefix (Intel SDM vol. 2, 2.2.1.2).
static bool hasPrefix(const CodeSite &site) { return site.code[0] >> 4 == 4; }

// The bytes, of the pun's last four, at which an instruction begins. If the
// bytes do not decode, any of them may begin one.
static uint8_t startsIn(const CodeSite &site) {
  unsigned starts = 0;
  uint32_t next = site.own > site.length ? site.own : site.length,
           end = site.keepsPrefix + jumpBytes(site);
  for (uint32_t at = next; at < end;) {
    Instruction code = {};
    starts |= 1u << (at - (end - 4));
    at += decode(site.code + at, sizeof site.code - at, code) ? code.length : 1;
  }
  return static_cast<uint8_t>(starts);
}

// Whether a copy of the instruction can run at another address and then
// continue in the original code.
static bool runsElsewhere(const Instruction &code) {
  return code.flow == Flow::Next || code.flow == Flow::Nop ||
         code.flow == Flow::Branch;
}

// Finds the instructions that the copy of the site's instruction must contain:
// those that begin inside the bytes of its pun. None of them may be a call,
// because the copy of a call would push another return address. None of them
// may leave the function's code or belong to a restartable sequence. A jump to
// any of them still reaches that instruction at its old address.
static void findRun(CodeSite &site, const DecodedCode &all) {
  const uint32_t end = site.keepsPrefix + jumpBytes(site);
  site.runBytes = site.runStarts = site.runShorts = site.runField = 0;
  Instruction code = {};
  if (site.length >= end || site.profiler != Profiler::None ||
      !decode(site.code, sizeof site.code, code) || !runsElsewhere(code))
    return;
  const size_t function = all.functionAt(site.at);
  if (function >= all.functions.size())
    return;
  const uint32_t room = all.functions[function].end - site.at;
  CodeSite run = site;
  uint32_t at = site.length;
  for (bool ends = false; at < end && !ends; at += code.length) {
    // A field of four bytes ends after the jump.
    if (!decode(site.code + at, sizeof site.code - at, code) ||
        at + code.length > room || all.isInSequence(site.at + at) ||
        run.runField)
      return;
    ends = code.ends() && code.flow != Flow::Stop;
    if (!ends && !runsElsewhere(code))
      return;
    const unsigned start = 1u << (at - (end - 4));
    run.runStarts = (run.runStarts | start) & 0xf;
    if (code.fieldBytes == 1)
      run.runShorts = (run.runShorts | start) & 0xf;
    else if (code.fieldBytes)
      run.runField = static_cast<uint8_t>(at + code.field);
  }
  run.runBytes = static_cast<uint8_t>(at - site.length);
  site = run;
}

// Fills in the members with which a short jump can become a pun without a
// prefix and without a word.
static void describePlainPun(CodeSite &site, const DecodedCode &all) {
  CodeSite pun = site;
  pun.keepsPrefix = pun.isByWord = false;
  findRun(pun, all);
  site.starts = startsIn(pun);
  site.runBytes = pun.runBytes;
  site.runStarts = pun.runStarts;
  site.runShorts = pun.runShorts;
  site.runField = pun.runField;
}

// Whether a pun's jump has no usable target: each possible address is inside
// the module, or below any possible memory. The latter happens in a program in
// the first gigabytes.
static bool hasNoRoom(const CodeSite &site, const DecodedCode &all) {
  constexpr uint64_t kLowest = 1 << 16;
  const uint32_t bytes = jumpBytes(site), distanceAt = bytes - 4;
  // The free bytes are the distance's lowest ones.
  uint32_t fixed = 0;
  memcpy(&fixed, site.code + site.keepsPrefix + distanceAt, sizeof fixed);
  const uint32_t own = (1u << 8 * (changedBytes(site) - distanceAt)) - 1;
  const uint64_t from = all.view.origin + changedFrom(site) + bytes;
  auto at = [&](uint32_t distance) {
    return site.isByWord
               ? static_cast<uint32_t>(from + distance)
               : from + static_cast<uint64_t>(static_cast<int32_t>(distance));
  };
  auto isBelow = [](uint64_t address) {
    return address < kLowest || static_cast<int64_t>(address) < 0;
  };
  // A breakpoint at the instruction of the highest byte.
  constexpr uint32_t kBreakpoint = 0xccu << 24, kOthers = 0xffffff;
  if (isBelow(at(fixed | own)) ||
      (site.starts & 8 && isBelow(at((fixed & kOthers) | own | kBreakpoint))))
    return true;
  // The island for a breakpoint in the lowest byte would overlap the first
  // one.
  const int bytesOfOne = site.isByWord ? 8 : 5,
            apart = static_cast<int>(fixed & 0xff) - 0xcc;
  if (site.starts & 1 && apart && apart < bytesOfOne && -apart < bytesOfOne)
    return true;
  // No other mapping can lie between a module's segments.
  uint64_t start = from, end = from;
  for (size_t i = 0; i < all.view.segmentCount; ++i) {
    const Segment &segment = all.view.segments[i];
    start = segment.start < start ? segment.start : start;
    end = segment.end > end ? segment.end : end;
  }
  return at(fixed & ~own) >= start && at(fixed | own) + bytes <= end;
}

// Makes the site a pun of this form, if there may be room. If the instruction
// crosses the word, only its bytes in the first word change.
static bool tryPun(CodeSite &site, bool prefix, bool byWord,
                   const DecodedCode &all) {
  constexpr uint32_t kDistanceBytes = 4;
  CodeSite pun = site;
  pun.keepsPrefix = prefix;
  pun.isByWord = byWord;
  pun.means = Means::Pun;
  const uint32_t from = changedFrom(pun), bytes = jumpBytes(pun),
                 most = 8 - (all.view.origin + from) % 8 + prefix;
  if (pun.own > most)
    pun.own = static_cast<uint8_t>(most);
  if (pun.own < prefix + bytes - kDistanceBytes || pun.own >= prefix + bytes ||
      all.room(from, bytes) != bytes)
    return false;
  pun.starts = startsIn(pun);
  if (hasNoRoom(pun, all))
    return false;
  findRun(pun, all);
  site = pun;
  return true;
}

// The later forms have fewer free bytes. With `isFirstAlone`, only the first
// byte of the instruction may change, or all bytes except the first.
static void choosePun(CodeSite &site, bool isFirstAlone,
                      const DecodedCode &all) {
  constexpr uint64_t kWords = uint64_t{1} << 32; // limit of a word's address
  CodeSite whole = site;
  if (isFirstAlone)
    site.own = 1;
  if (tryPun(site, false, false, all))
    return;
  site = whole;
  if ((hasPrefix(site) && tryPun(site, true, false, all)) ||
      (!all.view.changesOneByte && all.view.origin < kWords &&
       tryPun(site, false, true, all)))
    return;
  site.means = Means::Trap;
}

// Whether a jump of `bytes` bytes, after `prefix` bytes, fits into the site's
// own bytes and into one aligned word.
static bool fitsAfter(uint32_t prefix, uint32_t bytes, const CodeSite &site,
                      const DecodedCode &all) {
  return site.own >= prefix + bytes &&
         (all.view.origin + site.at + prefix) % 8 + bytes <= 8;
}

// Chooses a jump that fits into the site's own bytes, or a short jump:
// takeSlot(low, high) returns dead bytes, or 0. If the instruction begins with
// a REX prefix, a jump after the prefix is better: it leaves the first byte
// as it is, which the removal of a uprobe restores (patch/uprobe_yield.h).
template <class TakeSlot>
static bool chooseInWord(CodeSite &site, const DecodedCode &all,
                         const TakeSlot &takeSlot) {
  constexpr uint32_t kShortJumpBytes = 2;
  const bool isFirstFree = !all.view.changesOneByte, hasRex = hasPrefix(site);
  auto shortJump = [&](uint32_t prefix) {
    uint32_t from = site.at + prefix + kShortJumpBytes,
             low = from > 128 ? from - 128 : 1;
    if (!fitsAfter(prefix, kShortJumpBytes, site, all) ||
        !(site.slot = takeSlot(low, from + 127)))
      return false;
    memcpy(site.dead, all.at(site.slot), kDeadBytes);
    site.means = Means::ShortJump;
    return true;
  };
  site.keepsPrefix = hasRex && fitsAfter(1, kJumpBytes, site, all);
  if (site.keepsPrefix ||
      (isFirstFree && fitsAfter(0, kJumpBytes, site, all))) {
    site.means = Means::Jump;
    return true;
  }
  site.keepsPrefix = hasRex && shortJump(1);
  return site.keepsPrefix || (isFirstFree && shortJump(0));
}

// If only the first byte may change, the instruction's other bytes determine
// the jump's target. When a uprobe is removed, the restored first byte
// completes the original instruction. If the jump begins with the same byte,
// the restored byte does not change the jump.
static void chooseByOneByte(CodeSite &site, const DecodedCode &all) {
  const bool isJump = site.code[0] == kJump;
  if (isJump && fitsAfter(0, kJumpBytes, site, all))
    site.means = Means::Jump;
  else
    choosePun(site, !isJump, all);
}

// Chooses how the instruction becomes a jump. Every store is of bytes in one
// aligned word of eight bytes (docs/explanation/safety.md).
void SiteReader::choose(CodeSite &site, const Instruction &code) {
  auto refuse = [&](tprt_refusal reason) {
    site.refusal = static_cast<uint8_t>(reason);
  };
  bool isBound = code.flow == Flow::Bound || code.flow == Flow::Call ||
                 code.flow == Flow::ShortBranch || code.flow == Flow::Stop ||
                 (code.flow == Flow::Branch && site.kind != TPRT_KIND_ENTRY);
  if (isBound && site.profiler == Profiler::None)
    return refuse(TPRT_REFUSAL_INSTRUCTION);
  if (isTarget(site.at + 1, site.at + site.length))
    return refuse(TPRT_REFUSAL_BRANCH);
  site.own = site.length;
  if (code.flow == Flow::Return && site.length == 1 &&
      dead.takeAt(site.at + 1, kRetDead)) {
    memcpy(site.dead, at(site.at + 1), kRetDead);
    site.means = Means::Return;
    return;
  }
  if (site.length < kJumpBytes && !view.changesOneByte)
    // After an instruction that never continues there may be dead bytes.
    site.own += dead.takeUpTo(site.at + site.length, kJumpBytes - site.length);
  auto takeSlot = [&](uint32_t low, uint32_t high) {
    return dead.takeNear(low, high, kDeadBytes, kRetDead);
  };
  if (chooseInWord(site, *this, takeSlot)) {
    // A short jump may have to become a pun that needs no first byte
    // (patch/overlap.h).
    if (site.means == Means::ShortJump && needsFirstByte(site)) {
      site.starts = kNoPun;
      if (room(site.at, kJumpBytes) == kJumpBytes)
        describePlainPun(site, *this);
    }
    return;
  }
  if (view.changesOneByte)
    chooseByOneByte(site, *this);
  else
    choosePun(site, false, *this);
}

// The bytes of stack that the instruction uses, if it can be executed once
// more: push of a register, or sub $N,%rsp. 0 for any other instruction.
static unsigned stackTakenBy(const uint8_t *code, unsigned length) {
  constexpr unsigned kWord = 8;
  constexpr uint8_t kSub[] = {0x48, 0x83, 0xec}; // and a signed byte
  const bool hasPrefix = code[0] == 0x41;        // REX.B
  if (length == 1u + hasPrefix && code[hasPrefix] >> 3 == 0x50 >> 3)
    return kWord;
  if (length == 4 && memcmp(code, kSub, sizeof kSub) == 0 && code[3] < 0x80)
    return code[3];
  return 0;
}

void SiteReader::chooseEntry(CodeSite &site, const Instruction &code,
                             uint32_t index) {
  choose(site, code);
  // A jump past the pushes does not enter the function.
  if (site.profiler != Profiler::None || site.keepsBelow ||
      site.means != Means::Trap || mayBeEnteredInside(index))
    return;
  CodeSite next = site;
  Instruction at = code;
  for (unsigned taken = 0;;) {
    const unsigned takes = stackTakenBy(next.code, next.length),
                   before = next.pushBytes;
    taken += takes;
    if (taken > kMostPushed || before + next.length > kMostPushBytes)
      return;
    memcpy(next.pushes + before, next.code, next.length);
    next.pushBytes = static_cast<uint8_t>(before + next.length);
    next.pushed = static_cast<uint8_t>(taken);
    if (!takes && (before != 1 || !makesFrame(next.pushes, next.pushBytes)))
      return;
    next.at += next.length;
    const uint32_t end = functions[index].end;
    if (next.at >= end || isTarget(next.at, next.at + 1) || isKept(next.at) ||
        !decodeAt(next.at, end, at) || at.flow != Flow::Next ||
        at.length > kMostAfterPushes)
      return;
    describe(next, at);
    next.refusal = TPRT_REFUSAL_NONE;
    next.keepsPrefix = next.isByWord = false;
    next.runBytes = next.runStarts = next.runShorts = next.runField = 0;
    choose(next, at);
    if (next.refusal != TPRT_REFUSAL_NONE)
      return;
    if (next.means != Means::Trap) {
      site = next;
      return;
    }
  }
}

static bool isXRayAt(const DecodedCode &all, uint32_t offset) {
  return (all.view.origin + offset) % 2 == 0 &&
         all.room(offset, kXRayBytes) == kXRayBytes &&
         isXRaySled(all.at(offset));
}

// In an enabled sled, the jump after the mov leaves the function.
bool SiteReader::isXRay(uint32_t offset, uint32_t start) const {
  return isXRayAt(*this, offset) || (offset >= start + kXRayMoveBytes &&
                                     isXRayAt(*this, offset - kXRayMoveBytes));
}

// Returns that need only the dead bytes after them are handled first: entries
// can use other dead bytes. Such a return is not at its function's beginning.
bool SiteReader::choosesFirst(const Exit &exit) const {
  constexpr uint8_t kRet = 0xc3;
  constexpr uint32_t kLandingPadBytes = 4;
  return *at(exit.at) == kRet && dead.hasAt(exit.at + 1, kRetDead) &&
         exit.at > functions[exit.function].start + kLandingPadBytes;
}

// If an entry's jump ends inside an exit's bytes, the exit loses its jump: the
// entry is more useful than the exit.
static void dropExitsAfterEntries(Array<CodeSite> &out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const CodeSite &entry = out[i];
    if (entry.means != Means::Pun || entry.kind != TPRT_KIND_ENTRY)
      continue;
    for (size_t k = i + 1;
         k < out.size() && out[k].at < changedFrom(entry) + jumpBytes(entry);
         ++k)
      if (out[k].means != Means::None && out[k].kind != TPRT_KIND_ENTRY &&
          !out[k].isInside) {
        out[k].means = Means::None;
        out[k].refusal = TPRT_REFUSAL_ROOM;
      }
  }
}

// The target of a pun's jump depends on the bytes after its instruction. If
// another site changes one of these bytes, the instruction gets no pun.
static bool dropDependentPuns(const CodeView &view, Array<CodeSite> &out) {
  Array<Keyed> changed; // starts and ends, in order
  auto add = [&](uint32_t start, uint32_t bytes) {
    return changed.push({start, start + bytes});
  };
  for (const CodeSite &site : out) {
    uint32_t bytes = site.means == Means::ShortJump ? 2u + site.keepsPrefix
                     : site.means == Means::Trap    ? 1
                     : site.means == Means::Pun
                         ? changedBytes(site) + site.keepsPrefix
                         : kJumpBytes + site.keepsPrefix;
    // A call inside a function does not change while the pun is on
    // (patch/site_plan.cpp).
    if (site.means != Means::None && !site.isInside && !add(site.at, bytes))
      return false;
    if (site.means == Means::ShortJump && !add(site.slot, kDeadBytes))
      return false;
  }
  for (size_t i = 0; i < view.keptCount; ++i)
    if (!add(view.kept[i], kJumpBytes))
      return false;
  if (!sortByKey(changed))
    return false;
  size_t first = 0;
  for (CodeSite &site : out) {
    uint32_t from = site.at + site.own,
             to = changedFrom(site) + jumpBytes(site);
    // No range is longer than a prefix and a jump together.
    while (first < changed.size() && changed[first].key + kJumpBytes < from)
      ++first;
    for (size_t i = first; i < changed.size() && changed[i].key < to; ++i)
      if (changed[i].value <= from)
        continue;
      else if (site.means == Means::Pun)
        site.means = Means::Trap;
      else if (site.means == Means::ShortJump)
        site.starts = kNoPun;
  }
  return true;
}

bool SiteReader::settle() {
  dropExitsAfterEntries(out);
  return dropDependentPuns(view, out);
}

// --- single instructions ----------------------------------------------------

// Whether an XRay sled begins at the offset, or surrounds it.
static bool isInXRay(const DecodedCode &all, uint32_t offset) {
  for (uint32_t back = 0; back < kXRayBytes && back <= offset; ++back)
    if (isXRayAt(all, offset - back))
      return true;
  return false;
}

// Whether a jump at the site, of which the first `own` bytes belong to the
// site, ends inside a sled.
static bool endsInKept(const CodeView &view, const CodeSite &site,
                       uint32_t own) {
  size_t i = partitionPoint(0, view.keptCount, [&](size_t k) {
    return view.kept[k] + kJumpBytes <= site.at + own;
  });
  return i < view.keptCount &&
         view.kept[i] < changedFrom(site) + jumpBytes(site);
}

// Chooses how an instruction inside a function becomes a jump. Dead bytes are
// found but not reserved: the first site that is enabled reserves them
// (patch/overlap.cpp).
void SiteReader::chooseInside(CodeSite &site, const Instruction &code) const {
  constexpr uint8_t kCall = 0xe8;
  uint32_t inWord = (view.origin + site.at) % 8;
  auto refuse = [&](tprt_refusal reason) {
    site.refusal = static_cast<uint8_t>(reason);
  };
  bool isNearCall =
      code.flow == Flow::Call && code.length == 5 && site.code[0] == kCall;
  // The four bytes of the call's distance lie in one word. Other calls get no
  // trap either: a copy of a call would leave the copy's address on the stack.
  bool isCall = isNearCall && (inWord + 1) % 8 <= 4;
  if (code.flow == Flow::Bound || code.flow == Flow::Stop ||
      code.flow == Flow::ShortBranch || code.flow == Flow::LandingPad ||
      (code.flow == Flow::Call && !isCall))
    return refuse(TPRT_REFUSAL_INSTRUCTION);
  if (isTarget(site.at + 1, site.at + site.length))
    return refuse(TPRT_REFUSAL_BRANCH);
  if (isInXRay(*this, site.at))
    return refuse(TPRT_REFUSAL_XRAY);
  site.own = site.length;
  if (isCall) {
    site.means = Means::Call;
    return;
  }
  auto findSlot = [&](uint32_t low, uint32_t high) {
    return dead.findNear(low, high, kDeadBytes);
  };
  if (chooseInWord(site, *this, findSlot)) {
    // if a short jump's slot is in use
    bool fits =
        room(site.at, kJumpBytes) == kJumpBytes &&
        !endsInKept(view, site, site.own < 8 - inWord ? site.own : 8 - inWord);
    site.starts = kNoPun;
    if (fits)
      describePlainPun(site, *this);
    if (view.changesOneByte && site.means == Means::ShortJump)
      site.own = 1;
    return;
  }
  if (view.changesOneByte)
    chooseByOneByte(site, *this);
  else
    choosePun(site, false, *this);
  if (site.means == Means::Pun && endsInKept(view, site, site.own))
    site.means = Means::Trap;
}

} // namespace tprt
