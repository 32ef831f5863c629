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

TEST(Glob, BracesHoldAlternatives) {
  for (const char *text : {"parse_file", "parse_text", "parse_"})
    EXPECT_TRUE(globMatches("parse_{file,text,}", text)) << text;
  EXPECT_FALSE(globMatches("parse_{file,text}", "parse_"));
  EXPECT_FALSE(globMatches("parse_{file,text}", "parse_file,text"));
  EXPECT_TRUE(globMatches("{lua*,v{m,n}?}_run", "luaV_run"));
  EXPECT_TRUE(globMatches("{lua*,v{m,n}?}_run", "vn1_run"));
  EXPECT_FALSE(globMatches("{lua*,v{m,n}?}_run", "vx1_run"));
  EXPECT_TRUE(globMatches("{f[a-c],g}", "fb"));
}

TEST(Glob, CommasInBracketsArePartOfAnAlternative) {
  const char *pattern = "{f(int,char),put<int,char>,operator<,operator->}";
  for (const char *text :
       {"f(int,char)", "put<int,char>", "operator<", "operator->"})
    EXPECT_TRUE(globMatches(pattern, text)) << text;
  for (const char *text : {"f(int", "char)", "put<int", "char>"})
    EXPECT_FALSE(globMatches(pattern, text)) << text;
  EXPECT_TRUE(globMatches("f({int,char}*)", "f(char*)"));
}

TEST(Glob, BracesOfANameAreThemselves) {
  for (const char *name :
       {"f::{closure#0}", "put<Box{1,2}>", "{lambda(int,char)#1}", "f{a", "a}b",
        "{,", "a\\b", "a\\"})
    EXPECT_TRUE(globMatches(name, name)) << name;
  EXPECT_TRUE(globMatches("put<Box{1,2}>*", "put<Box{1,2}>(int)"));
  EXPECT_TRUE(globMatches("{f::{closure#0},g}", "f::{closure#0}"));
  EXPECT_TRUE(globMatches("{put,get}<Box\\{1,2\\}>", "get<Box{1,2}>"));
}

TEST(Glob, ABackslashMakesACharacterItself) {
  EXPECT_TRUE(globMatches("f\\*", "f*"));
  EXPECT_FALSE(globMatches("f\\*", "fg"));
  EXPECT_TRUE(globMatches("f\\[a]", "f[a]"));
  EXPECT_FALSE(globMatches("f\\[a]", "fa"));
  EXPECT_TRUE(globMatches("{a\\,b,c}", "a,b"));
}

TEST(Glob, ManyBracesTakeLittleTime) {
  std::string pattern, nested, name(300, 'a');
  while (pattern.size() < 4000)
    pattern += "{a,aa,*a}";
  EXPECT_FALSE(globMatches((pattern + "b").c_str(), name.c_str()));
  for (int i = 0; i < 1000; ++i)
    nested = i % 2 ? "{" + nested + ",a*}" : "{*a," + nested + "}";
  EXPECT_FALSE(globMatches((nested + "b").c_str(), name.c_str()));
  EXPECT_FALSE(globMatches((std::string(4000, '{') + ",b").c_str(), "b"));
  EXPECT_FALSE(globMatches((pattern + pattern).c_str(), name.c_str()));
  nested = std::string(2000, '{') + std::string(2000, ')') + ",b";
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(globMatches(nested.c_str(), "b"));
}

TEST(Glob, FaultsAreNamed) {
  EXPECT_EQ(globFault("lua*"), nullptr);
  EXPECT_NE(globFault(""), nullptr);
  EXPECT_NE(globFault("f[a"), nullptr);
  EXPECT_EQ(globFault("f\\[a"), nullptr);
  EXPECT_EQ(globFault("operator[](int)"), nullptr);
}
