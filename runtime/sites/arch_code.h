// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of an architecture about sites in code without sleds; a
// part of the port (arch.h), and included there alone. Callers: the files of
// code/, patch/ and text/.
#ifndef TPRT_SITES_ARCH_CODE_H
#define TPRT_SITES_ARCH_CODE_H

#include "sites/arch_sled.h"
#include "sites/site.h"

namespace tprt {

// The shape of a site in code without sleds (sites/code_site.h). No table
// contains it. codeOf() describes it.
constexpr unsigned TPRT_SHAPE_CODE = 6;
// Writes a copy of the instruction at such a site to `out`, followed by a jump
// to the next instruction. The copy will run at `address`, and has at most
// kDisplacedBytes. With `runsOn`, the copy also contains the instructions after
// it (CodeSite::runBytes). If there is no room for that, or if an operand is
// out of reach from there, returns false and writes nothing.
constexpr size_t kDisplacedBytes = 32;
inline bool isPun(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).means == Means::Pun;
}
// Whether the copy of its instruction also contains the instructions after it.
inline bool runsOn(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).runsOn;
}
// Where the jump of such a site begins.
inline uint64_t jumpOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return reinterpret_cast<uint64_t>(site.sled()) + changedFrom(code) - code.at;
}
inline PunJump punOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return {jumpOf(site), fixedBitsOf(site), code.starts, code.isByWord};
}
// Whether the site is a call of a profiler (elf/mcount_calls.h).
inline bool isProfilerCall(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE &&
         codeOf(site).profiler != Profiler::None;
}
bool writeDisplaced(uint8_t *out, uint64_t address, const tprt_site &site,
                    bool runsOn);
// For a thread `inside` bytes after the beginning of that copy: how far after
// the beginning of the site's instruction the program itself would be. If the
// site has CodeSite::pushes, the distance counts from the end of the pushes.
// Async-signal-safe.
size_t afterInstruction(const tprt_site &site, size_t inside);
// Whether such a site is an entry after pushes (CodeSite::pushes). The hit
// undoes the pushes before it calls the handler.
inline bool isAfterPushes(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && codeOf(site).pushBytes;
}
// Whether the function is left at this site as it was entered: the stack
// pointer and the callee-saved registers have their values at entry again.
inline bool leavesAsEntered(const tprt_site &site) {
  return site.shape() == TPRT_SHAPE_CODE && !codeOf(site).isInside &&
         !codeOf(site).changesStack &&
         (site.event.kind == TPRT_KIND_EXIT ||
          site.event.kind == TPRT_KIND_TAIL_EXIT);
}
// Whether the function may keep data below the stack pointer at this site: at
// single instructions, and if CodeSite::keepsBelow is set.
inline bool keepsBelow(const tprt_site &site) {
  return site.isInstruction() ||
         (site.shape() == TPRT_SHAPE_CODE && codeOf(site).keepsBelow);
}
// The address at which the function of such a site begins.
inline uint64_t beginningOf(const tprt_site &site) {
  const CodeSite &code = codeOf(site);
  return reinterpret_cast<uint64_t>(site.sled()) - code.at + code.function;
}
// Whether no store may exchange the site's instruction while threads execute
// it. Then its page is exchanged (exchangePages() in base/os_text.h).
inline bool needsPageExchange(const tprt_site &site);
// Whether the function has signed its return address before this entry.
inline bool isReturnSigned(const tprt_site &site);
// Chooses the means for an instruction for which no dead bytes are left. Called
// before the site is on for the first time. `origin` is that of its module.
void chooseOtherMeans(CodeSite &code, uint64_t origin);
// The form of such a site if another program's breakpoint is in place of its
// first byte. Off: the site's other bytes are the instruction's. On: they are
// the jump's, and the other bytes of the store that planToggle() has planned
// restore the instruction under the breakpoint. Other: neither, or there is no
// breakpoint, or this site needs no such store.
SledForm formUnderBreakpoint(const tprt_site &site, uint64_t origin,
                             const Ways &ways);
// Fills *toggle, except `on`, for a call of a profiler that is to be off, in
// the form that isSkipped() says. Other refusals than planToggle()'s: a call
// may be skipped that no jump can replace.
tprt_refusal planCallOff(const tprt_site &site, uint64_t origin,
                         const Ways &ways, Toggle *toggle);

} // namespace tprt

#endif
