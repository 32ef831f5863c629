// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which time a clock of another process leaves out.

#include "shared/FairClock.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tpctl;
using std::chrono::nanoseconds;
using std::chrono::seconds;

static constexpr auto Nobody = [](pid_t) { return false; };
static constexpr auto All = [](pid_t) { return true; };

TEST(FairClock, CountsTimeInWhichAProcessSleepsOrComputes) {
  ThreadsTimes Before = {{1, {seconds(5), seconds(9)}}, {2, {}}};
  EXPECT_EQ(longestWait(Before, Before, seconds(3), Nobody), seconds(0));
  ThreadsTimes Now = {{1, {seconds(8), seconds(9)}}, {2, {}}};
  EXPECT_EQ(longestWait(Before, Now, seconds(3), Nobody), seconds(0));
}

TEST(FairClock, LeavesOutTheLongestWaitOfAThread) {
  ThreadsTimes Before = {{1, {seconds(5), seconds(9)}}, {2, {}}};
  ThreadsTimes Now = {{1, {seconds(6), seconds(10)}},
                      {2, {seconds(1), seconds(2)}}};
  EXPECT_EQ(longestWait(Before, Now, seconds(3), All), seconds(2));
}

// The kernel adds a wait to the sum when the wait is over.
TEST(FairClock, LeavesOutAWaitThatIsNotOver) {
  ThreadsTimes Before = {{1, {seconds(5), seconds(9)}}, {2, {}}};
  EXPECT_EQ(longestWait(Before, Before, seconds(3),
                        [](pid_t Thread) { return Thread == 2; }),
            seconds(3));
  ThreadsTimes Now = {{1, {seconds(5), seconds(9)}},
                      {2, {seconds(1), seconds(40)}}};
  EXPECT_EQ(longestWait(Before, Now, seconds(3), Nobody), seconds(3));
}

TEST(FairClock, KnowsNothingOfThreadsThatCame) {
  ThreadsTimes Now = {{1, {seconds(5), seconds(9)}}};
  EXPECT_EQ(longestWait({}, Now, seconds(3), All), seconds(0));
}

TEST(FairClock, ReadsTheTimesOfAThread) {
  ProcessorTimes Before = processorTimesOf(getpid(), getpid());
  while (processorTimesOf(getpid(), getpid()).Ran == Before.Ran) {
  }
  EXPECT_GT(processorTimesOf(getpid(), getpid()).Ran, nanoseconds(0));
  EXPECT_EQ(processorTimesOf(getpid(), 0), ProcessorTimes());
}
