// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which functions the allowance reduces.

#include "live/measure/Allowance.h"
#include <gtest/gtest.h>

using namespace tpctl;

namespace {

constexpr double Second = 1e9, Share = 0.02;
constexpr HitCosts Costs{30, 4};

/// The functions that are reduced within this many seconds. Each of them has
/// `Hits` calls a second.
size_t reduced(double CpuPerSecond, size_t Functions, uint64_t Hits,
               int Seconds) {
  Allowance Of(Share, Costs);
  size_t Down = 0;
  for (int I = 0; I < 10 * Seconds; ++I) {
    std::vector<Load> Loads;
    for (uint32_t Site = 0; Site < Functions; ++Site)
      Loads.push_back({Site, Level::Timed, Hits / 10});
    Down += Of.judge(CpuPerSecond * Second / 10, Second / 10, Loads).size();
  }
  return Down;
}

TEST(Allowance, LeavesFewCallsOfAProcessThatWaitsAlone) {
  // 6,000 timed calls a second cost 0.02 % of a processor, but 18 % of the CPU
  // time of this process.
  EXPECT_EQ(reduced(0.001, 200, 30, 600), 0u);
}

TEST(Allowance, ReducesCallsThatCostMuchOfAProcessor) {
  EXPECT_GT(reduced(0.001, 1, 10'000'000, 1), 0u);
  EXPECT_GT(reduced(1, 1, 10'000'000, 1), 0u);
}

TEST(Allowance, AllowsItsShareOfABusyProcess) {
  // 15 ms of 1 s.
  EXPECT_EQ(reduced(1, 10, 50'000, 600), 0u);
  // 30 ms of 1 s.
  EXPECT_GT(reduced(1, 10, 100'000, 10), 0u);
}

TEST(Allowance, ReducesTheMostExpensiveFirst) {
  Allowance Of(Share, Costs);
  std::vector<Load> Down = Of.judge(
      Second, Second, {{1, Level::Timed, 300'000}, {2, Level::Timed, 900'000}});
  ASSERT_EQ(Down.size(), 1u);
  EXPECT_EQ(Down.front().Site, 2u);
}

/// render is called most often, and takes most of the time. 20 helpers take
/// 30 ns.
std::vector<Load> renderAndHelpers(Level OfHelpers) {
  std::vector<Load> Loads = {{100, Level::Timed, 500'000, 1'000}};
  for (uint32_t Site = 0; Site < 20; ++Site)
    Loads.push_back({Site, OfHelpers, 400'000, 30});
  return Loads;
}

TEST(Allowance, ReducesWhatCostsTheMostForWhatItMeasures) {
  Allowance Of(Share, Costs);
  std::vector<Load> Down =
      Of.judge(Second, Second, renderAndHelpers(Level::Timed));
  EXPECT_EQ(Down.size(), 20u);
  for (const Load &L : Down)
    EXPECT_NE(L.Site, 100u);
}

TEST(Allowance, TurnsHelpersOffBeforeItReducesWhatMeasuresMuch) {
  // Counting costs less for each call than timing render, but more for each
  // nanosecond that was measured.
  Allowance Of(Share, Costs);
  std::vector<Load> Down =
      Of.judge(Second, Second, renderAndHelpers(Level::Counted));
  EXPECT_FALSE(Down.empty());
  for (const Load &L : Down)
    EXPECT_NE(L.Site, 100u);
}

TEST(Allowance, LeavesHelpersThatCostNextToNothingAlone) {
  Allowance Of(Share, Costs);
  std::vector<Load> Loads = {{100, Level::Timed, 10'000'000, 40}};
  for (uint32_t Site = 0; Site < 20; ++Site)
    Loads.push_back({Site, Level::Timed, 1'000, 30});
  std::vector<Load> Down = Of.judge(Second, Second, Loads);
  ASSERT_EQ(Down.size(), 1u);
  EXPECT_EQ(Down.front().Site, 100u);
}

TEST(Allowance, LeavesTheOthersAloneForWhatIsExpensiveEvenIfCounted) {
  // 10 million calls cost 40 ms even if they are counted. The 20 others cost
  // 0.6 ms.
  Allowance Of(Share, Costs);
  std::vector<Load> Loads = {{100, Level::Timed, 10'000'000}};
  for (uint32_t Site = 0; Site < 20; ++Site)
    Loads.push_back({Site, Level::Timed, 1'000});
  std::vector<Load> Down = Of.judge(Second, Second, Loads);
  ASSERT_EQ(Down.size(), 1u);
  EXPECT_EQ(Down.front().Site, 100u);
  Loads.front().Now = Level::Counted;
  Down = Of.judge(Second, Second, Loads);
  ASSERT_EQ(Down.size(), 1u);
  EXPECT_EQ(Down.front().Site, 100u);
}

} // namespace
