// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which names a glob matches, and which globs are faulty.
#include "names/path_glob.h"

#include <gtest/gtest.h>

using tprt::globFault;
using tprt::globMatches;

TEST(Glob, LiteralMatchesWholeNameOnly) {
  EXPECT_TRUE(globMatches("main", "main"));
  EXPECT_FALSE(globMatches("main", "mainly"));
  EXPECT_FALSE(globMatches("main", "domain"));
  EXPECT_FALSE(globMatches("main", ""));
}

TEST(Glob, StarTakesAnyRun) {
  EXPECT_TRUE(globMatches("lua*", "lua"));
  EXPECT_TRUE(globMatches("lua*", "luaV_execute"));
  EXPECT_TRUE(globMatches("*exec*e", "luaV_execute"));
  EXPECT_TRUE(globMatches("*", ""));
  EXPECT_FALSE(globMatches("lua*x", "luaV_execute"));
  EXPECT_TRUE(globMatches("ns::*", "ns::f(int)"));
}

TEST(Glob, StarBacktracksInPolynomialTime) {
  std::string name(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 30; ++i)
    pattern += "*a";
  EXPECT_FALSE(globMatches((pattern + "b").c_str(), name.c_str()));
}

TEST(Glob, QuestionMarkTakesOne) {
  EXPECT_TRUE(globMatches("f?", "f1"));
  EXPECT_FALSE(globMatches("f?", "f"));
  EXPECT_FALSE(globMatches("f?", "f12"));
}

TEST(Glob, BracketTakesRangeAndNegation) {
  EXPECT_TRUE(globMatches("f[0-9]", "f7"));
  EXPECT_FALSE(globMatches("f[0-9]", "fx"));
  EXPECT_TRUE(globMatches("f[!0-9]", "fx"));
  EXPECT_FALSE(globMatches("f[!0-9]", "f7"));
  EXPECT_TRUE(globMatches("f[]x]", "f]"));
  EXPECT_TRUE(globMatches("f[a-]", "f-"));
}

TEST(Glob, BracketIsItselfWhereTheTextHasOne) {
  EXPECT_TRUE(globMatches("operator[]", "operator[]"));
  EXPECT_TRUE(globMatches("f[0-9](int [3])", "f4(int [3])"));
  EXPECT_TRUE(globMatches("f[a", "f[a"));
  EXPECT_TRUE(globMatches("f[[x]", "f["));
  EXPECT_TRUE(globMatches("f[!a]", "f["));
  EXPECT_FALSE(globMatches("f[a]", "f["));
}

TEST(Glob, FaultsAreNamed) {
  EXPECT_EQ(globFault("lua*"), nullptr);
  EXPECT_NE(globFault(""), nullptr);
  EXPECT_NE(globFault("f[a"), nullptr);
  EXPECT_EQ(globFault("operator[](int)"), nullptr);
}
