// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If there is room, sites without sleds get jumps that change only the first
// byte of the instruction. Called under the lock.
//
// The problem: a uprobe may be set and removed while such a site is on
// (uprobe_yield.h), and libtprt is not notified. The solution: if only the
// first byte differs, the removal of the uprobe restores the whole instruction.
// But such a jump leads to a single address, which may be in use. So this is
// tried when a site is turned on for the first time. Sites without such a jump
// are handled by uprobe_yield.cpp.
#include "code/code_modules.h"
#include "patch/batch.h"
#include "patch/overlap.h"
#include "text/pun_islands.h"

#include <string.h>

namespace tprt {

namespace {
struct Taken {
  const tprt_site *site;
  const StubRegion *region;
  CodeSite before;
};
} // namespace

// Whether the batch has sites at single instructions. A pun's jump ends in
// bytes of the next instructions. The reader has left room between entries and
// exits, but not between single instructions.
static bool hasInstructions(const Batch &batch) {
  const Array<uint32_t> &all = batch.probe->sites;
  for (size_t i = batch.first; i < all.size(); ++i)
    if (sites[all[i]].isInstruction())
      return true;
  return false;
}

// Whether the four bytes after the site's first byte, in which the jump ends,
// are unchanged since the reader read them, and have no breakpoint.
TPRT_CODE_ACCESS static bool isUntouchedAfter(const tprt_site &site,
                                              const TextWriter &writer) {
  constexpr size_t kAfter = 4; // a jump's bytes after the first byte
  return writer.judge(extentOf(site, writer.module->origin)) ==
             TPRT_REFUSAL_NONE &&
         memcmp(site.sled() + 1, codeOf(site).code + 1, kAfter) == 0;
}

// Undoes takeOneByte() for all sites except the first `spare` sites, because
// other sites, of this batch or a later batch, can only have a pun.
static void dropAfter(Array<Taken> &taken, size_t spare) {
  for (size_t i = spare; i < taken.size(); ++i)
    leaveOneByte(*taken[i].site, taken[i].before);
  if (taken.size() > spare)
    taken.resize(spare); // shorter
}

// From now on, all sites of the batch with short jumps keep these.
static void keepShortJumps(const Batch &batch) {
  const Array<uint32_t> &all = batch.probe->sites;
  for (size_t i = batch.first; i < all.size(); ++i)
    if (const tprt_site &site = sites[all[i]];
        site.module()->isCode && codeOf(site).means == Means::ShortJump)
      site.module()->code[placeOf(site)].staysShortJump = true;
}

void Batch::preferOneByte() {
  if (oneByte == OneByte::Preferred)
    takeOneBytes();
  keepShortJumps(*this);
}

void Batch::takeOneBytes() {
  const bool leavesShortJumps = hasInstructions(*this);
  Array<Taken> taken;
  for (const Group &group : groups)
    for (size_t i = group.begin; i < group.end && group.module->isCode &&
                                 group.forAll == TPRT_REFUSAL_NONE;
         ++i) {
      const tprt_site &site = sites[probe->sites[i]];
      const StubRegion *region = regionAt(group.module, placeOf(site));
      Taken one = {&site, region, {}};
      if (!region ||
          (leavesShortJumps && codeOf(site).means == Means::ShortJump) ||
          !takeOneByte(site, one.before))
        continue;
      // Only sites that stay in `taken` get islands.
      if (!isUntouchedAfter(site, group.writer) || !taken.push(one))
        leaveOneByte(site, one.before);
    }
  if (taken.empty())
    return;
  countPuns();
  dropAfter(taken, sparePuns());
  if (taken.empty())
    return;
  expectPuns();
  for (const Taken &one : taken) {
    if (sparePuns()) // a pun may need several
      reservePunOf(*one.site, one.region, true);
    const Array<uint64_t> &puns = one.site->module()->puns;
    if (puns.empty() || !puns[placeOf(*one.site)])
      leaveOneByte(*one.site, one.before);
  }
}

} // namespace tprt
