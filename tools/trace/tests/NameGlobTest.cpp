// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares patterns with the names that the tools show.
#include "NameGlob.h"
#include "Readable.h"
#include <gtest/gtest.h>

using namespace tp::trace;

namespace {

NameMatch match(const char *Pattern, const char *Linked) {
  auto Glob = NameGlob::create(Pattern);
  if (!Glob) {
    ADD_FAILURE() << llvm::toString(Glob.takeError());
    return NameMatch::None;
  }
  return Glob->match(Linked, readableName(Linked));
}

TEST(NameGlob, AShownNameIsTheWholeNameOfItsFunction) {
  for (const char *Linked :
       {"main", "_Z6sloganB5cxx11v", "_ZN5TableixEi", "_Z3sumRA3_i", "_Z1fPc",
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "_RNvC6_123foo3bar",
        "_ZN4core3fmt5write17h0123456789abcdefE", "_D8demangle4testFZv",
        "___Z3foov_block_invoke"})
    EXPECT_EQ(match(readableName(Linked).c_str(), Linked), NameMatch::Whole)
        << readableName(Linked);
}

TEST(NameGlob, TagsAndParametersMayBeLeftOut) {
  for (const char *Pattern : {"slogan", "slogan()", "slogan[abi:cxx11]()",
                              "slogan[abi:cxx11]", "_Z6sloganB5cxx11v"})
    EXPECT_EQ(match(Pattern, "_Z6sloganB5cxx11v"), NameMatch::Whole) << Pattern;
  EXPECT_EQ(match("slog", "_Z6sloganB5cxx11v"), NameMatch::None);
}

TEST(NameGlob, CopiesAndVersionsAreTheFunctions) {
  EXPECT_EQ(match("tally", "tally.constprop.0"), NameMatch::Whole);
  EXPECT_EQ(match("tally.constprop.0", "tally.constprop.0"), NameMatch::Whole);
  EXPECT_EQ(match("tally.constprop.0", "tally"), NameMatch::None);
  EXPECT_EQ(match("f(char*)", "_Z1fPc.isra.0.part.1"), NameMatch::Whole);
  EXPECT_EQ(match("dlsym", "dlsym@@GLIBC_2.34"), NameMatch::Whole);
  EXPECT_EQ(match("tal?y", "tally.part.0"), NameMatch::ByGlob);
  EXPECT_EQ(match("tally", "tally.cold"), NameMatch::None);
  EXPECT_EQ(match("tally", "tally.func1"), NameMatch::None);
}

TEST(NameGlob, GlobsHaveChoicesAndClasses) {
  EXPECT_EQ(match("{f,g}", "_Z1fPc"), NameMatch::ByGlob);
  EXPECT_EQ(match("[fg]", "_Z1fPc"), NameMatch::ByGlob);
  // If a function is named f(char*), the pattern is its whole name, and this
  // comparison is not made.
  EXPECT_EQ(match("f(char*)", "_Z1fPKc"), NameMatch::ByGlob);
  EXPECT_EQ(match("f(char*)", "_Z1fPc"), NameMatch::Whole);
  EXPECT_EQ(match("f*", "_Z1fPKc"), NameMatch::ByGlob);
  EXPECT_EQ(match("{g,h}", "_Z1fPc"), NameMatch::None);
}

TEST(NameGlob, ANameThatIsNotLinkedIsComparedAsItIsShown) {
  auto Glob = NameGlob::create("ns::f");
  ASSERT_TRUE(bool(Glob));
  EXPECT_EQ(Glob->match("", "ns::f(int)"), NameMatch::Whole);
  EXPECT_EQ(Glob->match("", "ns::g(int)"), NameMatch::None);
}

TEST(NameGlob, AnEmptyPatternIsAnError) {
  auto Glob = NameGlob::create("");
  EXPECT_FALSE(bool(Glob));
  llvm::consumeError(Glob.takeError());
}

} // namespace
