// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See decode_inputs.h.
#include "code/decode_inputs.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/sort.h"
#include "elf/foreign_breakpoints.h"
#include "elf/symbols.h"
#include "loader/module_list.h"
#include "sites/arch.h"
#include "text/pun_islands.h"
#include "threads/status.h"

namespace tprt {

// The sleds in the same file and their slots, which look like padding. Returns
// false if there is no memory.
static bool findKept(const Module *module, Array<uint32_t> &out) {
  Array<Keyed> order;
  for (const Module *m = modules; m; m = m->next) {
    if (!m->loaded || m->isCode || m->base != module->base)
      continue;
    for (uint32_t i = 0; i < m->siteCount; ++i) {
      const tprt_site &site = sites[m->firstSite + i];
      if (!order.push({site.sledAt, 0}) ||
          (site.isOfFunction() &&
           !order.push({site.functionAt - site.slot, 0})) ||
          (site.event.kind == TPRT_KIND_EXIT &&
           !order.push({site.sledAt + 1, 0})))
        return false;
    }
  }
  if (!sortByKey(order) || !out.reserve(order.size()))
    return false;
  for (const Keyed &one : order)
    out.push(one.key); // reserved
  return true;
}

// Adds the readable parts of a segment. A program may have made pages of its
// code unreadable, and a file may have been truncated. Returns false if there
// is no memory.
static bool addReadable(const Segment &segment, Array<Segment> &out) {
  if (areAllReadable(segment.start & ~(pageBytes() - 1), segment.end))
    return out.push(segment);
  bool joins = false; // The page before this one can be read.
  for (uint64_t at = segment.start; at < segment.end;) {
    uint64_t next = (at & ~(pageBytes() - 1)) + pageBytes();
    uint64_t end = next < segment.end ? next : segment.end;
    bool readable = isReadable(reinterpret_cast<const void *>(at));
    if (readable && joins)
      out[out.size() - 1].end = end;
    else if (readable && !out.push({at, end, segment.flags}))
      return false;
    joins = readable;
    at = end;
  }
  return true;
}

// Lists the memory that the decoder may read. Data that the program writes is
// listed without a check, because reading each page of a large array would
// allocate all its pages. Returns false if there is no memory.
bool findReadable(const Module *module, Array<Segment> &out) {
  uint64_t hidden = 0; // Size of the code in bytes.
  for (const Segment &s : module->segments) {
    size_t first = out.size();
    bool isData = (s.flags & PF_W) && !(s.flags & PF_X);
    if (isData ? !out.push(s) : !addReadable(s, out))
      return false;
    hidden += s.flags & PF_X ? s.end - s.start : 0;
    for (size_t i = first; i < out.size(); ++i)
      hidden -= s.flags & PF_X ? out[i].end - out[i].start : 0;
  }
  if (hidden)
    say(1, "%s: %zu bytes of its code can't be read: no probes there",
        module->path, static_cast<size_t>(hidden));
  return true;
}

// Returns `bytes`, or an empty range if some of them cannot be read.
static Extent ifReadable(const Extent &bytes) {
  if (areAllReadable(bytes.start & ~(pageBytes() - 1), bytes.end))
    return bytes;
  for (uint64_t at = bytes.start; at < bytes.end;
       at = (at & ~(pageBytes() - 1)) + pageBytes())
    if (!isReadable(reinterpret_cast<const void *>(at)))
      return {};
  return bytes;
}

CodeView Hints::view(const Module *module,
                     const Array<Segment> &readable) const {
  return {readable.begin(),
          readable.size(),
          module->origin,
          module->frames,
          module->base == 0,
          oneByte == OneByte::Always,
          ifReadable(module->data),
          ifReadable(module->relocated),
          kept.begin(),
          kept.size(),
          symbols.begin(),
          symbols.size(),
          profilers.words.begin(),
          profilers.words.size(),
          profilers.calls.begin(),
          profilers.calls.size(),
          patches.begin(),
          patches.size()};
}

// Adds code that the program may write.
static bool keepWritable(const Module *module, Array<uint32_t> &out) {
  constexpr uint64_t kCovered = kCodeAlignment > 1 ? kCodeAlignment : 5;
  for (const Segment &s : module->segments)
    for (uint64_t at = s.start; s.flags & PF_W && s.flags & PF_X && at < s.end;
         at += kCovered)
      if (!out.push(static_cast<uint32_t>(at - module->origin)))
        return false;
  return true;
}

bool findHints(Module *module, Hints &hints) {
  hints.kept.clear();
  hints.symbols.clear();
  hints.profilers.words.clear();
  hints.profilers.calls.clear();
  bool memory = findKept(module, hints.kept) &&
                findFunctionSymbols(module, hints.symbols) &&
                findProfilers(module, hints.profilers);
  hints.written.clear();
  memory = memory && addBreakpoints(module, hints.patches, hints.written) &&
           keepWritable(module, hints.written);
  if (!memory || hints.written.empty())
    return memory;
  auto isBefore = [](uint32_t a, uint32_t b) { return a < b; };
  heapSort(hints.written.begin(), hints.written.size(), isBefore);
  if (!hints.kept.append(hints.written.begin(), hints.written.size()))
    return false;
  heapSort(hints.kept.begin(), hints.kept.size(), isBefore);
  return true;
}

} // namespace tprt
