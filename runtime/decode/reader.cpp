// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sites in a module's code; see reader.h.
#include "decode/reader.h"
#include "base/search.h"
#include "base/sort.h"
#include "decode/instruction_sites.h"
#include "tprt/tprt.h"

#include <string.h>

namespace tprt {

void SiteReader::describe(CodeSite &site, const Instruction &code) const {
  site.length = code.length;
  site.field = code.field;
  site.fieldBytes = code.fieldBytes;
  memcpy(site.code, at(site.at), room(site.at, sizeof site.code));
}

// Adds the site at the beginning of a function, after its landing pad.
bool SiteReader::addEntry(uint32_t index) {
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
  site.keepsBelow = mayKeepBelow(index);
  site.profiler = profilers.of(site.at, code);
  if (!isKnown(index))
    site.refusal = TPRT_REFUSAL_DECODE;
  else if (isXRay(site.at, f.start))
    site.refusal = TPRT_REFUSAL_XRAY;
  else if (leadsInto(site.at, index) || leadsInto(f.start, index))
    site.refusal = TPRT_REFUSAL_BRANCH;
  else
    chooseEntry(site, code, index);
  return out.push(site);
}

bool SiteReader::addExit(const Exit &exit) {
  const Function &f = functions[exit.function];
  const Function &of = functions[parents[exit.function]];
  Instruction code;
  if (f.isSignalFrame || of.isSignalFrame || !decodeAt(exit.at, f.end, code))
    return true;
  const uint32_t from = seeThroughThunk(exit, code);
  uint32_t next = exit.at + code.length;
  if ((code.flow == Flow::Jump || code.flow == Flow::Branch) &&
      !leavesTo(exit.function, next + static_cast<uint32_t>(code.distance)))
    return true;
  Way way = Way::Leaves;
  if (code.flow == Flow::JumpMemory || code.isIndirect())
    way = wayOf(exit.function, from, code);
  if (way == Way::Stays)
    return true;
  CodeSite site = {};
  site.at = exit.at;
  site.function = of.start;
  site.kind = code.flow == Flow::Return ? TPRT_KIND_EXIT : TPRT_KIND_TAIL_EXIT;
  describe(site, code);
  site.keepsBelow = mayKeepBelow(exit.function, from, code);
  site.changesStack = code.flow == Flow::JumpRegister &&
                      isStackChanged(exit.function, exit.at, code.target);
  site.profiler = profilers.of(exit.at, code);
  if (!isKnown(exit.function))
    site.refusal = TPRT_REFUSAL_DECODE;
  else if (isXRay(exit.at, f.start))
    site.refusal = TPRT_REFUSAL_XRAY;
  else if (way == Way::Unknown)
    site.refusal = TPRT_REFUSAL_SWITCH;
  else
    choose(site, code);
  return out.push(site);
}

// The beginning of a function, after its landing pad.
uint32_t SiteReader::entryOf(uint32_t index) const {
  const Function &f = functions[index];
  Instruction code;
  bool any = decodeAt(f.start, f.end, code);
  return f.start + (any && code.flow == Flow::LandingPad ? code.length : 0);
}

// Adds the site of a profiler's call inside a function. If the call is at the
// function's entry, it already has a site. If other functions were inlined into
// a function, it also contains their calls.
bool SiteReader::addCall(const Exit &call) {
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

// Makes item i the former item number order[i].value. A second array of sites
// would cost more, because of its fresh memory, than moving each site in place.
static void reorder(Array<CodeSite> &sites, Array<Keyed> &order) {
  for (uint32_t i = 0; i < sites.size(); ++i) {
    if (order[i].value == i)
      continue;
    const CodeSite first = sites[i];
    uint32_t to = i;
    for (uint32_t from; (from = order[to].value) != i; to = from) {
      sites[to] = sites[from];
      order[to].value = to;
    }
    sites[to] = first;
    order[to].value = to;
  }
}

// Sorts the sites by address. Keys are sorted instead of sites, because sites
// are much larger.
bool SiteReader::sortSites() {
  Array<Keyed> order;
  if (!order.reserve(out.size()))
    return false;
  for (uint32_t i = 0; i < out.size(); ++i)
    order.push({out[i].at, i}); // reserved
  if (!sortByKey(order))
    return false;
  reorder(out, order);
  return true;
}

// If a function has only one instruction, its entry and exit are at the same
// address. In that case only the entry is kept.
bool SiteReader::keepOnePerPlace() {
  size_t kept = 0;
  for (const CodeSite &site : out) {
    if (!kept || out[kept - 1].at != site.at)
      out[kept++] = site;
    else if (site.kind == TPRT_KIND_ENTRY)
      out[kept - 1] = site;
  }
  return out.resize(kept);
}

const char *SiteReader::read() {
  if (const char *fault = decodeAll())
    return fault;
  if (!profilers.prepare())
    return kNoMemory;
  // A function's entry is more useful than any of its exits. So the means of
  // entries are chosen before those of most exits.
  Array<Exit> others;
  const size_t most = exits.size() + functions.size() + calls.size();
  if (!others.reserve(exits.size()) || !out.reserve(most))
    return kNoMemory;
  for (const Exit &exit : exits)
    if (!choosesFirst(exit))
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
  return settle() ? nullptr : kNoMemory;
}

// --- single instructions ----------------------------------------------------

// Whether there is an entry or an exit that can be probed.
bool SiteReader::isSite(uint32_t offset) const {
  size_t i = partitionPoint(0, out.size(),
                            [&](size_t k) { return out[k].at < offset; });
  return i < out.size() && out[i].at == offset && out[i].means != Means::None &&
         !out[i].isInside;
}

// Adds the instructions of a function, or of a part of one, without padding.
bool SiteReader::addInside(uint32_t index, InnerCode &inside) {
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
    else if (isReversed(index) || // A handler must find the direction flag
                                  // clear.
             isInSequence(offset))
      site.refusal = TPRT_REFUSAL_INSTRUCTION;
    else
      chooseInside(site, code);
    if (!inside.sites.push(site))
      return false;
  }
  return true;
}

const char *SiteReader::readInside(const uint32_t *offsets, size_t count,
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
  return SiteReader(view, sites).readInside(offsets, count, inside);
}

const char *readSites(const CodeView &view, Array<CodeSite> &out) {
  return SiteReader(view, out).read();
}

constexpr CodeReader kCodeReader = {sizeof(CodeReader), kCodeReaderVersion,
                                    kNoMemory, readSites, readInstructions};

} // namespace tprt
