// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how entries and exits become calls.
#include "Fixture.h"

using namespace tp::trace;
using namespace tp::trace::tests;

TEST_F(TraceTest, CallsNestAndSelfTimeLeavesOutInnerCalls) {
  enter('f', 2000), enter('g', 2100), leave('g', 2300), leave('f', 2500);
  EXPECT_EQ(calls(), (Lines{".g 2100-2300 self 200", "f 2000-2500 self 300"}));
}

TEST_F(TraceTest, TailCallEndsTheCaller) {
  enter('f', 2000), put(TPRT_TRACE_EXIT, 'f', 2, 2100), enter('g', 2110);
  leave('g', 2200);
  EXPECT_EQ(calls(), (Lines{"f 2000-2100 self 100", "g 2110-2200 self 90"}));
  EXPECT_TRUE(Opened->tables().isTailExit(First + 2));
}

TEST_F(TraceTest, ExceptionEndsCallsAboveTheNextExit) {
  enter('f', 2000), enter('g', 2100), enter('h', 2200), leave('f', 2500);
  EXPECT_EQ(calls(),
            (Lines{"..h 2200-2500 self 300 unwound",
                   ".g 2100-2500 self 100 unwound", "f 2000-2500 self 100"}));
  EXPECT_EQ(found(Finding::CallsUnwound), 2u);
}

TEST_F(TraceTest, ExitWithoutEntryLeavesTheStackAlone) {
  leave('h', 2000), enter('f', 2100), leave('g', 2150), leave('f', 2200);
  EXPECT_EQ(calls(), (Lines{"h exit alone 2000", "g exit alone 2150",
                            "f 2100-2200 self 100"}));
}

TEST_F(TraceTest, KillLeavesCallsUnfinished) {
  enter('f', 2000), enter('g', 2100), enter('h', 2150), leave('h', 2160);
  EXPECT_EQ(calls(),
            (Lines{"..h 2150-2160 self 10", ".g 2100-2160 self 50 unfinished",
                   "f 2000-2160 self 100 unfinished"}));
}

TEST_F(TraceTest, RecursionPairsFromTheTop) {
  enter('f', 2000), enter('f', 2100), leave('f', 2200), leave('f', 2300);
  EXPECT_EQ(calls(), (Lines{".f 2100-2200 self 100", "f 2000-2300 self 200"}));
}

TEST_F(TraceTest, VisitIsACallWithoutEnd) {
  enter('f', 2000), put(TPRT_TRACE_VISIT, 'g', 0, 2100), leave('f', 2200);
  EXPECT_EQ(calls(), (Lines{".g visited 2100", "f 2000-2200 self 200"}));
}

TEST_F(TraceTest, NestedSignalHandlersMoveTimesUp) {
  // The interrupted entry read the counter before the handler and claimed its
  // word after the handler's.
  enter('h', 2010), leave('h', 2020), enter('f', 2000), leave('f', 2100);
  EXPECT_EQ(calls(), (Lines{"h 2010-2020 self 10", "f 2020-2100 self 80"}));
  EXPECT_EQ(found(Finding::TimeBack), 1u);
}

TEST_F(TraceTest, LongGapsNeedATimeWord) {
  uint64_t Late = 2000 + (uint64_t(5) << TPRT_TRACE_TIME_BITS);
  enter('f', 2000);
  W.words(T, Late, {extension(TPRT_TRACE_TIME, 1, 0), Late});
  leave('f', Late + 7);
  EXPECT_EQ(calls(), (Lines{"f 2000-" + std::to_string(Late + 7) + " self " +
                            std::to_string(Late + 7 - 2000)}));
}

TEST_F(TraceTest, LongestStepNeedsNone) {
  uint64_t Late = 2000 + (uint64_t(1) << TPRT_TRACE_STEP_BITS);
  enter('f', 2000), leave('f', Late);
  EXPECT_EQ(calls(), (Lines{"f 2000-" + std::to_string(Late) + " self " +
                            std::to_string(Late - 2000)}));
}

TEST_F(TraceTest, WideSiteNumbers) {
  uint32_t Wide = 50'000'000;
  W.NextSite = Wide;
  W.module("/lib/wide.so", {"w"});
  W.event(T, TPRT_TRACE_ENTRY, Wide, 2000);
  W.event(T, TPRT_TRACE_EXIT, Wide + 1, 2050);
  EXPECT_EQ(calls(), (Lines{"w 2000-2050 self 50"}));
}

TEST_F(TraceTest, SitesWithoutRowsAreShownByNumber) {
  W.event(T, TPRT_TRACE_VISIT, 4711, 2000);
  W.event(T, TPRT_TRACE_VISIT, 4'200'000'000, 2001);
  EXPECT_EQ(calls(),
            (Lines{"site 4711 visited 2000", "site 4200000000 visited 2001"}));
  EXPECT_EQ(found(Finding::SitesUnknown), 2u);
}

TEST_F(TraceTest, CallsAroundLostEventsAreMarked) {
  enter('f', 2000), enter('g', 2010);
  extend(TPRT_TRACE_LOST, 2020, {9});
  leave('g', 2100), enter('h', 2110), leave('h', 2120), leave('f', 2200);
  EXPECT_EQ(calls(),
            (Lines{".g 2010-2100 self 90 uncertain", ".h 2110-2120 self 10",
                   "f 2000-2200 self 100 uncertain"}));
  EXPECT_EQ(found(Finding::EventsLost), 9u);
}

TEST_F(TraceTest, MissingBlocksAreCounted) {
  enter('f', 2000);
  W.endBlock(T);
  T.Order += 3;
  leave('f', 2100);
  EXPECT_EQ(calls(), (Lines{"f 2000-2100 self 100 uncertain"}));
  EXPECT_EQ(found(Finding::BlocksMissing), 3u);
}

TEST_F(TraceTest, RingsStartIsNoFault) {
  T.Order = 77;
  leave('g', 2000), enter('f', 2050), leave('f', 2100);
  EXPECT_EQ(calls(), (Lines{"g exit alone 2000", "f 2050-2100 self 50"}));
  EXPECT_EQ(found(Finding::BlocksMissing), 0u);
}

TEST_F(TraceTest, FibersHaveStacksOfTheirOwn) {
  enter('f', 2000);
  extend(TPRT_TRACE_SWITCH, 2010, {5});
  enter('g', 2020);
  extend(TPRT_TRACE_SWITCH, 2030, {0});
  leave('f', 2040);
  extend(TPRT_TRACE_SWITCH, 2050, {5});
  leave('g', 2060);
  EXPECT_EQ(calls(), (Lines{"f 2000-2040 self 40", "g 2020-2060 self 40"}));
  EXPECT_EQ(found(Finding::CallsUnwound), 0u);
}

// The functions begin at 0x401000, 0x401040 and 0x401080. The last sled of each
// function is 16 bytes after the function's beginning.
constexpr uint64_t InsideBit = uint64_t(1) << TPRT_TRACE_INSIDE_BIT;

TEST_F(TraceTest, UnwoundCallsEndWhereTheProgramGoesOn) {
  enter('f', 2000), enter('g', 2010), enter('h', 2020);
  extend(TPRT_TRACE_UNWOUND, 2030, {0x401000});
  enter('g', 2040), leave('g', 2050), leave('f', 2060);
  EXPECT_EQ(calls(), (Lines{"..h 2020-2030 self 10 unwound",
                            ".g 2010-2030 self 10 unwound",
                            ".g 2040-2050 self 10", "f 2000-2060 self 30"}));
}

TEST_F(TraceTest, UnwoundToTheInnermostCallOfAFunction) {
  enter('f', 2000), enter('f', 2010), enter('h', 2020);
  extend(TPRT_TRACE_UNWOUND, 2030, {0x401010 | InsideBit});
  leave('f', 2040), leave('f', 2050);
  EXPECT_EQ(calls(), (Lines{"..h 2020-2030 self 10 unwound",
                            ".f 2010-2040 self 20", "f 2000-2050 self 20"}));
}

// After a function's last sled, a function without sleds may follow. If no
// function begins at an address, or if no call of that function is open, the
// address has no meaning.
TEST_F(TraceTest, UnwoundToWhatIsNotRecordedEndsNothing) {
  enter('f', 2000), enter('h', 2020);
  extend(TPRT_TRACE_UNWOUND, 2030, {0x401011 | InsideBit});
  extend(TPRT_TRACE_UNWOUND, 2031, {0x401001});
  extend(TPRT_TRACE_UNWOUND, 2032, {0x401040});
  extend(TPRT_TRACE_UNWOUND, 2033, {0x400fff | InsideBit});
  extend(TPRT_TRACE_UNWOUND, 2034, {0});
  extend(TPRT_TRACE_UNWOUND, 2035, {});
  leave('h', 2040), leave('f', 2050);
  EXPECT_EQ(calls(), (Lines{".h 2020-2040 self 20", "f 2000-2050 self 30"}));
}

// Calls inside of it come before it, and their time is known.
TEST_F(TraceTest, CallsRecordedAtTheirEndsAreWhole) {
  enter('f', 2000);
  extend(TPRT_TRACE_WHOLE_CALL, 2040, {First + 6, 2030, 0});
  extend(TPRT_TRACE_COMPUTED, TPRT_TRACE_FORM_SIGNED, {1, 77});
  extend(TPRT_TRACE_WHOLE_CALL, 2050,
         {First + 3 | uint64_t(TPRT_TRACE_CALL_TAIL) << 32, 2010, 10});
  extend(TPRT_TRACE_WHOLE_CALL, 2055,
         {First + 3 | uint64_t(TPRT_TRACE_CALL_LEFT) << 32, 2052, 0});
  leave('f', 2060);
  EXPECT_EQ(calls(),
            (Lines{"computed 2 1 77", "whole h 2030-2040 self 10",
                   "whole g 2010-2050 self 30 tail",
                   "whole g 2052-2055 self 3 unwound", "f 2000-2060 self 60"}));
}

// Words that are missing, a beginning after the end, and more time inside than
// in the call.
TEST_F(TraceTest, WholeCallsMayBeDamaged) {
  extend(TPRT_TRACE_WHOLE_CALL, 2040, {First + 6, 2030});
  extend(TPRT_TRACE_WHOLE_CALL, 2050, {First + 6, 2060, 5});
  extend(TPRT_TRACE_WHOLE_CALL, 2060, {First + 6, 2050, 50});
  EXPECT_EQ(calls(),
            (Lines{"whole h 2050-2050 self 0", "whole h 2050-2060 self 0"}));
  EXPECT_EQ(found(Finding::EventsCut), 1u);
}

// The visitor has the values before the event, whatever the event's form is.
TEST_F(TraceTest, ComputedValuesComeWithTheirEvent) {
  const uint64_t Form = TPRT_TRACE_FORM_UNSIGNED;
  enter('f', 2000);
  extend(TPRT_TRACE_COMPUTED, Form, {4, 1});
  put(TPRT_TRACE_VISIT, 'g', 0, 2010);
  extend(TPRT_TRACE_COMPUTED, Form, {4, 2});
  extend(TPRT_TRACE_WIDE, 2020, {First + 6 | uint64_t(TPRT_TRACE_VISIT) << 32});
  extend(TPRT_TRACE_COMPUTED, Form, {4, 3});
  leave('f', 2030);
  EXPECT_EQ(calls(), (Lines{"computed 3 4 1", "computed 3 4 2",
                            ".g visited 2010", "computed 3 4 3",
                            ".h visited 2020", "f 2000-2030 self 30"}));
}

TEST_F(TraceTest, ListsOfValuesHaveNamesAndKinds) {
  tprt_trace_values R{};
  R.number = 7;
  R.rows = 2;
  const tprt_trace_value Rows[] = {{1, TPRT_TRACE_VALUE_TEXT}, {99, 3}};
  const std::string Strings("\0str(\x1b)\0", 8);
  R.string_bytes = static_cast<uint32_t>(Strings.size());
  const std::string After(reinterpret_cast<const char *>(Rows), sizeof Rows);
  W.record(TPRT_TRACE_RECORD_VALUES, R, After + Strings);
  R.number = 8;
  R.rows = 1000; // more than there are
  W.record(TPRT_TRACE_RECORD_VALUES, R, After + Strings);
  Opened = open();
  ASSERT_TRUE(Opened) << Fault;
  auto List = Opened->tables().values(7);
  ASSERT_EQ(List.size(), 2u);
  EXPECT_EQ(List[0].Name, "str(?)");
  EXPECT_EQ(List[0].Kind, unsigned{TPRT_TRACE_VALUE_TEXT});
  EXPECT_EQ(List[1].Name, "");
  EXPECT_TRUE(Opened->tables().values(8).empty());
  EXPECT_EQ(found(Finding::RecordBad), 1u);
}

TEST_F(TraceTest, NumbersHaveNames) {
  tprt_trace_values R{};
  R.number = 7;
  R.rows = 3;
  const tprt_trace_value Rows[] = {{1, TPRT_TRACE_VALUE_NAMED_SIGNED},
                                   {1, TPRT_TRACE_VALUE_SIGNED},
                                   {24, TPRT_TRACE_VALUE_NAMED_UNSIGNED}};
  const std::string Strings("\0e\0-1=No 0=\x1b 7 =x 8=y=z\0f\0"
                            "18446744073709551615=Most",
                            52);
  R.string_bytes = static_cast<uint32_t>(Strings.size());
  const std::string After(reinterpret_cast<const char *>(Rows), sizeof Rows);
  W.record(TPRT_TRACE_RECORD_VALUES, R, After + Strings);
  Opened = open();
  ASSERT_TRUE(Opened) << Fault;
  auto List = Opened->tables().values(7);
  ASSERT_EQ(List.size(), 3u);
  using Names = std::map<uint64_t, std::string>;
  EXPECT_EQ(List[0].Names, (Names{{UINT64_MAX, "No"}, {0, "?"}, {8, "y=z"}}));
  EXPECT_EQ(List[1].Names, Names());
  EXPECT_EQ(List[2].Names, (Names{{UINT64_MAX, "Most"}}));
}

TEST_F(TraceTest, UnreadConditionsAreFound) {
  W.Header.unread = 3;
  Opened = open();
  ASSERT_TRUE(Opened) << Fault;
  EXPECT_EQ(found(Finding::CallsUnread), 3u);
}

TEST_F(TraceTest, DeepestStackIsBounded) {
  constexpr uint64_t Most = 1'000'000;
  for (uint64_t I = 0; I != Most + 5; ++I)
    enter('f', 2000 + I);
  for (uint64_t I = 0; I != Most + 5; ++I)
    leave('f', 3'000'000 + I);
  Lines All = calls();
  EXPECT_EQ(All.size(), Most + 5);
  EXPECT_EQ(All.back(), "f 2000-4000004 self 2");
  EXPECT_EQ(found(Finding::CallsTooDeep), 5u);
}

TEST_F(TraceTest, ShortThreadsShareABlock) {
  enter('f', 2000), leave('f', 2010);
  W.header(T.Block).flags = TPRT_TRACE_BLOCK_SHARED;
  extend(TPRT_TRACE_SEGMENT, 0,
         {99 | uint64_t(8) << 32, 1 | uint64_t(0) << 32, 5000, 2});
  enter('g', 5001), leave('g', 5003);
  EXPECT_EQ(calls(), (Lines{"f 2000-2010 self 10", "g 5001-5003 self 2"}));
  EXPECT_EQ(found(Finding::EventsLost), 2u);
}
