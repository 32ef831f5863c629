// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how names are shortened: what is removed, what remains, and the effect
// of a width.
#include "names/short_names.h"
#include "gtest/gtest.h"

#include <string>

static std::string shortened(std::string name, size_t width = 0) {
  return tprt_name_shorten(name.data(), width);
}

static std::string demangled(const char *name, size_t size = 1000) {
  std::string out(size, 'x');
  return tprt_name_demangle(name, out.data(), size);
}

#define STRING                                                                 \
  "std::__cxx11::basic_string<char, std::char_traits<char>, "                  \
  "std::allocator<char> >"

TEST(ShortNames, HaveTheStandardLibrarysOwnAliases) {
  EXPECT_EQ(shortened("f(" STRING " const&)"), "f(std::string const&)");
  EXPECT_EQ(shortened("f(std::__1::basic_string<wchar_t, "
                      "std::__1::char_traits<wchar_t>, "
                      "std::__1::allocator<wchar_t>>)"),
            "f(std::wstring)");
  EXPECT_EQ(shortened("std::basic_ostream<char, std::char_traits<char> >& "
                      "std::operator<< <std::char_traits<char> >(int)"),
            "std::ostream& std::operator<< <std::char_traits<char>>(int)");
  EXPECT_EQ(shortened("std::basic_thing<int>::f()"),
            "std::basic_thing<int>::f()");
}

TEST(ShortNames, HaveNoAllocators) {
  EXPECT_EQ(
      shortened("f(std::vector<" STRING ", std::allocator<" STRING " > >)"),
      "f(std::vector<std::string>)");
  EXPECT_EQ(shortened("std::map<int, long, std::less<int>, "
                      "std::allocator<std::pair<int const, long> > >::at(int)"),
            "std::map<int, long, std::less<int>>::at(int)");
  // An allocator remains if it is not the last argument of a template, or if it
  // is the name itself.
  EXPECT_EQ(shortened("f(int, std::allocator<int>)"),
            "f(int, std::allocator<int>)");
  EXPECT_EQ(shortened("std::allocator<int>::deallocate()"),
            "std::allocator<int>::deallocate()");
}

TEST(ShortNames, KeepWhatTheyDoNotKnow) {
  for (const char *name :
       {"", "main", "operator<", "f(", "a<b", "a>b", "x)", "operator->*(int)",
        "(anonymous namespace)::f(int)", "g()::{lambda(int)#1}::operator()"})
    EXPECT_EQ(shortened(name), name);
}

TEST(Width, CollapsesInnerArgumentsFirst) {
  const char *name = "f<outer<inner<deepest>, second>, third>(long, int)";
  EXPECT_EQ(shortened(name, 100), name);
  EXPECT_EQ(shortened(name, 45),
            "f<outer<inner<\u2026>, second>, third>(long, int)");
  EXPECT_EQ(shortened(name, 35), "f<outer<\u2026>, third>(long, int)");
  EXPECT_EQ(shortened(name, 20), "f<\u2026>(long, int)");
  EXPECT_EQ(shortened(name, 10), "f<\u2026>(\u2026)");
  EXPECT_EQ(shortened(name, 5), "f<\u2026>\u2026");
}

TEST(Width, TakesOperatorsForNoBrackets) {
  EXPECT_EQ(shortened("operator<<(std::vector<long_type>, int_type)", 42),
            "operator<<(std::vector<\u2026>, int_type)");
  EXPECT_EQ(shortened("a::operator->(std::vector<long_type>)", 30),
            "a::operator->(std::vector<\u2026>)");
  EXPECT_EQ(shortened("a::operator()(std::vector<long_type>)", 20),
            "a::operator()(\u2026)");
}

TEST(Width, NeverMakesANameLonger) {
  for (size_t width = 1; width < 12; ++width)
    for (const char *name : {"a", "ab", "f<a>(b)", "f<abc>(abc)",
                             "\u00e4\u00f6"
                             "\u00fc"}) {
      std::string out = shortened(name, width);
      EXPECT_LE(out.size(), std::string(name).size() + 1) << name << width;
      EXPECT_LE(tprt::columnsOf(out.c_str()), tprt::columnsOf(name));
    }
}

TEST(Demangled, IsAsWrittenOrAsItWas) {
  EXPECT_EQ(demangled("_Z1fli"), "f(long, int)");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znot_a_name"), "_Znot_a_name");
  EXPECT_EQ(demangled("_ZN3geo4area17h0123456789abcdefE"), "geo::area");
  EXPECT_EQ(demangled("_RNvC3geo4area"), "geo::area");
  EXPECT_EQ(demangled("_Z1fli", 4), "f(l");
  char nothing = 'x';
  tprt_name_demangle("main", &nothing, 0);
  EXPECT_EQ(nothing, 'x');
}
