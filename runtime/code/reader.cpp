// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code; see reader.h.
//
// A site is refused where a jump leads into its bytes. Indirect jumps lead to
// the beginning of instructions, and only the bytes of one instruction are
// changed, so they lead to no byte that changes its meaning.
#include "code/reader.h"
#include "code/calls.h"
#include "code/decoded.h"
#include "core/plain/search.h"
#include "core/sort.h"
#include "tprt/tprt.h"

#include <string.h>

namespace tprt {

static constexpr uint32_t kJumpBytes = 5;
static constexpr uint32_t kRetDead = 4; // of a jump at a ret of one byte
static const char *const kNoMemory =
    "there is no memory for a list of its sites";

namespace {
class Reader : DecodedCode {
public:
  Reader(const CodeView &view, Array<CodeSite> &out)
      : DecodedCode(view), out(out), profilers(*this) {}
  const char *read();
  const char *readInside(const uint32_t *offsets, size_t count,
                         InnerCode &inside);

private:
  bool addEntry(uint32_t index);
  bool addExit(const Exit &exit);
  bool addCall(const Exit &call);
  uint32_t entryOf(uint32_t index) const;
  bool hasDeadBehind(const Exit &exit) const;
  bool isXRay(uint32_t offset) const;
  void describe(CodeSite &site, const Instruction &code) const;
  void choose(CodeSite &site, const Instruction &code);
  void choosePun(CodeSite &site) const;
  bool isInXRay(uint32_t offset) const;
  void chooseInside(CodeSite &site, const Instruction &code) const;
  bool endsInKept(const CodeSite &site, uint32_t own) const;
  bool isSite(uint32_t offset) const;
  bool addInside(uint32_t index, InnerCode &inside);
  bool sortSites();
  bool keepOnePerPlace();
  void dropExitsBehindEntries();
  bool dropDependentPuns();

  Array<CodeSite> &out;
  ProfilerCalls profilers;
};
} // namespace

void Reader::describe(CodeSite &site, const Instruction &code) const {
  site.length = code.length;
  site.field = code.field;
  site.fieldBytes = code.fieldBytes;
  memcpy(site.code, at(site.at), room(site.at, sizeof site.code));
}

// At which of the four bytes behind the first one an instruction begins. What
// is no instruction may be anything.
static uint8_t startsBehind(const CodeSite &site) {
  unsigned starts = 0;
  uint32_t next = site.own > site.length ? site.own : site.length;
  for (uint32_t at = next; at < kJumpBytes;) {
    Instruction code = {};
    starts |= 1u << (at - 1);
    at += decode(site.code + at, sizeof site.code - at, code) ? code.length : 1;
  }
  return static_cast<uint8_t>(starts);
}

// Chooses how the instruction becomes a jump. Every store is of bytes in one
// aligned word of eight bytes (docs/safety.md).
void Reader::choose(CodeSite &site, const Instruction &code) {
  uint32_t inWord = (view.origin + site.at) % 8;
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
  // Behind an instruction that never goes on there may be dead bytes.
  if (site.length < kJumpBytes)
    site.own += dead.takeUpTo(site.at + site.length, kJumpBytes - site.length);
  if (site.own >= kJumpBytes && inWord + kJumpBytes <= 8) {
    site.means = Means::Jump;
    return;
  }
  if (site.own >= 2 && inWord <= 6) {
    uint32_t from = site.at + 2, low = from > 128 ? from - 128 : 1;
    if ((site.slot = dead.takeNear(low, from + 127, kDeadBytes, kRetDead))) {
      memcpy(site.dead, at(site.slot), kDeadBytes);
      site.means = Means::Hop;
      return;
    }
  }
  choosePun(site);
}

// Of an instruction that crosses the word, the bytes in the first word.
void Reader::choosePun(CodeSite &site) const {
  uint32_t inWord = (view.origin + site.at) % 8;
  if (site.own >= kJumpBytes)
    site.own = static_cast<uint8_t>(8 - inWord);
  bool inOneWord = inWord + changedBytes(site) <= 8,
       fits = inOneWord && room(site.at, kJumpBytes) == kJumpBytes;
  site.means = site.own < kJumpBytes && fits ? Means::Pun : Means::Trap;
  if (site.means == Means::Pun)
    site.starts = startsBehind(site);
}

// The sleds of LLVM's XRay take 11 bytes from an even address on: a jump over a
// nop, or a ret and a nop behind it. While one is on, it is a mov to %r10d and
// a call or a jump (compiler-rt's xray_x86_64.cpp has the bytes).
static constexpr uint32_t kXRayBytes = 11, kXRayMoveBytes = 6;

static bool isXRaySled(const uint8_t *code) {
  constexpr uint8_t kEntry[kXRayBytes] = {0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84,
                                          0x00, 0x00, 0x02, 0x00, 0x00};
  constexpr uint8_t kExit[kXRayBytes] = {0xc3, 0x2e, 0x66, 0x0f, 0x1f, 0x84,
                                         0x00, 0x00, 0x02, 0x00, 0x00};
  constexpr uint8_t kMove[] = {0x41, 0xba}, kCall = 0xe8, kJump = 0xe9;
  uint8_t then = code[kXRayMoveBytes];
  return memcmp(code, kEntry, kXRayBytes) == 0 ||
         memcmp(code, kExit, kXRayBytes) == 0 ||
         (memcmp(code, kMove, sizeof kMove) == 0 &&
          (then == kCall || then == kJump));
}

bool Reader::isXRay(uint32_t offset) const {
  return (view.origin + offset) % 2 == 0 &&
         room(offset, kXRayBytes) == kXRayBytes && isXRaySled(at(offset));
}

// Adds the site where a function begins, behind its landing pad.
bool Reader::addEntry(uint32_t index) {
  const Function &f = functions[index];
  Instruction code;
  if (f.isFragment || !decodeAt(f.start, f.end, code))
    return true;
  CodeSite site = {};
  site.at = site.function = f.start;
  site.kind = TPRT_KIND_ENTRY;
  if (code.flow == Flow::LandingPad) {
    site.at += code.length;
    if (site.at >= f.end || !decodeAt(site.at, f.end, code))
      return true;
  }
  describe(site, code);
  site.profiler = profilers.of(site.at, code);
  if (!isKnown(index))
    site.refusal = TPRT_REFUSAL_DECODE;
  else if (isXRay(site.at))
    site.refusal = TPRT_REFUSAL_XRAY;
  else if (leadsInto(site.at, index) || leadsInto(f.start, index))
    site.refusal = TPRT_REFUSAL_BRANCH;
  else
    choose(site, code);
  return out.push(site);
}

// Whether the exit is a ret with enough dead bytes behind it for a jump, and
// not where its function begins.
bool Reader::hasDeadBehind(const Exit &exit) const {
  constexpr uint8_t kRet = 0xc3;
  constexpr uint32_t kLandingPadBytes = 4;
  return *at(exit.at) == kRet && dead.hasAt(exit.at + 1, kRetDead) &&
         exit.at > functions[exit.function].start + kLandingPadBytes;
}

bool Reader::addExit(const Exit &exit) {
  const Function &f = functions[exit.function];
  const Function &of = functions[parents[exit.function]];
  Instruction code;
  if (f.isSignalFrame || of.isSignalFrame || !decodeAt(exit.at, f.end, code))
    return true;
  uint32_t next = exit.at + code.length;
  if ((code.flow == Flow::Jump || code.flow == Flow::Branch) &&
      !leavesTo(exit.function, next + static_cast<uint32_t>(code.distance)))
    return true;
  Way way = Way::Leaves;
  if (code.flow == Flow::JumpMemory || code.isIndirect())
    way = wayOf(exit.function, exit.at, code);
  if (way == Way::Stays)
    return true;
  CodeSite site = {};
  site.at = exit.at;
  site.function = of.start;
  site.kind = code.flow == Flow::Return ? TPRT_KIND_EXIT : TPRT_KIND_TAIL_EXIT;
  describe(site, code);
  site.profiler = profilers.of(exit.at, code);
  if (!isKnown(exit.function))
    site.refusal = TPRT_REFUSAL_DECODE;
  else if (isXRay(exit.at) || (exit.at >= f.start + kXRayMoveBytes &&
                               isXRay(exit.at - kXRayMoveBytes)))
    site.refusal = TPRT_REFUSAL_XRAY;
  else if (way == Way::Unknown)
    site.refusal = TPRT_REFUSAL_SWITCH;
  else
    choose(site, code);
  return out.push(site);
}

// Where a function begins, behind its landing pad.
uint32_t Reader::entryOf(uint32_t index) const {
  const Function &f = functions[index];
  Instruction code;
  bool any = decodeAt(f.start, f.end, code);
  return f.start + (any && code.flow == Flow::LandingPad ? code.length : 0);
}

// Adds the site of a profiler's call inside a function. Where the call is the
// function's entry, there is a site already. Functions that others were inlined
// into have the calls of these, too.
bool Reader::addCall(const Exit &call) {
  const Function &f = functions[call.function];
  const Function &of = functions[parents[call.function]];
  Instruction code;
  if (f.isSignalFrame || of.isSignalFrame || !decodeAt(call.at, f.end, code))
    return true;
  CodeSite site = {};
  site.profiler = profilers.of(call.at, code);
  if (site.profiler == Profiler::None ||
      (!f.isFragment && call.at == entryOf(call.function)))
    return true;
  site.at = call.at;
  site.function = of.start;
  site.kind =
      site.profiler == Profiler::Exit ? TPRT_KIND_EXIT : TPRT_KIND_ENTRY;
  site.isInside = true;
  describe(site, code);
  if (!isKnown(call.function))
    site.refusal = TPRT_REFUSAL_DECODE;
  else
    choose(site, code);
  return out.push(site);
}

// Sorts the sites by address. They are much larger than keys.
bool Reader::sortSites() {
  Array<Keyed> order;
  Array<CodeSite> sorted;
  if (!order.reserve(out.size()) || !sorted.reserve(out.size()))
    return false;
  for (uint32_t i = 0; i < out.size(); ++i)
    order.push({out[i].at, i}); // reserved
  if (!sortByKey(order))
    return false;
  for (const Keyed &one : order)
    sorted.push(out[one.value]); // reserved
  out.swap(sorted);
  return true;
}

// A function of one instruction is entered and left at the same place. It keeps
// its entry.
bool Reader::keepOnePerPlace() {
  size_t kept = 0;
  for (const CodeSite &site : out) {
    if (!kept || out[kept - 1].at != site.at)
      out[kept++] = site;
    else if (site.kind == TPRT_KIND_ENTRY)
      out[kept - 1] = site;
  }
  return out.resize(kept);
}

// An exit whose bytes an entry's jump ends in has no means: without its entry a
// function would be of less use.
void Reader::dropExitsBehindEntries() {
  for (size_t i = 0; i < out.size(); ++i) {
    const CodeSite &entry = out[i];
    if (entry.means != Means::Pun || entry.kind != TPRT_KIND_ENTRY)
      continue;
    for (size_t k = i + 1; k < out.size() && out[k].at < entry.at + kJumpBytes;
         ++k)
      if (out[k].means != Means::None && out[k].kind != TPRT_KIND_ENTRY &&
          !out[k].isInside) {
        out[k].means = Means::None;
        out[k].refusal = TPRT_REFUSAL_ROOM;
      }
  }
}

// Where a pun's jump leads depends on the bytes behind its instruction. If some
// other site changes one of these, the instruction gets no pun.
bool Reader::dropDependentPuns() {
  Array<Keyed> changed; // starts and ends, in order
  auto add = [&](uint32_t start, uint32_t bytes) {
    return changed.push({start, start + bytes});
  };
  for (const CodeSite &site : out) {
    uint32_t bytes = site.means == Means::Hop    ? 2
                     : site.means == Means::Trap ? 1
                     : site.means == Means::Pun  ? changedBytes(site)
                                                 : kJumpBytes;
    // A call inside a function does not change as long as the pun is on
    // (core/skips.cpp).
    if (site.means != Means::None && !site.isInside && !add(site.at, bytes))
      return false;
    if (site.means == Means::Hop && !add(site.slot, kDeadBytes))
      return false;
  }
  for (size_t i = 0; i < view.keptCount; ++i)
    if (!add(view.kept[i], kJumpBytes))
      return false;
  if (!sortByKey(changed))
    return false;
  size_t first = 0;
  for (CodeSite &site : out) {
    uint32_t from = site.at + site.own, to = site.at + kJumpBytes;
    // No range is longer than a jump.
    while (first < changed.size() && changed[first].key + kJumpBytes <= from)
      ++first;
    for (size_t i = first; i < changed.size() && changed[i].key < to; ++i)
      if (site.means == Means::Pun && changed[i].value > from)
        site.means = Means::Trap;
  }
  return true;
}

const char *Reader::read() {
  if (const char *fault = decodeAll())
    return fault;
  if (!profilers.prepare())
    return kNoMemory;
  // Returns that need but the dead bytes behind them come first: there are
  // others for the entries, which come next. A function without its entry is of
  // less use than one without one of its exits.
  Array<Exit> others;
  if (!others.reserve(exits.size()))
    return kNoMemory;
  for (const Exit &exit : exits)
    if (!hasDeadBehind(exit))
      others.push(exit); // reserved
    else if (!addExit(exit))
      return kNoMemory;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!addEntry(i))
      return kNoMemory;
  for (const Exit &exit : others)
    if (!addExit(exit))
      return kNoMemory;
  for (const Exit &call : calls)
    if (!addCall(call))
      return kNoMemory;
  if (!sortSites() || !keepOnePerPlace())
    return kNoMemory;
  dropExitsBehindEntries();
  return dropDependentPuns() ? nullptr : kNoMemory;
}

// --- single instructions ----------------------------------------------------

// Whether a sled of XRay's is there, or lies around the offset.
bool Reader::isInXRay(uint32_t offset) const {
  for (uint32_t back = 0; back < kXRayBytes && back <= offset; ++back)
    if (isXRay(offset - back))
      return true;
  return false;
}

// Chooses how an instruction inside a function becomes a jump. Dead bytes are
// found and not taken: whoever is turned on first takes them (core/inner.cpp).
void Reader::chooseInside(CodeSite &site, const Instruction &code) const {
  constexpr uint8_t kCall = 0xe8;
  uint32_t inWord = (view.origin + site.at) % 8;
  auto refuse = [&](tprt_refusal reason) {
    site.refusal = static_cast<uint8_t>(reason);
  };
  bool isNearCall =
      code.flow == Flow::Call && code.length == 5 && site.code[0] == kCall;
  // The four bytes of its distance lie in one word. Other calls get no trap
  // either: a copy of a call would leave the copy's address on the stack.
  bool isCall = isNearCall && (inWord + 1) % 8 <= 4;
  if (code.flow == Flow::Bound || code.flow == Flow::Stop ||
      code.flow == Flow::ShortBranch || code.flow == Flow::LandingPad ||
      (code.flow == Flow::Call && !isCall))
    return refuse(TPRT_REFUSAL_INSTRUCTION);
  if (isTarget(site.at + 1, site.at + site.length))
    return refuse(TPRT_REFUSAL_BRANCH);
  if (isInXRay(site.at))
    return refuse(TPRT_REFUSAL_XRAY);
  site.own = site.length;
  if (isCall) {
    site.means = Means::Call;
    return;
  }
  if (site.own >= kJumpBytes && inWord + kJumpBytes <= 8) {
    site.means = Means::Jump;
    return;
  }
  if (site.own >= 2 && inWord <= 6) {
    uint32_t from = site.at + 2, low = from > 128 ? from - 128 : 1;
    if ((site.slot = dead.findNear(low, from + 127, kDeadBytes))) {
      memcpy(site.dead, at(site.slot), kDeadBytes);
      site.means = Means::Hop;
      // For when these bytes are taken.
      bool fits =
          room(site.at, kJumpBytes) == kJumpBytes &&
          !endsInKept(site, site.own < 8 - inWord ? site.own : 8 - inWord);
      site.starts = fits ? startsBehind(site) : kNoPun;
      return;
    }
  }
  choosePun(site);
  if (site.means == Means::Pun && endsInKept(site, site.own))
    site.means = Means::Trap;
}

// Whether a jump from there, of which the first `own` bytes are the site's,
// ends in bytes of a sled.
bool Reader::endsInKept(const CodeSite &site, uint32_t own) const {
  size_t i = partitionPoint(0, view.keptCount, [&](size_t k) {
    return view.kept[k] + kJumpBytes <= site.at + own;
  });
  return i < view.keptCount && view.kept[i] < site.at + kJumpBytes;
}

// Whether an entry or an exit is there that can be probed.
bool Reader::isSite(uint32_t offset) const {
  size_t i = partitionPoint(0, out.size(),
                            [&](size_t k) { return out[k].at < offset; });
  return i < out.size() && out[i].at == offset && out[i].means != Means::None &&
         !out[i].isInside;
}

// Adds the instructions of a function, or of a part of one, without padding.
bool Reader::addInside(uint32_t index, InnerCode &inside) {
  const Function &f = functions[index];
  uint32_t function = functions[parents[index]].start;
  if (!inside.extents.push({f.start, f.end, function}))
    return false;
  bool ended = false;
  Instruction code = {};
  for (uint32_t offset = f.start; offset < f.end; offset += code.length) {
    if (!decodeAt(offset, f.end, code))
      return true;
    bool isDead = ended && code.isPadding && code.length > 1 &&
                  !isTarget(offset, offset + 1);
    ended = isDead || code.ends();
    if (isDead || isSite(offset))
      continue;
    CodeSite site = {};
    site.at = offset;
    site.function = function;
    site.kind = TPRT_KIND_INSTRUCTION;
    describe(site, code);
    if (!isKnown(index))
      site.refusal = TPRT_REFUSAL_DECODE;
    else if (isReversed(index)) // A handler is to find the flag clear.
      site.refusal = TPRT_REFUSAL_INSTRUCTION;
    else
      chooseInside(site, code);
    if (!inside.sites.push(site))
      return false;
  }
  return true;
}

const char *Reader::readInside(const uint32_t *offsets, size_t count,
                               InnerCode &inside) {
  if (const char *fault = read())
    return fault;
  Array<uint8_t> asked;
  if (!asked.resize(functions.size()))
    return kNoMemory;
  for (size_t i = 0; i < count; ++i)
    if (size_t of = functionAt(offsets[i]); of < functions.size())
      asked[parents[of]] = 1;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (asked[parents[i]] && !functions[i].isSignalFrame &&
        !addInside(i, inside))
      return kNoMemory;
  inside.dead.swap(dead);
  return nullptr;
}

const char *readInstructions(const CodeView &view, const uint32_t *offsets,
                             size_t count, InnerCode &inside) {
  Array<CodeSite> sites;
  return Reader(view, sites).readInside(offsets, count, inside);
}

const char *readSites(const CodeView &view, Array<CodeSite> &out) {
  return Reader(view, out).read();
}

} // namespace tprt
