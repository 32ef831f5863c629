// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which pages of an area are written together, and what becomes of pages
// that cannot be made. "." is a page that is Absent, "w" Wanted, "M" Made.
#include "base/os_memory.h"
#include "text/executable_area.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace tprt;

namespace {

struct ExecutableAreaTest : testing::Test {
  static constexpr size_t Pages = 80;
  void *Memory = allocatePages(Pages * pageBytes());
  ExecutableArea Of{};
  std::vector<std::string> Runs; // "3-5" for each run that was written

  void SetUp() override {
    ASSERT_TRUE(Memory);
    ASSERT_TRUE(
        Of.open(reinterpret_cast<uint64_t>(Memory), Pages * pageBytes()));
  }
  void TearDown() override { freePages(Memory, Pages * pageBytes()); }

  bool make(std::vector<size_t> Wanted, size_t Gap, bool Succeeds = true) {
    Runs.clear();
    for (size_t Page : Wanted)
      Of.want(Page);
    return Of.makeWanted(Gap, [&](PageRun Run) {
      Runs.push_back(std::to_string(Run.first) + "-" +
                     std::to_string(Run.last));
      return Succeeds;
    });
  }
  std::string states(size_t First, size_t Last) const {
    std::string Text;
    for (; First < Last; ++First)
      Text += Of.isMade(First) ? 'M' : Of.isWanted(First) ? 'w' : '.';
    return Text;
  }
};

using Strings = std::vector<std::string>;

TEST_F(ExecutableAreaTest, NeighboringPagesAreOneRun) {
  EXPECT_TRUE(make({1, 2, 3, 7}, 0));
  EXPECT_EQ(Runs, (Strings{"1-4", "7-8"}));
  EXPECT_EQ(states(0, 9), ".MMM...M.");
  EXPECT_EQ(Of.madePages(), 4u);
  EXPECT_FALSE(Of.wantsAny());
}

TEST_F(ExecutableAreaTest, ARunSpansAbsentPagesUpToTheGap) {
  EXPECT_TRUE(make({0, 4}, 3));
  EXPECT_EQ(Runs, (Strings{"0-5"}));
  EXPECT_EQ(states(0, 6), "M...M.");
  EXPECT_TRUE(make({20, 25}, 3));
  EXPECT_EQ(Runs, (Strings{"20-21", "25-26"}));
}

TEST_F(ExecutableAreaTest, ARunBeginsAndEndsAtPagesThatAreMade) {
  EXPECT_TRUE(make({10, 20}, 3));
  EXPECT_TRUE(make({14}, 3));
  EXPECT_EQ(Runs, (Strings{"11-15"}));
  EXPECT_TRUE(make({17}, 3));
  EXPECT_EQ(Runs, (Strings{"15-20"}));
  EXPECT_TRUE(make({40, 50}, 3));
  EXPECT_TRUE(make({45}, 3));
  EXPECT_EQ(Runs, (Strings{"45-46"})); // four pages away from either
}

TEST_F(ExecutableAreaTest, PagesThatCannotBeWrittenAreAbsentAgain) {
  EXPECT_TRUE(make({5}, 0));
  EXPECT_FALSE(make({4, 5, 6}, 0, false));
  EXPECT_EQ(Runs, (Strings{"4-5", "6-7"}));
  EXPECT_EQ(states(4, 7), ".M.");
  EXPECT_TRUE(make({4}, 0));
  EXPECT_EQ(states(4, 7), "MM.");
  EXPECT_EQ(Of.madePages(), 2u);
}

TEST_F(ExecutableAreaTest, PagesThatCannotBecomeExecutableAreAbsentAgain) {
  ExecutableArea Nowhere{};
  ASSERT_TRUE(
      Nowhere.open(pageBytes(), pageBytes())); // nothing is mapped there
  Nowhere.want(0);
  EXPECT_FALSE(Nowhere.makeWanted(0, [](PageRun) { return true; }));
  EXPECT_FALSE(Nowhere.isMade(0));
  EXPECT_FALSE(Nowhere.isWanted(0));
  EXPECT_EQ(Nowhere.madePages(), 0u);
}

TEST_F(ExecutableAreaTest, AllPagesAreMadeOnce) {
  EXPECT_TRUE(make({3}, 0));
  EXPECT_FALSE(Of.isComplete());
  Of.wantAll();
  EXPECT_TRUE(make({}, 0));
  EXPECT_EQ(Runs, (Strings{"0-3", "4-80"}));
  EXPECT_TRUE(Of.isComplete());
  Of.wantAll();
  EXPECT_FALSE(Of.wantsAny());
}

} // namespace
