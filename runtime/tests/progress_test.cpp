// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whether the progress of tools is recognised, and how long a process
// waits for tools at its end. The times are artificial.
#include "control/progress.h"
#include "tprt/control_wire.h"

#include <gtest/gtest.h>

#include <time.h>
#include <unistd.h>

using namespace tprt;

namespace {

constexpr uint64_t Second = 1'000'000'000, Silence = 4 * Second,
                   Most = 20 * Second, Began = 1000 * Second;

struct Wait {
  ToolsSeen Seen = {Began, 0, 0, 0, false};
  Patience Of{Seen, Silence, Most};

  // Whether the wait continues for this many seconds if `Each` runs once a
  // second.
  template <class F> bool lasts(unsigned Seconds, F Each) {
    for (; Seconds; --Seconds) {
      Seen.now += Second;
      Each();
      if (!Of.lasts(Seen))
        return false;
    }
    return true;
  }
};

TEST(Progress, StoppedToolsAreWaitedForFourSeconds) {
  EXPECT_TRUE(Wait().lasts(3, [] {}));
  EXPECT_FALSE(Wait().lasts(4, [] {}));
}

TEST(Progress, ToolsThatWorkOrAskAreWaitedForLonger) {
  Wait Working, Asking, Answering;
  EXPECT_TRUE(Working.lasts(19, [&] { ++Working.Seen.worked; }));
  EXPECT_TRUE(
      Asking.lasts(19, [&] { Asking.Seen.answered = Asking.Seen.now; }));
  EXPECT_TRUE(Answering.lasts(19, [&] { Answering.Seen.asking = true; }));
}

TEST(Progress, ToolsThatAskForNothingNewAreNotWaitedForOnAndOn) {
  Wait Asking;
  EXPECT_FALSE(
      Asking.lasts(20, [&] { Asking.Seen.answered = Asking.Seen.now; }));
}

TEST(Progress, ToolsThatGetSomethingNewAreWaitedForForMinutes) {
  Wait Reading;
  auto Read = [&] {
    Reading.Seen.answered = Reading.Seen.news = Reading.Seen.now;
  };
  EXPECT_TRUE(Reading.lasts(599, Read));
  EXPECT_FALSE(Reading.lasts(1, Read));
}

TEST(Progress, AToolThatStopsWorkingIsWaitedForFourSecondsMore) {
  Wait Working;
  EXPECT_TRUE(Working.lasts(10, [&] { ++Working.Seen.worked; }));
  EXPECT_TRUE(Working.lasts(3, [] {}));
  EXPECT_FALSE(Working.lasts(1, [] {}));
}

TEST(Progress, TheTimeOfAProcessGrowsAsItWorks) {
  uint64_t Before = processorTime(getpid());
  EXPECT_NE(Before, 0u);
  for (clock_t End = clock() + CLOCKS_PER_SEC / 100; clock() < End;) {
  }
  EXPECT_GT(processorTime(getpid()), Before);
  EXPECT_EQ(processorTime(0), 0u);
}

template <class Asked> struct Message {
  tprt_control_head Head = {};
  Asked Body = {};
  explicit Message(uint16_t Type) { Head.type = Type; }
  bool isLater() const {
    return isLaterPage(reinterpret_cast<const char *>(this), sizeof *this);
  }
};

TEST(Progress, LaterPagesAreToldFromFirstOnes) {
  Message<tprt_control_read> Counts(TPRT_CONTROL_COUNTS);
  EXPECT_FALSE(Counts.isLater());
  Counts.Body.from_row = 1;
  EXPECT_TRUE(Counts.isLater());
  Message<tprt_control_list> List(TPRT_CONTROL_LIST);
  EXPECT_FALSE(List.isLater());
  List.Body.from = 7;
  EXPECT_TRUE(List.isLater());
  Message<tprt_control_read> Other(TPRT_CONTROL_FIGURES);
  Other.Body.from = 7;
  EXPECT_FALSE(Other.isLater());
}

} // namespace
