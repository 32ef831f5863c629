// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the flip engine's two plans. In every state of a site the quick plan
// (core/quickflip.h) must say what the full plan (core/siteplan.cpp) says, or
// that it does not know.
#include "core/lock.h"
#include "core/quickflip.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace {

using namespace tprt;

// How often the quick plan gave each need.
using Needs = std::map<Need, size_t>;

std::vector<const tprt_site *> allSites() {
  std::vector<const tprt_site *> Sites;
  auto Collect = [](const tprt_site *Site, void *To) {
    static_cast<std::vector<const tprt_site *> *>(To)->push_back(Site);
    return 0;
  };
  EXPECT_EQ(tprt_site_visit(nullptr, Collect, &Sites), TPRT_STATUS_OK);
  return Sites;
}

// An action that calls a handler which does nothing.
tprt_action callAction() {
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_CALL;
  Action.handler = [](const tprt_event *, const tprt_regs *, void *) {};
  return Action;
}

void expectSame(const SitePlan &Full, const QuickPlan &Quick) {
  ASSERT_EQ(Quick.need, Full.need);
  EXPECT_EQ(Quick.site, Full.site);
  EXPECT_EQ(Quick.data, Full.data);
  EXPECT_EQ(Quick.before, Full.before);
  EXPECT_EQ(Quick.chain, Full.chain);
  if (Quick.need == Need::ChainOnly)
    return;
  EXPECT_EQ(Quick.way, Full.ways.wanted);
  EXPECT_EQ(Quick.toggle.address, Full.toggle.address);
  EXPECT_EQ(Quick.toggle.on, Full.toggle.on);
  EXPECT_EQ(Quick.toggle.off, Full.toggle.off);
  EXPECT_EQ(Quick.toggle.bytes, Full.toggle.bytes);
  EXPECT_EQ(Quick.toggle.now, Full.toggle.now);
  if (Quick.need != Need::Slot)
    return;
  EXPECT_EQ(Quick.slot.address, Full.slot.address);
  EXPECT_EQ(Quick.slot.code, Full.slot.code);
  EXPECT_EQ(Quick.slot.bytes, Full.slot.bytes);
  EXPECT_EQ(Quick.slot.state, Full.slot.state);
}

// Plans all sites of the probe in both ways, as the first pass of a batch in
// this direction does.
template <Direction direction> Needs comparePlans(tprt_probe *Probe) {
  Lock Held;
  tprt_result Result = {};
  Batch All{Probe, direction, direction == Direction::On ? &Result : nullptr};
  Needs Seen;
  Stretch Near{};
  EXPECT_TRUE(All.open());
  if (direction == Direction::On) {
    EXPECT_TRUE(All.prepareStubs());
  }
  for (Group &Each : All.groups)
    for (size_t I = Each.begin; I < Each.end; ++I) {
      SitePlan Full = All.planOf(I, Each);
      uint32_t Index = Probe->sites[I];
      if (!All.isUsual(Each) || !Near.reaches(Each.module, Index))
        continue;
      QuickPlan Quick = Near.plan<direction>(All.cache, Index);
      ++Seen[Quick.need];
      if (Quick.need != Need::Unknown)
        expectSame(Full, Quick);
    }
  return Seen;
}

// Plans as an attach to these sites would, with a probe that is on at no site.
Needs compareAttach(const std::vector<const tprt_site *> &Sites) {
  tprt_probe *Probe = nullptr;
  {
    Lock Held;
    Probe = makeProbe();
    Probe->action = callAction();
    for (const tprt_site *Site : Sites)
      EXPECT_TRUE(Probe->sites.push(indexOf(Site)));
  }
  Needs Seen = comparePlans<Direction::On>(Probe);
  freeProbe(Probe);
  return Seen;
}

tprt_probe *attach() {
  tprt_selector Everything = {};
  Everything.kinds = TPRT_KIND_SET_ALL;
  tprt_action Action = callAction();
  tprt_probe *Probe = nullptr;
  tprt_probe_attach(&Everything, &Action, &Probe, nullptr);
  EXPECT_TRUE(Probe) << tprt_error_string();
  return Probe;
}

TEST(Plan, QuickPlanIsTheFullPlanAtEverySite) {
  std::vector<const tprt_site *> Sites = allSites();
  ASSERT_FALSE(Sites.empty());
  // The sites are off. If this test runs first, they were never on.
  Needs Fresh = compareAttach(Sites);
  EXPECT_GT(Fresh[Need::Slot] + Fresh[Need::Landing] + Fresh[Need::Toggle], 0u);
  tprt_probe *First = attach();
  ASSERT_TRUE(First);
  // The first probe has enabled the sites, and a second one attaches.
  EXPECT_GT(compareAttach(Sites)[Need::ChainOnly], 0u);
  EXPECT_GT(comparePlans<Direction::Off>(First)[Need::Toggle], 0u);
  tprt_probe *Second = attach();
  ASSERT_TRUE(Second);
  // The sites stay on for the other probe.
  EXPECT_GT(comparePlans<Direction::Off>(First)[Need::ChainOnly], 0u);
  EXPECT_EQ(tprt_probe_detach(Second, -1), TPRT_STATUS_OK);
  EXPECT_EQ(tprt_probe_detach(First, -1), TPRT_STATUS_OK);
  // The sites are off, with everything prepared.
  Needs Prepared = compareAttach(Sites);
  EXPECT_GT(Prepared[Need::Toggle], 0u);
  EXPECT_EQ(Prepared[Need::Slot] + Prepared[Need::Landing], 0u);
}

} // namespace
