// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which patterns match a linked name: its printed form, and the forms
// that users and other tools write.
#include "names/match.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using tprt::NameMatch;

static NameMatch match(const char *pattern, const char *linked) {
  static auto forms = std::make_unique<tprt::NameForms>();
  std::vector<char> room(tprt::NamePattern::bytesFor(pattern));
  forms->set(linked);
  return tprt::NamePattern(pattern, room.data()).matches(*forms);
}

static bool matches(const char *pattern, const char *linked) {
  return match(pattern, linked) != NameMatch::None;
}

// void ns::put<int>(int)
static constexpr char kPut[] = "_ZN2ns3putIiEEvT_";

TEST(Matching, TakesNamesWithAndWithoutResultAndParameters) {
  for (const char *pattern : {"void ns::put<int>(int)", "void ns::put<int>",
                              "ns::put<int>(int)", "ns::put<int>", kPut})
    EXPECT_EQ(match(pattern, kPut), NameMatch::Whole) << pattern;
  for (const char *pattern : {"ns::*", "void *", "_ZN2ns*"})
    EXPECT_EQ(match(pattern, kPut), NameMatch::ByGlob) << pattern;
  for (const char *pattern : {"put<int>", "s::*", "int*", ""})
    EXPECT_EQ(match(pattern, kPut), NameMatch::None) << pattern;
  EXPECT_FALSE(matches("f*", "no_cpp_name"));
}

TEST(Matching, KnowsWhereTheNameOfALocalFunctionBegins) {
  // auto void foo<int>(int)::'lambda'(auto)::operator()<char>(int) const
  const char *name = "_ZZ3fooIiEvT_ENKUlT_E_clIcEEDaS0_";
  EXPECT_TRUE(matches("foo<int>(int)::*", name));
  EXPECT_TRUE(matches("foo<int>(int)::'lambda'(auto)::operator()<char>", name));
}

TEST(Matching, WantsAnABITagOnlyIfThePatternHasOne) {
  const char *name = "_Z6sloganB5cxx11v";
  for (const char *pattern :
       {"slogan", "slogan()", "slogan[abi:cxx11]()", "slogan[abi:cxx11]"})
    EXPECT_EQ(match(pattern, name), NameMatch::Whole) << pattern;
  EXPECT_FALSE(matches("slogan[abi:v2]()", name));
  EXPECT_TRUE(matches("f(A::B)", "_Z1fN1AB5cxx111BE"));
}

TEST(Matching, TakesABracketForItselfWhereTheNameHasOne) {
  EXPECT_EQ(match("Grid::operator[](unsigned long)", "_ZN4GridixEm"),
            NameMatch::Whole);
  EXPECT_TRUE(matches("*operator[]*", "_ZN4GridixEm"));
  EXPECT_TRUE(matches("total_of(int const (&) [3])", "_Z8total_ofRA3_Ki"));
  EXPECT_TRUE(matches("f[0-9](int (&) [3])", "_Z2f7RA3_i"));
  EXPECT_TRUE(matches("f[0-9]", "_Z2f7i"));
}

TEST(Matching, TellsAWholeNameFromAGlob) {
  EXPECT_EQ(match("f(char*)", "_Z1fPc"), NameMatch::Whole);
  EXPECT_EQ(match("f(char*)", "_Z1fPciPi"), NameMatch::ByGlob);
  EXPECT_EQ(match("G::operator*() const", "_ZNK1GdeEv"), NameMatch::Whole);
  EXPECT_EQ(match("G::operator*() const", "_ZNK1GntEv"), NameMatch::ByGlob);
}

TEST(Matching, KnowsTheSpellingsOfOtherDemanglers) {
  EXPECT_TRUE(
      matches("f(std::vector<std::vector<int> >)", "_Z1fSt6vectorIS_IiEE"));
  EXPECT_TRUE(matches("f(decltype(nullptr),int)", "_Z1fDni"));
  EXPECT_TRUE(matches("main::{lambda(int)#1}::operator()(int) const",
                      "_ZZ4mainENKUliE_clEi"));
  EXPECT_TRUE(matches("main::{lambda(int)#3}::operator()(int) const",
                      "_ZZ4mainENKUliE1_clEi"));
  EXPECT_TRUE(
      matches("main::{unnamed type#1}::call(int)", "_ZZ4mainENUt_4callEi"));
  EXPECT_TRUE(matches("f(int) [clone .cold]", "_Z1fi.cold"));
}

TEST(Matching, KnowsTheShortNamesOfTables) {
  const char *name = "_Z3putRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaI"
                     "cEEESt6vectorIiSaIiEE";
  EXPECT_TRUE(matches("put(std::string const&, std::vector<int>)", name));
  EXPECT_TRUE(matches("put(std::string const&, std::vector<\u2026>)", name));
  EXPECT_TRUE(matches("put(\u2026)", name));
}

TEST(Matching, KnowsAShortNameThatHasLostAllOfStd) {
  // acme::list<int, std::allocator<int>>::grow()
  const char *name = "_ZN4acme4listIiSaIiEE4growEv";
  EXPECT_EQ(match("acme::list<int>::grow()", name), NameMatch::Whole);
  EXPECT_TRUE(matches("acme::list<int>::*", name));
  EXPECT_TRUE(matches("acme::list<\u2026>::grow()", name));
  EXPECT_FALSE(matches("acme::list<long>::grow()", name));
  // acme::put(acme::list<char, std::char_traits<char>> const&, int)
  EXPECT_EQ(match("acme::put(acme::list<char> const&, int)",
                  "_ZN4acme3putERKNS_4listIcSt11char_traitsIcEEEi"),
            NameMatch::Whole);
}

TEST(Matching, LeavesOutTheHashOfRust) {
  const char *name = "_ZN3geo10P$LT$T$GT$4show17h0123456789abcdefE";
  EXPECT_EQ(match("geo::P<T>::show", name), NameMatch::Whole);
  EXPECT_EQ(match("geo::P<T>::show::h0123456789abcdef", name),
            NameMatch::Whole);
  EXPECT_FALSE(matches("geo::P<T>::show::h0123456789abcdee", name));
  EXPECT_TRUE(matches("<a::geo::P<f64> as a::geo::Area>::area",
                      "_RNvXNtCs1234_1a3geoINtB2_1PdENtB2_4Area4area"));
}

TEST(Matching, SplitsAtTheModuleAndNotInAName) {
  auto module = [](const std::string &text) {
    const char *bang = tprt::splitAtModule(text.c_str());
    return bang ? text.substr(0, static_cast<size_t>(bang - text.c_str()))
                : std::string("none");
  };
  EXPECT_EQ(module("libc.so*!malloc"), "libc.so*");
  EXPECT_EQ(module("lib[!a]!f"), "lib[!a]");
  EXPECT_EQ(module("app!G::operator!() const"), "app");
  for (const char *name :
       {"G::operator!() const", "operator!=", "operator[]", "operator()(int)",
        "f<!is_same<int>::value>()", "G::operator<=>(G const&)"})
    EXPECT_EQ(module(name), "none") << name;
  EXPECT_EQ(module("lib!operator<(A, B)"), "lib");
}

TEST(Matching, TakesAlternativesInAllForms) {
  for (const char *pattern :
       {"ns::{put,get}<int>", "{void ns::put<int>(int),g}", "{ns,*}::put*",
        "{ns::put<int>(int), g(char, int)}", "_ZN{2ns,3abc}*"})
    EXPECT_EQ(match(pattern, kPut), NameMatch::ByGlob) << pattern;
  for (const char *pattern : {"ns::{get,set}<int>", "ns::{put,get}", "{,}"})
    EXPECT_NE(match(pattern, kPut), NameMatch::Whole) << pattern;
  EXPECT_FALSE(matches("ns::{get,set}<int>", kPut));
}

TEST(Matching, BracesOfANameAreNoAlternatives) {
  // main::{lambda(int, char)#1}::operator()(int, char) const
  constexpr char kLambda[] = "_ZZ4mainENKUlicE_clEic";
  EXPECT_EQ(match("main::{lambda(int, char)#1}::operator()(int, char) const",
                  kLambda),
            NameMatch::Whole);
  EXPECT_TRUE(matches("main::{lambda(int, char)#1}*", kLambda));
  EXPECT_FALSE(matches("main::{lambda(int, char)#2}*", kLambda));
}
