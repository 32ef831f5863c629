// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for --in, --stop-if and --hits, the name `depth`, and what a program
// is expected to cost.

#include "ProgramRunner.h"
#include "expressions/Cost.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace tpctl::expressions;

namespace {

Program programOf(const Asked &A) { return cantFail(compile(A, nullptr)); }

std::string described(const Asked &A) {
  std::string Text, Result;
  raw_string_ostream OS(Text);
  describe(OS, programOf(A));
  SmallVector<StringRef> Lines;
  StringRef(Text).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    Result += (Result.empty() ? "" : "; ") + Line.drop_front(5).str();
  return Result;
}

Outcome run(const Asked &A, const Hit &H) {
  return ProgramRunner(programOf(A), H).run();
}

std::optional<Parsed> one(StringRef Text) {
  return cantFail(parse("--if", Text));
}

TEST(ExpressionLimit, InsideComesFirst) {
  Asked A;
  A.IsInside = true;
  A.If = one("arg0");
  A.By = cantFail(parseList("--by", "thread"));
  EXPECT_EQ(described(A),
            "r0 = inside a call of --in; if r0 is 0, do not count the hit; "
            "r0 = arg0; if r0 is 0, do not count the hit; "
            "r0 = thread; key r0");
  Hit H;
  H.Arguments[0] = 1;
  EXPECT_EQ(run(A, H).Kind, Outcome::Filtered);
  H.Inside = 1;
  EXPECT_EQ(run(A, H).Kind, Outcome::Counted);
  H.Inside = std::nullopt;
  EXPECT_EQ(run(A, H).Kind, Outcome::Unread);
  EXPECT_FALSE(programOf(A).AtEnd);
}

TEST(ExpressionLimit, TheScopeOfDepthIsTheFirst) {
  auto numberOfInside = [](const Asked &A) {
    tprt_program_operation First;
    const Program P = programOf(A);
    memcpy(&First, P.Bytes.data() + sizeof(tprt_program_head), sizeof First);
    EXPECT_EQ(First.code, TPRT_PROGRAM_INSIDE);
    return First.number;
  };
  Asked A;
  A.IsInside = true;
  EXPECT_EQ(numberOfInside(A), 0);
  A.StopIf = one("depth > 3");
  EXPECT_EQ(numberOfInside(A), 1);
  EXPECT_TRUE(A.usesDepth());
}

TEST(ExpressionLimit, DepthIsAnInt) {
  Asked A;
  A.By = cantFail(parseList("--by", "depth"));
  EXPECT_EQ(described(A), "r0 = depth; key r0");
  EXPECT_EQ(programOf(A).Keys[0].Kind, KeyFormat::Signed);
  EXPECT_FALSE(A.By[0].needsEnd());
  EXPECT_FALSE(A.By[0].needsTypes());
  Hit H;
  H.Depth = std::nullopt;
  EXPECT_EQ(run(A, H).Keys,
            std::vector(1, std::string(1, TPRT_PROGRAM_KEY_UNKNOWN)));
}

TEST(ExpressionLimit, TheLastHitIsAskedAfterTheCondition) {
  Asked A;
  A.If = one("arg0");
  A.StopIf = one("arg0 == 3 && arg1");
  A.Hits = 7;
  A.Of = one("arg1");
  Hit H;
  EXPECT_EQ(run(A, H).Kind, Outcome::Filtered);
  H.Arguments[0] = 2;
  EXPECT_EQ(run(A, H).Stops, std::vector<int32_t>{7});
  H.Arguments = {3, 1};
  EXPECT_EQ(run(A, H).Stops, (std::vector<int32_t>{0, 7}));
  EXPECT_EQ(run(A, H).Value, 1);
  EXPECT_FALSE(programOf(A).AtEnd);
  A.StopIf = one("duration > 1ms");
  EXPECT_TRUE(programOf(A).AtEnd);
}

TEST(ExpressionLimit, AConditionThatNeverChangesIsKept) {
  Asked A;
  A.StopIf = one("0");
  EXPECT_TRUE(run(A, {}).Stops.empty());
  A.StopIf = one("1");
  EXPECT_EQ(run(A, {}).Stops, std::vector<int32_t>{0});
}

TEST(ExpressionLimit, CostsGrowWithWhatIsAsked) {
  Asked A;
  auto costs = [&](bool IsRecorded = false) {
    return costOf(programOf(A), IsRecorded);
  };
  A.By = cantFail(parseList("--by", "arg0"));
  const Cost Key = costs();
  // ask_key_over_hand_ns of docs/performance.md
  EXPECT_NEAR(Key.Usual, 14.5, 1);
  EXPECT_EQ(Key.Usual, Key.Most);
  A.Of = one("arg1");
  EXPECT_NEAR(costs().Usual, 20.3, 2);
  A.If = one("str(arg0) == \"x\"");
  EXPECT_GT(costs().Usual, Key.Usual + 16);
  EXPECT_NEAR(costs().Most - costs().Usual, 450, 1);
  const double Before = costs().Usual;
  A.If = one("str(arg0) == \"x\" && duration > 1ms");
  EXPECT_GT(costs().Usual, Before + 10);
}

} // namespace
