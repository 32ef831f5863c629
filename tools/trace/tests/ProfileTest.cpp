// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the numbers of functions, the clock, and histograms.
#include "Profile.h"
#include "Fixture.h"

using namespace tp::trace;
using namespace tp::trace::tests;

namespace {

TEST_F(TraceTest, RecursionCountsTotalOnce) {
  enter('f', 2000), enter('f', 2100), leave('f', 2200), leave('f', 2300);
  Opened = open();
  auto P = readProfile(*Opened, CallFilter(), false, 1);
  ASSERT_TRUE(bool(P));
  const FunctionStats &S = P->Stats[0][Opened->tables().functionOf(First)];
  EXPECT_EQ(S.Calls, 2u);
  EXPECT_EQ(S.Total, 300u);
  EXPECT_EQ(S.Self, 300u);
  EXPECT_EQ(S.Sum, 400u);
  EXPECT_EQ(S.Min, 100u);
  EXPECT_EQ(S.Max, 300u);
}

TEST_F(TraceTest, SeveralWorkersFindWhatOneFinds) {
  for (uint32_t Tid = 10; Tid != 60; ++Tid) {
    TraceWriter::Thread &Other = W.thread(Tid);
    for (uint64_t I = 0; I != 300; ++I) {
      W.event(Other, TPRT_TRACE_ENTRY, First, 2000 + 10 * I);
      W.event(Other, TPRT_TRACE_EXIT, First + 1, 2000 + 10 * I + Tid % 7);
    }
  }
  Opened = open();
  auto One = readProfile(*Opened, CallFilter(), false, 1),
       Four = readProfile(*Opened, CallFilter(), false, 4),
       Each = readProfile(*Opened, CallFilter(), true, 3);
  ASSERT_TRUE(One && Four && Each);
  FunctionId F = Opened->tables().functionOf(First);
  FunctionStats Sum;
  for (const auto &Row : Each->Stats)
    Sum.add(Row.at(F));
  for (const FunctionStats *S : {&Four->Stats[0][F], &Sum}) {
    EXPECT_EQ(S->Calls, 15000u);
    EXPECT_EQ(S->Total, One->Stats[0][F].Total);
    EXPECT_EQ(S->Times.quantile(0.5), One->Stats[0][F].Times.quantile(0.5));
  }
  EXPECT_EQ(Four->Threads.size(), 50u);
}

TEST_F(TraceTest, FilterTakesCallsByDurationTimeAndThread) {
  enter('f', 2000), leave('f', 2100), enter('f', 3000), leave('f', 3500);
  W.event(W.thread(8), TPRT_TRACE_VISIT, First, 2000);
  Opened = open();
  FunctionId F = Opened->tables().functionOf(First);
  auto callsWith = [&](CallFilter Filter) {
    auto P = readProfile(*Opened, Filter, false, 1);
    return P && F < P->Stats[0].size() ? P->Stats[0][F].Calls : 0;
  };
  CallFilter Long, Early, Second;
  Long.MinTicks = 200;
  Early.To = 3000;
  Second.Tids = {8};
  EXPECT_EQ(callsWith(CallFilter()), 3u);
  EXPECT_EQ(callsWith(Long), 1u);
  EXPECT_EQ(callsWith(Early), 2u);
  EXPECT_EQ(callsWith(Second), 1u);
}

TEST(Histogram, QuantilesAreWithinTwoPercent) {
  Histogram H, Other;
  for (uint64_t I = 1; I <= 100000; ++I)
    (I % 2 ? H : Other).add(I * 37);
  H.add(Other);
  EXPECT_EQ(H.count(), 100000u);
  for (double Share : {0.01, 0.5, 0.9, 0.99, 1.0})
    EXPECT_NEAR(H.quantile(Share), Share * 3700000, Share * 3700000 * 0.016);
}

TEST(Histogram, SmallAndHugeValuesHaveBuckets) {
  Histogram H;
  H.add(0), H.add(UINT64_MAX), H.add(63), H.add(64);
  EXPECT_EQ(H.quantile(0.25), 0);
  EXPECT_EQ(H.quantile(0.5), 63);
  EXPECT_NEAR(H.quantile(1), 1.8446744e19, 3e17);
}

TEST(Clock, MomentsGiveTheRate) {
  tprt_trace_header H{};
  H.start = {1000, 50, 7};
  H.clock_hz = 1;
  Clock C(H);
  C.add({3000, 1050, 1007});
  C.add({2000, 550, 507});
  C.calibrate();
  EXPECT_TRUE(C.known());
  EXPECT_DOUBLE_EQ(C.durationOf(200), 100);
  EXPECT_DOUBLE_EQ(C.sinceStart(4000), 1500);
  EXPECT_DOUBLE_EQ(C.sinceStart(0), -500);
  EXPECT_DOUBLE_EQ(C.realtimeOf(1002), 8);
}

TEST(Clock, PointsInTimeFollowARateThatChanges) {
  tprt_trace_header H{};
  H.start = {0, 1000, 1};
  Clock C(H);
  C.add({100, 1100, 1}), C.add({200, 1300, 1});
  C.calibrate();
  EXPECT_DOUBLE_EQ(C.sinceStart(50), 50);
  EXPECT_DOUBLE_EQ(C.sinceStart(150), 200);
  EXPECT_DOUBLE_EQ(C.durationOf(200), 300);
}

TEST(Clock, WithoutMomentsTheStatedRateCounts) {
  tprt_trace_header H{};
  Clock Unknown(H);
  Unknown.calibrate();
  EXPECT_FALSE(Unknown.known());
  H.clock_hz = 500'000'000;
  Clock Known(H);
  Known.calibrate();
  EXPECT_DOUBLE_EQ(Known.durationOf(5), 10);
  H.clock = TPRT_TRACE_CLOCK_MONOTONIC;
  Clock Nanoseconds(H);
  Nanoseconds.calibrate();
  EXPECT_DOUBLE_EQ(Nanoseconds.durationOf(5), 5);
}

TEST_F(TraceTest, KilledProgramsMomentsAreFoundInItsWords) {
  W.Header.clock_hz = 0;
  enter('f', 2000);
  extend(TPRT_TRACE_CLOCK, 0, {3000, W.Header.start.monotonic + 1000, 0});
  Opened = open();
  EXPECT_TRUE(Opened->clock().known());
  EXPECT_DOUBLE_EQ(Opened->clock().durationOf(10), 5);
}

TEST_F(TraceTest, FunctionOfASecondLoadIsTheSame) {
  uint32_t Again = W.module("/bin/app", {"f", "g", "h"});
  uint32_t Other = W.module("/lib/b.so", {"f", "", "_ZN3lex4nextEv"});
  enter('f', 2000);
  Opened = open();
  Tables &Names = Opened->tables();
  EXPECT_EQ(Names.functionOf(First), Names.functionOf(Again + 2));
  EXPECT_NE(Names.functionOf(First), Names.functionOf(Other));
  EXPECT_EQ(Names.function(Names.functionOf(Other + 3)).Name, "b.so+0x1040");
  EXPECT_EQ(Names.function(Names.functionOf(Other + 6)).Name, "lex::next()");
}

} // namespace
