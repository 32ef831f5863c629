// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which part of a demangled name is the function's own name, and which
// globs match a linked name.
#include "core/cppname.h"

#include <gtest/gtest.h>
#include <string>

using tprt::demangledMatches;

// The name without its parameters and without its result's type.
static std::string nameIn(const std::string &plain) {
  const char *parameters = tprt::parametersOf(plain.c_str());
  const char *end = parameters ? parameters : plain.c_str() + plain.size();
  return {tprt::behindResult(plain.c_str(), end), end};
}

TEST(CppName, EndsWhereTheParametersBegin) {
  EXPECT_EQ(nameIn("ns::f(int)"), "ns::f");
  EXPECT_EQ(nameIn("ns::f"), "ns::f");
  EXPECT_EQ(nameIn("f(int (*)(char))"), "f");
  EXPECT_EQ(nameIn("(anonymous namespace)::f(int)"),
            "(anonymous namespace)::f");
  EXPECT_EQ(nameIn("f(int) (.cold)"), "f");
  EXPECT_EQ(nameIn("f(int) [clone .cold]"), "f");
}

TEST(CppName, BeginsBehindTheResult) {
  EXPECT_EQ(nameIn("void std::sort<int*>(int*, int*)"), "std::sort<int*>");
  EXPECT_EQ(nameIn("unsigned long ns::f<char>(char)"), "ns::f<char>");
  EXPECT_EQ(nameIn("std::map<int, long> const& ns::f<int>(int)"), "ns::f<int>");
  EXPECT_EQ(nameIn("std::enable_if<((3)>(2)), void>::type f<int>()"), "f<int>");
  EXPECT_EQ(nameIn("void (anonymous namespace)::f<int>(int)"),
            "(anonymous namespace)::f<int>");
}

TEST(CppName, KeepsTheSpacesOfItsOwn) {
  EXPECT_EQ(nameIn("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(nameIn("Till::operator()(int) const"), "Till::operator()");
  EXPECT_EQ(nameIn("Till::operator unsigned long() const"),
            "Till::operator unsigned long");
  EXPECT_EQ(nameIn("std::ostream& std::operator<< <char>(std::ostream&, char)"),
            "std::operator<< <char>");
  EXPECT_EQ(nameIn("my_operator f<int>(int)"), "f<int>");
  EXPECT_EQ(nameIn("ns::f(int, char) const::{lambda(int)#1}::operator()(int)"),
            "ns::f(int, char) const::{lambda(int)#1}::operator()");
}

// void ns::put<int>(int)
static constexpr char kPut[] = "_ZN2ns3putIiEEvT_";

TEST(CppName, MatchesWithAndWithoutResultAndParameters) {
  EXPECT_TRUE(demangledMatches("void ns::put<int>(int)", kPut));
  EXPECT_TRUE(demangledMatches("void ns::put<int>", kPut));
  EXPECT_TRUE(demangledMatches("ns::put<int>(int)", kPut));
  EXPECT_TRUE(demangledMatches("ns::put<int>", kPut));
  EXPECT_TRUE(demangledMatches("ns::*", kPut));
  EXPECT_TRUE(demangledMatches("void *", kPut));
  EXPECT_FALSE(demangledMatches("put<int>", kPut));
  EXPECT_FALSE(demangledMatches("s::*", kPut));
  EXPECT_FALSE(demangledMatches("int*", kPut));
  EXPECT_FALSE(demangledMatches("*", "no_cpp_name"));
}
