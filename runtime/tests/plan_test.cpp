// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the flip engine's two plans. In every state of a site the quick plan
// (patch/quick_patch.h) must give the same result as the full plan
// (patch/site_plan.cpp), or the result Refused. After Refused, the full plan is
// used. The same applies to static branches.
#include "actions/record_hook.h"
#include "patch/quick_patch.h"
#include "probes/detach.h"
#include "text/inline_stubs.h"
#include "threads/lock.h"

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
  tprt_selector Everything = {};
  Everything.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  EXPECT_EQ(tprt_site_visit(&Everything, Collect, &Sites), TPRT_STATUS_OK);
  return Sites;
}

// An action that calls an empty handler.
tprt_action callAction() {
  tprt_action Action = {};
  Action.kind = TPRT_ACTION_CALL;
  Action.handler = [](const tprt_event *, const tprt_regs *, void *) {};
  return Action;
}

void expectSameSled(const SitePlan &Full, const SitePlan &Quick) {
  ASSERT_EQ(Quick.need, Full.need);
  EXPECT_EQ(Quick.site, Full.site);
  EXPECT_EQ(Quick.to, Full.to);
  EXPECT_EQ(Quick.toggle.address, Full.toggle.address);
  EXPECT_EQ(Quick.toggle.off, Full.toggle.off);
  EXPECT_EQ(Quick.toggle.bytes, Full.toggle.bytes);
  EXPECT_EQ(Quick.toggle.now, Full.toggle.now);
  // A closed static branch may come from either of its two states.
  if (Quick.to == Direction::On || !Quick.site->isStaticBranch()) {
    EXPECT_EQ(Quick.ways.wanted, Full.ways.wanted);
    EXPECT_EQ(Quick.toggle.on, Full.toggle.on);
  }
  if (Quick.need != Need::Slot)
    return;
  EXPECT_EQ(Quick.slot.address, Full.slot.address);
  EXPECT_EQ(Quick.slot.code, Full.slot.code);
  EXPECT_EQ(Quick.slot.bytes, Full.slot.bytes);
  EXPECT_EQ(Quick.slot.state, Full.slot.state);
}

void expectSame(const SitePlan &Full, const SitePlan &Quick) {
  ASSERT_EQ(Quick.need, Full.need);
  EXPECT_EQ(Quick.site, Full.site);
  EXPECT_EQ(Quick.data, Full.data);
  EXPECT_EQ(Quick.before, Full.before);
  EXPECT_EQ(Quick.actionList, Full.actionList);
  if (Quick.need == Need::ActionListOnly)
    return;
  expectSameSled(Full, Quick);
}

// Plans all sites of the probe with both plans, like the first pass of a batch
// in this direction.
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
      SitePlan Quick = Near.plan<direction>(All.cache, Index);
      ++Seen[Quick.need];
      if (Quick.need != Need::Refused)
        expectSame(Full, Quick);
    }
  return Seen;
}

// Plans a static branch with both plans. Returns whether the quick plan handles
// it.
bool compareBranch(Batch &All, Stretch &Near, tprt_site &StaticBranch,
                   BranchState State, Target Closes, const TextWriter &Writer) {
  Near.closes = Closes;
  SitePlan Quick = Near.planBranch(StaticBranch, State);
  if (Quick.need == Need::Refused)
    return false;
  expectSameSled(All.planBranch(StaticBranch, State, Writer), Quick);
  return true;
}

// How often the quick plan handled a static branch, by the requested state.
// Closed static branches are counted by their target.
struct BranchesKnown {
  size_t Open, Counting, ClosedFromTarget, ClosedFromStub;
};

// Plans all static branches of the probe's sites with both plans.
BranchesKnown compareBranches(tprt_probe *Probe) {
  Lock Held;
  Batch All{Probe, Direction::Off, nullptr};
  EXPECT_TRUE(All.open());
  BranchesKnown Known{};
  for (Group &Each : All.groups)
    for (uint32_t I = 0; I < Each.module->siteCount; ++I) {
      tprt_site &StaticBranch = sites[Each.module->firstSite + I];
      Stretch Near{};
      if (!StaticBranch.isStaticBranch() ||
          !Near.reaches(Each.module, indexOf(&StaticBranch)))
        continue;
      auto Compare = [&](BranchState State,
                         Target Closes = Target::ofBranch()) {
        return compareBranch(All, Near, StaticBranch, State, Closes,
                             Each.writer);
      };
      Known.Open += Compare(BranchState::Open);
      Known.Counting += Compare(BranchState::Counting);
      Known.ClosedFromTarget +=
          Compare(BranchState::Closed, Target::ofBranch());
      Known.ClosedFromStub += Compare(BranchState::Closed, kGeneral);
    }
  return Known;
}

// Plans like an attach to these sites, with a probe that is on at no site.
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

tprt_probe *attach(tprt_action Action = callAction()) {
  tprt_selector Everything = {};
  Everything.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
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
  EXPECT_GT(Fresh[Need::Slot] + Fresh[Need::Island] + Fresh[Need::Toggle], 0u);
  tprt_probe *First = attach();
  ASSERT_TRUE(First);
  // The first probe has enabled the sites, and a second one attaches.
  EXPECT_GT(compareAttach(Sites)[Need::ActionListOnly], 0u);
  EXPECT_GT(comparePlans<Direction::Off>(First)[Need::Toggle], 0u);
  tprt_probe *Second = attach();
  ASSERT_TRUE(Second);
  // The sites stay on for the other probe.
  EXPECT_GT(comparePlans<Direction::Off>(First)[Need::ActionListOnly], 0u);
  EXPECT_EQ(tprt_probe_detach(Second, -1), TPRT_STATUS_OK);
  EXPECT_EQ(tprt_probe_detach(First, -1), TPRT_STATUS_OK);
  // The sites are off, and everything is prepared.
  Needs Prepared = compareAttach(Sites);
  EXPECT_GT(Prepared[Need::Toggle], 0u);
  EXPECT_EQ(Prepared[Need::Slot] + Prepared[Need::Island], 0u);
}

// The stubs that a probe's sleds would use, by whether the site belongs to a
// function.
std::map<Target, size_t> stubsOf(const tprt_action &Action, bool OfFunctions) {
  tprt_probe *Probe = nullptr;
  std::map<Target, size_t> Seen;
  {
    Lock Held;
    Probe = makeProbe();
    Probe->action = Action;
    for (uint32_t I = 0; I < siteCount; ++I)
      if (sites[I].moduleNumber && !sites[I].isStaticBranch() &&
          sites[I].isOfFunction() == OfFunctions)
        EXPECT_TRUE(Probe->sites.push(I));
    tprt_result Result = {};
    Batch All{Probe, Direction::On, &Result};
    EXPECT_TRUE(All.open());
    EXPECT_TRUE(All.prepareStubs());
    for (Group &Each : All.groups)
      for (size_t I = Each.begin; I < Each.end; ++I) {
        SitePlan Plan = All.planOf(I, Each);
        if (Plan.need == Need::Toggle || Plan.need == Need::Slot ||
            Plan.need == Need::Island)
          ++Seen[Plan.via];
      }
  }
  freeProbe(Probe);
  return Seen;
}

// The current word of the site's recording stub; 0 if the stub must not record.
uint32_t wordAt(const tprt_site &Site) {
  const StubRegion *Usual = regionAt(Site.module(), placeOf(Site));
  const StubRegion *Region = Usual ? Usual->kinds[kRecording] : nullptr;
  return Region ? static_cast<uint32_t>(
                      Region->words[placeOf(Site) - Region->first])
                : 0;
}

uint32_t NoWordAt = UINT32_MAX; // an index

struct Recording : testing::Test {
  static constexpr Recorder Own = {
      [](const tprt_event *, const tprt_regs *, void *) {},
      [](const tprt_site &Site, void *) {
        return indexOf(&Site) == NoWordAt ? 0 : indexOf(&Site) << 2 | 1;
      },
      [](const Module *, const uint32_t *, size_t, void *) {},
      [](const Module *) {},
      [](const tprt_event *, const tprt_regs *, void *) {}};
  tprt_action Action = callAction();
  const Recorder *Before = recorder;

  void SetUp() override {
    ASSERT_FALSE(allSites().empty());
    recorder = &Own;
    Action.handler = Own.handler;
  }
  void TearDown() override { recorder = Before; }
};

TEST_F(Recording, SledsOfFunctionsLeadToRecordingStubs) {
  auto Seen = stubsOf(Action, true);
  const Target Wanted = canRecordInStub(sites[0]) ? kRecording : kGeneral;
  EXPECT_GT(Seen[Wanted], 0u);
  EXPECT_EQ(Seen.size(), 1u);
  Seen = stubsOf(Action, false);
  EXPECT_GT(Seen[kGeneral], 0u);
  EXPECT_EQ(Seen.size(), 1u);
}

TEST_F(Recording, OptionsAndOtherHandlersNeedUsualStubs) {
  tprt_action Every = Action, Timed = Action, Counts = {};
  Every.every = 3;
  Timed.flags = TPRT_HANDLER_TIME;
  Counts.kind = TPRT_ACTION_COUNT;
  for (const tprt_action &Each : {Every, Timed, callAction()}) {
    auto Seen = stubsOf(Each, true);
    EXPECT_GT(Seen[kGeneral], 0u);
    EXPECT_EQ(Seen.size(), 1u);
  }
  EXPECT_EQ(stubsOf(Counts, true)[kRecording], 0u);
}

TEST_F(Recording, StubsRecordForTheOnlyActionAlone) {
  const bool Has = canRecordInStub(sites[0]);
  tprt_probe *First = attach(Action);
  ASSERT_TRUE(First);
  const tprt_site &Site = sites[First->sites[0]];
  ASSERT_TRUE(Site.isOfFunction());
  const uint32_t Word = Has ? indexOf(&Site) << 2 | 1 : 0;
  EXPECT_EQ(wordAt(Site), Word);
  tprt_probe *Second = attach();
  EXPECT_EQ(wordAt(Site), 0u);
  // The recorder may request it at any time, and receives what the action list
  // permits.
  letRecord(Site, 5);
  EXPECT_EQ(wordAt(Site), 0u);
  EXPECT_EQ(tprt_probe_detach(Second, -1), TPRT_STATUS_OK);
  EXPECT_EQ(wordAt(Site), Word);
  letRecord(Site, 5);
  EXPECT_EQ(wordAt(Site), Has ? 5u : 0u);
  EXPECT_EQ(tprt_probe_detach(First, -1), TPRT_STATUS_OK);
  EXPECT_EQ(wordAt(Site), 0u);
  letRecord(Site, 5);
  EXPECT_EQ(wordAt(Site), 0u);
}

TEST_F(Recording, SitesWithoutAWordNeedUsualStubs) {
  tprt_probe *All = attach(Action);
  ASSERT_TRUE(All);
  NoWordAt = All->sites[0];
  EXPECT_EQ(tprt_probe_detach(All, -1), TPRT_STATUS_OK);
  auto Seen = stubsOf(Action, true);
  EXPECT_EQ(Seen[kGeneral],
            canRecordInStub(sites[0]) ? 1u : Seen[kGeneral] + Seen[kRecording]);
  NoWordAt = UINT32_MAX;
}

TEST(Plan, QuickPlanIsTheFullPlanAtEveryBranch) {
  tprt_action Count = {};
  Count.kind = TPRT_ACTION_COUNT;
  tprt_probe *Counting = attach(Count);
  ASSERT_TRUE(Counting);
  // Static branches jump to their stubs.
  BranchesKnown Known = compareBranches(Counting);
  EXPECT_GT(Known.Counting, 0u);
  EXPECT_GT(Known.ClosedFromStub, 0u);
  tprt_probe *Calling = attach();
  ASSERT_TRUE(Calling);
  // Static branches jump to their targets.
  Known = compareBranches(Calling);
  EXPECT_GT(Known.Open, 0u);
  EXPECT_GT(Known.ClosedFromTarget, 0u);
  EXPECT_EQ(tprt_probe_detach(Counting, -1), TPRT_STATUS_OK);
  EXPECT_EQ(tprt_probe_detach(Calling, -1), TPRT_STATUS_OK);
}

} // namespace
