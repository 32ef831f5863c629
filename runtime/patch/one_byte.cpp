// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites without sleds get jumps that change the first byte of their instruction
// alone, where there is room. Called under the lock.
//
// The problem: a uprobe may come and go while such a site is on
// (uprobe_yield.h), and nothing tells libtprt of it. The solution: where only
// the first byte differs, whoever puts it back makes the instruction whole. But
// such a jump leads to one address alone, which may be somebody's. So this is
// tried when a site is turned on for the first time, and the others are looked
// after in uprobe_yield.cpp.
#include "code/code_modules.h"
#include "patch/overlap.h"
#include "patch/patch.h"
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

// A pun's jump ends in bytes of its neighbours. The reader has left room for
// entries and exits beside one another, but not for single instructions.
static bool hasInstructions(const Batch &batch) {
  const Array<uint32_t> &all = batch.probe->sites;
  for (size_t i = batch.first; i < all.size(); ++i)
    if (sites[all[i]].isInstruction())
      return true;
  return false;
}

// Whether the four bytes after the site's first one, which end its jump, are
// still those that the reader found, and no breakpoint is there. If so, the
// site has a better jump.
TPRT_CODE_ACCESS static bool isUntouchedBehind(const tprt_site &site,
                                               const TextWriter &writer) {
  constexpr size_t kBehind = 4; // all but the first of a jump's bytes
  return writer.judge(extentOf(site, writer.module->origin)) ==
             TPRT_REFUSAL_NONE &&
         memcmp(site.sled() + 1, codeOf(site).code + 1, kBehind) == 0;
}

// Other sites, of this batch or a later one, have no other means than a pun.
static void dropBehind(Array<Taken> &taken, size_t spare) {
  for (size_t i = spare; i < taken.size(); ++i)
    leaveOneByte(*taken[i].site, taken[i].before);
  if (taken.size() > spare)
    taken.resize(spare); // shorter
}

// Short jumps of the batch stay what they are now.
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
      // The others that were taken get their islands.
      if (!isUntouchedBehind(site, group.writer) || !taken.push(one))
        leaveOneByte(site, one.before);
    }
  if (taken.empty())
    return;
  countPuns();
  dropBehind(taken, sparePuns());
  if (taken.empty())
    return;
  expectPuns();
  for (const Taken &one : taken) {
    if (sparePuns()) // a pun may take several
      reservePunOf(*one.site, one.region, true);
    const Array<uint64_t> &puns = one.site->module()->puns;
    if (puns.empty() || !puns[placeOf(*one.site)])
      leaveOneByte(*one.site, one.before);
  }
}

} // namespace tprt
