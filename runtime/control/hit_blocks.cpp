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
// another block than the point's sled. The block of the sled gets a sum then
// that it cannot have, and has not had in the reading before.
void HitBlocks::stirPoints(uint32_t branch) {
  const Module *module = sites[branch].module();
  const Points &points = *module->pointGroups;
  const PointGroup &group = points.groups[sites[branch].pointGroup];
  for (uint32_t at = group.sleds; at < group.branches; ++at) {
    const uint32_t block = blockOf(module->firstSite + points.places[at]);
    constexpr uint64_t kStirred = uint64_t{1} << 63;
    if (isQuiet(block))
      now[block] = kStirred + (toldOf(block) == kStirred);
  }
}

bool HitBlocks::begin(const ToolGroup &group) {
  if (toldEpoch != epoch)
    forget();
  toldEpoch = epoch;
  now.clear();
  if (!now.resize((siteCount + kBlockSites - 1) / kBlockSites))
    return false;
  sumBlocks(now.begin(), now.size());
  visitProbes(group, [&](const tprt_probe *probe) {
    for (const BranchCount &count : probe->branches)
      if (!isQuiet(blockOf(count.branch)))
        stirPoints(count.branch);
  });
  return true;
}

// Hits that came after begin() make a block's next sum another one.
void HitBlocks::finish() {
  now.swap(told);
  now.clear();
}

} // namespace tprt
