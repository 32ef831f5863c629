// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which gates the plan of gates refuses. The gate is a nop in a buffer.
#include "patch/patch.h"
#include "text/jump_islands.h"

#include <gtest/gtest.h>

#include <elf.h>

using namespace tprt;

namespace {
// Plans to open a gate at this offset in an aligned word, whose target and
// landing are in reach.
tprt_refusal planAt(uint32_t offset) {
  alignas(64) uint8_t code[64] = {};
  memcpy(code + 16 + offset, &kLongNop, 5);
  EXPECT_TRUE(initialise());
  Module module{};
  module.number = 500; // nobody's, and in the first page of moduleAt
  moduleAt[module.number] = &module;
  module.firstSite = 100; // nobody's, and in the first page of sites
  module.siteCount = 1;
  module.origin = reinterpret_cast<uint64_t>(code);
  EXPECT_TRUE(module.mappings.push(
      {module.origin, module.origin + sizeof code, PF_R | PF_X, false}));
  tprt_site &gate = sites[module.firstSite] = tprt_site{};
  gate.moduleNumber = module.number;
  gate.event.kind = kGate;
  gate.sledAt = 16 + offset;
  gate.traits = TPRT_RECORD_TRAITS(0, TPRT_SHAPE_LONG);
  gate.size = kPointSledBytes;
  Landing landing{};
  landing.count = 1;
  landing.bits = kLongBits;
  landing.kind = kTargets;
  landing.displacement = 0x0012441f;
  landing.start = landingAt(gate.sledAt + module.origin, landing.displacement) &
                  ~(pageBytes() - 1);
  EXPECT_TRUE(landing.pages.resize(2));
  StubRegion region{};
  region.count = 1;
  region.landings = &landing;
  module.stubs = &region;
  TextWriter writer = TextWriter::of(&module, gate, gate);
  tprt_refusal refusal = planGate(gate, GateState::Open, writer).refusal;
  gate = tprt_site{};
  return refusal;
}
} // namespace

TEST(Gate, AcrossTwoWordsIsRefused) {
  for (uint32_t offset = 0; offset < 8; ++offset)
    EXPECT_EQ(planAt(offset),
              offset <= 3 ? TPRT_REFUSAL_NONE : TPRT_REFUSAL_ALIGNMENT)
        << offset;
}
