// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which static branches the planning code refuses. The static branch is a
// nop in a buffer.
#include "loader/module_list.h"
#include "patch/batch.h"
#include "text/jump_islands.h"

#include <gtest/gtest.h>

#include <elf.h>

using namespace tprt;

namespace {
// Plans to open a static branch at this offset in an aligned word. Its target
// and island are within reach.
tprt_refusal planAt(uint32_t offset) {
  alignas(64) uint8_t code[64] = {};
  memcpy(code + 16 + offset, &kLongNop, 5);
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
  branch.sledAt = 16 + offset;
  branch.traits = TPRT_RECORD_TRAITS(0, TPRT_SHAPE_LONG);
  branch.size = kPointSledBytes;
  Island island{};
  island.count = 1;
  island.bits = kLongBits;
  island.target = Target::ofBranch();
  island.displacement = 0x0012441f;
  EXPECT_TRUE(island.area.open(
      islandAt(branch.sledAt + module.origin, island.displacement) &
          ~(pageBytes() - 1),
      2 * pageBytes()));
  StubRegion region{};
  region.count = 1;
  region.islands = &island;
  module.stubs = &region;
  TextWriter writer = TextWriter::of(&module, branch, branch);
  Batch batch{nullptr, Direction::On, nullptr};
  tprt_refusal refusal =
      batch.planBranch(branch, BranchState::Open, writer).reason;
  branch = tprt_site{};
  return refusal;
}
} // namespace

TEST(StaticBranch, AcrossTwoWordsIsRefused) {
  for (uint32_t offset = 0; offset < 8; ++offset)
    EXPECT_EQ(planAt(offset),
              offset <= 3 ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_ALIGNMENT)
        << offset;
}
