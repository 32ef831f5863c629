// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hit_blocks.h.
#include "control/hit_blocks.h"
#include "control/probe_group.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "modules/point_groups.h"

namespace tprt {

// The hits of a point may be counted at its static branch, which may be in
// another block than the point's sled. Then the block of the sled gets an
// impossible sum, which also differs from that of the previous reading.
void HitBlocks::stirPoints(uint32_t branch) {
  const Module *module = sites[branch].module();
  const Points &points = *module->pointGroups;
  const PointGroup &group = points.groups[sites[branch].pointGroup];
  for (uint32_t at = group.sleds; at < group.branches; ++at) {
    const uint32_t block = blockOf(module->firstSite + points.places[at]);
    constexpr uint64_t kStirred = uint64_t{1} << 63;
    if (isQuiet(block))
      blocks[block].now = kStirred + (blocks[block].before == kStirred);
  }
}

bool HitBlocks::begin(const ToolGroup &group, const CounterSet &of) {
  if (toldEpoch != epoch)
    forget();
  toldEpoch = epoch;
  const size_t all = (siteCount + kBlockSites - 1) / kBlockSites;
  if (blocks.size() < all && !blocks.resize(all))
    return false;
  for (Block &block : blocks)
    block.now = 0;
  static_assert(sizeof(Block) % sizeof(uint64_t) == 0);
  sumBlocks(&blocks.begin()->now, sizeof(Block) / sizeof(uint64_t),
            blocks.size(), of);
  visitProbes(group, [&](const tprt_probe *probe) {
    for (const BranchCount &count : probe->branches)
      if (!isQuiet(blockOf(count.branch)))
        stirPoints(count.branch);
  });
  return true;
}

// Hits after begin() change a block's next sum.
void HitBlocks::finish() {
  for (Block &block : blocks)
    block.before = block.now;
}

void HitBlocks::forget() {
  for (Block &block : blocks)
    block.before = 0;
}

// Sites may have come since begin().
uint64_t *HitBlocks::toldOf(uint32_t site) {
  if (blockOf(site) >= blocks.size() && !blocks.resize(blockOf(site) + 1))
    return nullptr;
  Block &block = blocks[blockOf(site)];
  if (!block.counts) {
    if (!told.resize(told.size() + kBlockSites))
      return nullptr;
    block.counts = told.size() / kBlockSites;
  }
  return &told[(block.counts - 1) * kBlockSites + site % kBlockSites];
}

} // namespace tprt
