// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x86-64 sites in code without sleds. The bytes of one instruction, and dead
// bytes right after it, L bytes together, become a jump. The bytes of
// neighbouring instructions do not change:
//
//   Jump     L >= 5, five bytes in one aligned word   e9 rel32, and the rest
//   ShortJump
//            L >= 2, two bytes in one aligned word    eb XX, and the rest; XX
//                                                     leads to the slot
//     slot   five dead bytes                          e9 rel32
//   Return   c3 and four dead bytes                   e9 rel32
//   Call     a call                                   e8 rel32, with another
//                                                     rel32
//   Pun      L <= 4, all in one aligned word          e9, L - 1 bytes of ours,
//                                                     and 5 - L of what follows
//
//   Pun      3 <= L <= 6, all in one aligned word     67 ff 25, L - 3 bytes of
//     by a word, in programs below 4 GB               ours, and 7 - L of what
//                                                     follows
//
// If an instruction crosses such a word, the site is a pun as well: only the
// instruction's bytes in the first word change. A Jump, a ShortJump or a Pun
// may follow a REX prefix, which does not change: 4X e9 ..., 4X eb ... In this
// case L excludes the prefix.
//
// A pun's jump leads to an island (text/pun_islands.h), because the following
// bytes limit the targets that the jump can have. A thread executes either the
// instruction or the jump. If the jump is shorter than the instruction, no
// thread executes the bytes after the jump: no direct jump has its target there
// (decode/reader.cpp), and no thread can be inside an instruction. Each form is
// flipped by one store inside an aligned quadword (AMD APM vol. 2, 7.6.1;
// docs/explanation/safety.md). Called under the lock.
#include "code_patch.h"
#include "sites/arch.h"
#include "trap.h"

#include <string.h>

namespace tprt {

// Inline, so that a constant number of bytes needs no loop and no call.
[[gnu::always_inline]] static inline uint64_t valueOf(const uint8_t *bytes,
                                                      unsigned count) {
  uint64_t value = 0;
  memcpy(&value, bytes, count);
  return value;
}

TPRT_CODE_ACCESS static uint64_t wordAt(uint64_t address) {
  return valueOf(reinterpret_cast<const uint8_t *>(address), 8);
}

// --- slots ------------------------------------------------------------------

static bool hasSlot(const CodeSite &code) {
  return code.means == Means::ShortJump || code.means == Means::Return;
}

// The address of the jump to the stub: in dead bytes or, at a ret, at the ret
// itself.
static uint64_t slotOf(const CodeSite &code, uint64_t origin) {
  return origin + (code.means == Means::ShortJump ? code.slot : code.at);
}

namespace {
// The bytes of a slot, excluding those that belong to the sled.
struct SlotBytes {
  uint64_t from; // The address at which the jump begins.
  uint64_t now, dead;
  unsigned skipped; // Bits of the jump that belong to the sled: its opcode.
  unsigned bytes;

  SlotBytes(const CodeSite &code, uint64_t origin)
      : from(slotOf(code, origin)),
        skipped(code.means == Means::Return ? 8 : 0),
        bytes(code.means == Means::Return ? 4 : 5) {
    now = load5(reinterpret_cast<const uint8_t *>(from)) >> skipped;
    dead = bytes == 4 ? valueOf(code.dead, 4) : valueOf(code.dead, 5);
  }
  bool leadsTo(uint64_t stub) const {
    uint64_t jump = stub ? encodeJump(from, stub) : 0;
    return jump && now == jump >> skipped;
  }
  bool leadsToAny(const Ways &ways) const {
    return leadsTo(ways.wanted) || leadsTo(ways.others[0]) ||
           leadsTo(ways.others[1]);
  }
};
} // namespace

bool isCodeSlotWritten(const tprt_site &site, uint64_t origin, uint64_t stub) {
  const CodeSite &code = codeOf(site);
  return !hasSlot(code) || SlotBytes(code, origin).leadsTo(stub);
}

tprt_refusal planCodeSlot(const tprt_site &site, uint64_t origin,
                          const Ways &ways, Slot *slot) {
  const CodeSite &code = codeOf(site);
  if (!hasSlot(code))
    return TPRT_REFUSAL_NONE;
  SlotBytes bytes(code, origin);
  uint64_t jump = encodeJump(bytes.from, ways.wanted);
  if (!jump)
    return TPRT_REFUSAL_REACH;
  if (bytes.leadsTo(ways.wanted))
    return TPRT_REFUSAL_NONE;
  *slot = {bytes.from + bytes.skipped / 8, jump >> bytes.skipped, 0,
           static_cast<uint8_t>(bytes.bytes), SlotState::Unused};
  if (bytes.now == bytes.dead)
    return TPRT_REFUSAL_NONE;
  if (!leadsToAnother(ways, bytes.from, bytes.now, bytes.skipped))
    return TPRT_REFUSAL_BYTES;
  // As at a ret with a sled, the bytes after it have been dead since the
  // barrier after its last flip.
  return code.means == Means::Return ? TPRT_REFUSAL_NONE : planInUse(slot);
}

// --- flips ------------------------------------------------------------------

namespace {
// The bytes at a site while it is on and while it is off, and how many of them
// change.
struct Change {
  uint64_t off, on;
  unsigned bytes;
};
} // namespace

static uint64_t maskOf(unsigned bytes) {
  return (uint64_t{1} << bytes * 8) - 1;
}

// addr32 jmp *word(%eip); 0 if the word is out of reach.
static constexpr uint8_t kAddressPrefix = 0x67;
static uint64_t encodeWordJump(uint64_t from, uint64_t word) {
  constexpr uint64_t kOpcode = kAddressPrefix | 0x25ff00;
  const auto distance = static_cast<uint32_t>(word - (from + kWordJumpBytes));
  return word >> 32 ? 0 : kOpcode | uint64_t{distance} << 24;
}

static Change changeFor(const CodeSite &code, uint64_t origin, uint64_t way,
                        bool skipped) {
  const uint32_t start = code.at + code.keepsPrefix;
  uint64_t sled = origin + start;
  uint64_t bits = skipped ? skipBitsOf(code) : 0;
  Change change = {valueOf(code.code + (changedFrom(code) - code.at), 8) ^ bits,
                   0, changedBytes(code)};
  switch (code.means) {
  case Means::ShortJump:
    change.on = kJumpShort | (uint64_t{code.slot} - start - 2) << 8;
    break;
  case Means::Return:
    change.on = kJumpNear;
    break;
  case Means::Jump:
  case Means::Pun:
    if (way)
      change.on =
          code.isByWord ? encodeWordJump(sled, way) : encodeJump(sled, way);
    break;
  case Means::Call: // its distance, which is encoded like that of a jump
    change.on = way ? encodeJump(sled, way) >> 8 : 0;
    break;
  default:
    break;
  }
  change.off &= maskOf(change.bytes);
  if (hasSlot(code))
    change.on &= maskOf(change.bytes);
  return change;
}

// Whether a pun can contain this jump: the bytes after the instruction do not
// change.
static bool fitsNeighbours(const CodeSite &code, uint64_t jump) {
  uint64_t follows = valueOf(code.code + code.keepsPrefix, jumpBytes(code));
  return code.means != Means::Pun ||
         (jump ^ follows) >> changedBytes(code) * 8 == 0;
}

// Whether the instruction's other bytes are still those that the decoder read.
// A stub has a copy of the whole instruction, and a program may patch its own
// code.
TPRT_CODE_ACCESS static bool isRestSame(const CodeSite &code, uint64_t origin) {
  const auto *now = reinterpret_cast<const uint8_t *>(origin + code.at);
  uint32_t from = changedFrom(code) - code.at, to = from + changedBytes(code);
  bool same = true;
  for (uint32_t i = 0; i < code.length && same; ++i)
    same = (i >= from && i < to) || now[i] == code.code[i];
  return same;
}

// Whether the bytes at the end of a pun's jump are still those that the decoder
// read, or a breakpoint for which the pun has an island (text/pun_islands.h).
// libtprt's own trap does not count as such a breakpoint: a store of libtprt
// may remove it at any time.
TPRT_CODE_ACCESS static bool endsAsRead(const CodeSite &code, uint64_t origin) {
  const auto *now =
      reinterpret_cast<const uint8_t *>(origin) + code.at + code.keepsPrefix;
  const uint8_t *read = code.code + code.keepsPrefix;
  bool same = true;
  const unsigned bytes = jumpBytes(code), distanceAt = bytes - 4;
  for (unsigned i = changedBytes(code); i < bytes && same; ++i)
    same = now[i] == read[i] ||
           (code.starts >> (i - distanceAt) & 1 && isBreakpointAt(now + i) &&
            !destinationOfTrap(reinterpret_cast<uint64_t>(now + i)));
  return same;
}

// Whether the copies of the following instructions agree with memory. Only the
// last instruction's bytes after the jump are compared, because endsAsRead()
// has compared the others.
TPRT_CODE_ACCESS static bool isRunSame(const CodeSite &code, uint64_t origin) {
  const auto *now = reinterpret_cast<const uint8_t *>(origin) + code.at;
  const uint32_t to = code.runsOn ? code.length + uint32_t{code.runBytes} : 0;
  bool same = true;
  for (uint32_t i = code.keepsPrefix + jumpBytes(code); i < to && same; ++i)
    same = now[i] == code.code[i];
  return same;
}

// The form of the sled's current bytes.
static SledForm formOf(const CodeSite &code, uint64_t origin, const Ways &ways,
                       const Change &change, uint64_t now) {
  if (now == change.off)
    return SledForm::Off;
  if (now == (change.off ^ (skipBitsOf(code) & maskOf(change.bytes))))
    return SledForm::OffElse;
  if (hasSlot(code)) {
    if (now != change.on)
      return SledForm::Other;
    SlotBytes slot(code, origin);
    return slot.leadsToAny(ways)   ? SledForm::On
           : slot.now == slot.dead ? SledForm::Stale
                                   : SledForm::Other;
  }
  const uint64_t all[] = {ways.wanted, ways.others[0], ways.others[1]};
  for (uint64_t way : all) {
    Change other = changeFor(code, origin, way, false);
    if (other.on && now == (other.on & maskOf(other.bytes)))
      return SledForm::On;
  }
  return SledForm::Other;
}

// A single byte, or the part of the aligned word that contains the
// instruction's bytes.
TPRT_CODE_ACCESS tprt_refusal planCode(const tprt_site &site, uint64_t origin,
                                       const Ways &ways, Toggle *toggle) {
  const CodeSite &code = codeOf(site);
  if (code.refusal != TPRT_REFUSAL_NONE)
    return static_cast<tprt_refusal>(code.refusal);
  if (code.means == Means::Trap)
    return TPRT_REFUSAL_ROOM;
  if (!displacedOf(site))
    return TPRT_REFUSAL_REACH;
  uint64_t sled = origin + changedFrom(code), at = sled % 8, shift = at * 8;
  Change change = changeFor(code, origin, ways.wanted, site.isSkipped());
  if (!hasSlot(code) && (!change.on || !fitsNeighbours(code, change.on)))
    return code.means == Means::Pun ? TPRT_REFUSAL_ROOM : TPRT_REFUSAL_REACH;
  uint64_t mask = maskOf(change.bytes), word = wordAt(sled - at);
  uint64_t now = word >> shift & mask;
  SledForm form = formOf(code, origin, ways, change, now);
  if (form == SledForm::Off && !isRestSame(code, origin))
    form = SledForm::Other;
  // The site can be turned off regardless of the bytes after it.
  if (form == SledForm::Off && code.means == Means::Pun &&
      !(endsAsRead(code, origin) && isRunSame(code, origin)))
    form = SledForm::Other;
  uint64_t on = change.on & mask;
  if (change.bytes == 1) {
    *toggle = {sled, change.off, on, 1, form};
    return TPRT_REFUSAL_NONE;
  }
  word &= ~(mask << shift);
  *toggle = {sled - at, word | change.off << shift, word | on << shift, 8,
             form};
  return TPRT_REFUSAL_NONE;
}

TPRT_CODE_ACCESS SledForm formUnderBreakpoint(const tprt_site &site,
                                              uint64_t origin,
                                              const Ways &ways) {
  if (site.shape() != TPRT_SHAPE_CODE || !isBreakpointAt(site.sled()))
    return SledForm::Other;
  const CodeSite &code = codeOf(site);
  if (!becomesJump(code) || code.keepsPrefix)
    return SledForm::Other;
  uint64_t sled = origin + code.at, at = sled % 8;
  Change change = changeFor(code, origin, ways.wanted, site.isSkipped());
  uint64_t now = wordAt(sled - at) >> at * 8 & maskOf(change.bytes);
  const uint64_t jump = code.means == Means::ShortJump ? kJumpShort
                        : code.isByWord                ? kAddressPrefix
                                                       : kJumpNear;
  auto formWith = [&](uint64_t first) {
    return formOf(code, origin, ways, change, (now & ~uint64_t{0xff}) | first);
  };
  SledForm form = formWith(change.off & 0xff);
  return form == SledForm::Other ? formWith(jump) : form;
}

bool isUnchanged(const tprt_site &site) {
  const uint8_t *sled = site.sled();
  if (site.shape() != TPRT_SHAPE_CODE)
    return areNops(sled, sledBytes(site));
  return isCallOff(codeOf(site), sled, false) ||
         isCallOff(codeOf(site), sled, true);
}

Extent extentOfCode(const tprt_site &site, uint64_t origin) {
  const CodeSite &code = codeOf(site);
  uint64_t sled = origin + changedFrom(code);
  Extent all = {(origin + code.at) & ~uint64_t{7}, (sled & ~uint64_t{7}) + 8};
  uint64_t end = sled + jumpBytes(code);
  if (const uint64_t run = origin + code.at + code.length + code.runBytes;
      code.runsOn && run > end)
    end = run;
  if (code.means == Means::Return || code.means == Means::Pun)
    all.end = end > all.end ? end : all.end;
  if (code.means == Means::ShortJump) {
    uint64_t slot = origin + code.slot, word = slot & ~uint64_t{7};
    all.start = word < all.start ? word : all.start;
    all.end = slot + 5 > all.end ? slot + 5 : all.end;
  }
  return all;
}

// Same choice as in the reader, for instructions with too few bytes in one word
// for a jump.
void chooseOtherMeans(CodeSite &code, uint64_t origin) {
  uint64_t inWord = (origin + code.at) % 8;
  if (inWord + code.own > 8)
    code.own = static_cast<uint8_t>(8 - inWord);
  code.slot = 0;
  code.keepsPrefix = false;
  code.means = code.starts != kNoPun && code.own < 5 ? Means::Pun : Means::Trap;
}

FixedBits fixedBitsOfCode(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  if (code.means != Means::Pun)
    return {0, 0};
  // The displacement is the last four bytes.
  const unsigned from = jumpBytes(code) - 4, ours = changedBytes(code) - from;
  auto mask = static_cast<uint32_t>(UINT64_C(0xffffffff) << ours * 8);
  uint32_t value;
  memcpy(&value, code.code + code.keepsPrefix + from, sizeof value);
  return {value & mask, mask};
}

} // namespace tprt
