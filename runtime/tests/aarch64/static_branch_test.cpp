// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which static branches the planning code refuses. The static branch is a
// nop in a buffer.
#include "loader/module_list.h"
#include "patch/batch.h"

#include <gtest/gtest.h>

#include <elf.h>

using namespace tprt;

namespace {
// Plans to open a static branch whose target is this far after it.
tprt_refusal planTo(uint32_t distance) {
  alignas(64) uint32_t code[16];
  for (uint32_t &word : code)
    word = 0xd503201f; // nop
  EXPECT_TRUE(initialise());
  Module module{};
  module.number = 500; // unused, and in the first page of moduleAt
  moduleAt[module.number] = &module;
  module.firstSite = 100; // unused, and in the first page of sites
  module.siteCount = 1;
  module.origin = reinterpret_cast<uint64_t>(code);
  EXPECT_TRUE(module.mappings.push(
      {module.origin, module.origin + sizeof code, PF_R | PF_X, false}));
  tprt_site &branch = sites[module.firstSite] = tprt_site{};
  branch.moduleNumber = module.number;
  branch.event.kind = kStaticBranch;
  branch.sledAt = 16;
  branch.event.flags = branch.sledAt + distance; // targetAt()
  branch.traits = TPRT_RECORD_TRAITS(0, TPRT_SHAPE_WORD);
  branch.size = kPointSledBytes;
  StubRegion region{};
  region.count = 1;
  region.code = module.origin + 0x10000;
  module.stubs = &region;
  TextWriter writer = TextWriter::of(&module, branch, branch);
  Batch batch{nullptr, Direction::On, nullptr};
  tprt_refusal refusal =
      batch.planBranch(branch, BranchState::Open, writer).reason;
  branch = tprt_site{};
  return refusal;
}
} // namespace

TEST(StaticBranch, OutOfReachOfItsTargetIsRefused) {
  constexpr uint32_t kReach = uint32_t{1} << 27;
  EXPECT_EQ(planTo(0x1000), TPRT_REFUSAL_NONE);
  EXPECT_EQ(planTo(kReach - 4), TPRT_REFUSAL_NONE);
  EXPECT_EQ(planTo(kReach), TPRT_REFUSAL_REACH);
  EXPECT_EQ(planTo(kReach * 8), TPRT_REFUSAL_REACH);
}
