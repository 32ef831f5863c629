// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds breakpoints that other programs have set, and code that the program has
// written; see foreign_breakpoints.h. Called under the lock.
//
// Setting a breakpoint gives the process a private copy of the page. Few pages
// of code are private copies, so only these are compared with the file.
#include "elf/foreign_breakpoints.h"
#include "base/os_memory.h"
#include "base/os_text.h"
#include "base/page_size.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/elf_file.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

namespace {
// At most a page of a section's code: as in memory, without libtprt's changes,
// and as in the file.
struct Comparison {
  Array<uint8_t> now, before;

  bool reserve() {
    return now.resize(pageBytes()) && before.resize(pageBytes());
  }
  bool differsAt(size_t at, size_t bytes) const {
    return memcmp(&now[at], &before[at], bytes) != 0;
  }
  bool isSame(size_t from, size_t to) const;
  bool isBreakpoint(size_t at, size_t bytes) const;
};
} // namespace

// Whether breakpoints are the only difference between these bytes and the
// file's.
bool Comparison::isSame(size_t from, size_t to) const {
  for (; from < to; from += kCodeAlignment)
    if (differsAt(from, kCodeAlignment) && !isBreakpointAt(&now[from]))
      return false;
  return true;
}

// The program may also have changed its own code, which may then contain any
// bytes. So the bytes on both sides of a breakpoint must be the file's.
bool Comparison::isBreakpoint(size_t at, size_t bytes) const {
  constexpr size_t kNear = 4;
  size_t from = at > kNear ? at - kNear : 0, to = at + kCodeAlignment + kNear;
  return differsAt(at, kCodeAlignment) && isBreakpointAt(&now[at]) &&
         isSame(from, to < bytes ? to : bytes);
}

// Reads memory at [start, end), which lies in one page, and undoes libtprt's
// changes in the copy.
TPRT_CODE_ACCESS static bool readCode(uint64_t start, uint64_t end,
                                      uint64_t origin,
                                      const Array<CodePatch> &own,
                                      size_t ownCount, uint8_t *out) {
  if (!isReadable(reinterpret_cast<const void *>(start)))
    return false;
  memcpy(out, reinterpret_cast<const void *>(start), end - start);
  size_t i = partitionPoint(
      0, ownCount, [&](size_t at) { return origin + own[at].at < start; });
  for (; i < ownCount && origin + own[i].at < end; ++i)
    out[origin + own[i].at - start] = own[i].value;
  return true;
}

// Adds the breakpoints in one page of a section, and all other bytes that
// differ from the file. An item of `written` covers its byte and the next four.
// Returns false if there is no memory.
static bool addIn(const Module *module, const ElfFile &file, uint64_t start,
                  uint64_t end, uint64_t offset, size_t ownCount,
                  Comparison &code, Array<CodePatch> &patches,
                  Array<uint32_t> &written) {
  constexpr uint32_t kCovered = 5;
  size_t bytes = (end - start) / kCodeAlignment * kCodeAlignment;
  if (!readCode(start, end, module->origin, patches, ownCount,
                code.now.begin()) ||
      !file.readAt(code.before.begin(), bytes, offset) ||
      !code.differsAt(0, bytes))
    return true;
  for (size_t at = 0; at < bytes; at += kCodeAlignment) {
    if (!code.differsAt(at, kCodeAlignment))
      continue;
    auto place = static_cast<uint32_t>(start + at - module->origin);
    if (!code.isBreakpoint(at, bytes)) {
      bool isCovered = !written.empty() && place >= written.end()[-1] &&
                       place - written.end()[-1] < kCovered;
      if (!isCovered && !written.push(place))
        return false;
      continue;
    }
    for (uint32_t i = 0; i < kCodeAlignment; ++i)
      if (!patches.push({place + i, code.before[at + i]}))
        return false;
  }
  return true;
}

bool addBreakpoints(const Module *module, Array<CodePatch> &patches,
                    Array<uint32_t> &written) {
  Array<Extent> copied;
  for (const Segment &s : module->segments)
    if (s.flags & PF_X && !findCopiedPages({s.start, s.end}, copied))
      return false;
  if (copied.empty())
    return true;
  const ElfFile file(module);
  const size_t ownCount = patches.size();
  Comparison code;
  if (!code.reserve())
    return false;
  for (const Extent &pages : copied)
    for (const Elf64_Shdr &s : file.sections()) {
      if (!(s.sh_flags & SHF_EXECINSTR) || s.sh_type != SHT_PROGBITS)
        continue;
      const uint64_t low = module->base + s.sh_addr, high = low + s.sh_size;
      uint64_t at = low > pages.start ? low : pages.start;
      while (at < high && at < pages.end) {
        uint64_t end = (at & ~(pageBytes() - 1)) + pageBytes();
        end = end < high ? end : high;
        if (!addIn(module, file, at, end, s.sh_offset + (at - low), ownCount,
                   code, patches, written))
          return false;
        at = end;
      }
    }
  heapSort(patches.begin(), patches.size(),
           [](const CodePatch &a, const CodePatch &b) { return a.at < b.at; });
  return true;
}

} // namespace tprt
