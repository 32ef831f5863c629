// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the demangler: the forms of names, which are those of llvm-cxxfilt, and
// its limits. tools/trace/tests compares the demangler with LLVM's on thousands
// of names.
#include "demangle/demangle.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

using namespace tprt::names;

static std::string readable(const std::string &linked) {
  struct Room {
    Memory memory;
    char text[kMostBytes];
  };
  static auto room = std::make_unique<Room>();
  Parts parts;
  return demangle(linked.c_str(), room->memory, room->text, sizeof room->text,
                  parts)
             ? room->text
             : linked;
}

TEST(Demangle, HasTheFormsOfLLVM) {
  struct {
    const char *linked, *plain;
  } rows[] = {
      {"_ZlsIiEvT_", "void operator<<<int>(int)"},
      {"_ZltIiEvT_", "void operator<<int>(int)"},
      {"_ZN4GridixEm", "Grid::operator[](unsigned long)"},
      {"_Z1fDn", "f(std::nullptr_t)"},
      {"_Z3fooIiEvT_.constprop.0", "void foo<int>(int) (.constprop.0)"},
      {"_ZZ3fooIiEvT_ENKUlT_E_clIcEEDaS0_",
       "auto void foo<int>(int)::'lambda'(auto)::operator()<char>(int) const"},
      {"_ZZ4mainENK3$_0clEi", "main::$_0::operator()(int) const"},
      {"_ZN1AC2Ev", "A::A()"},
      {"_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, "
                    "std::allocator<char>>::basic_string()"},
      {"_Z1fIXsr3stdE9is_same_vIiiEEEvv", "void f<std::is_same_v<int, int>>()"},
      {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
      {"_ZN1AcviEv", "A::operator int()"},
      {"_ZW3foo1fv", "f@foo()"},
      {"_ZNW3foo1A1fEv", "A@foo::f()"},
      {"_Z6chooseIiEPFiiET_", "int (*choose<int>(int))(int)"},
      {"_Z1fM1AKFivE", "f(int (A::*)() const)"},
      {"_Zli3_kmy", "operator\"\" _km(unsigned long long)"},
      {"_Z4tuneIL4Mode1ELm3ELb1EEii", "int tune<(Mode)1, 3ul, true>(int)"},
      {"_Z4manyIJilcEEiDpT_", "int many<int, long, char>(int, long, char)"},
      {"_ZNKO5Outer5Inner2goEi", "Outer::Inner::go(int) const &&"},
      {"_Z1fIJEEvDpT_", "void f<>()"},
      {"_Z1fRA3_i", "f(int (&) [3])"},
      {"_Z1fRA3_A4_i", "f(int (&) [3][4])"},
      {"_ZGVZ1fvE1x", "guard variable for f()::x"},
      {"_ZTV1A", "vtable for A"},
      {"_ZThn16_N1A1fEv", "non-virtual thunk to A::f()"},
      {"_ZNK1AssERKS_", "A::operator<=>(A const&) const"},
      {"_ZZ1fvE1s_0", "f()::s"},
      {"_ZZ1fvEs", "f()::string literal"},
      {"_ZZ1fiEd_NKUlvE_clEv", "f(int)::'lambda'()::operator()() const"},
      {"_Z1fU8__vectorf", "f(float __vector)"},
      {"_Z1fDv4_f", "f(float vector[4])"},
      {"_Z1fPU3AS1i", "f(int AS1*)"},
      {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"},
      {"_Z1fIiQsr3stdE8integralIT_EEvT_", "void f<int>(int)"},
      {"_ZNK1Q4heck1fIiEEDTcl1gfp_EET_",
       "decltype(g(fp)) Q::heck::f<int>(int) const"},
      {"_ZN1AB5cxx111fB3fooEv", "A[abi:cxx11]::f[abi:foo]()"},
      {"_Z1fPFvvE", "f(void (*)())"},
      {"_Z1fPKFviE", "f(void (*)(int) const)"},
      {"_Z1fIXadL_Z1gvEEEvv", "void f<&g()>()"},
      {"_Z1fIXadL_ZN1A1gEvEEEvv", "void f<&A::g()>()"},
      {"_Z1fIL_Z1gvEEvv", "void f<g()>()"},
      {"_Z1fILin5ELc97EEvv", "void f<-5, (char)97>()"},
      {"_ZN1fIJLi1ELi2EEE3fooILb0EJEEEvv", "void f<1, 2>::foo<false>()"},
      {"_Z1fIiEvDTcmcvPvLi0ELi1EE", "void f<int>(decltype((void*)(0), 1))"},
      {"_RNvXNtCs1234_1a3geoINtB2_1PdENtB2_4Area4area",
       "<a::geo::P<f64> as a::geo::Area>::area"},
      {"_RNCNvC1a4main0", "a::main::{closure#0}"},
      {"_RINvC1a3arrKj3_EB2_", "a::arr::<3>"},
      {"_RNvC1au7gre_lka", "a::gÚre"},
      {"_Z3sumIJlcEEDTcvifp_EDpT_",
       "decltype((int)(fp)) sum<long, char>(long, char)"},
      {"_ZZ4mainENKUlvE0_clEv", "main::'lambda0'()::operator()() const"},
      {"_ZNKSt8functionIFivEEclEv",
       "std::function<int ()>::operator()() const"},
      {"_Z1fIiEDTplfp_fp_ET_", "decltype(fp + fp) f<int>(int)"},
      {"_Z3allIJiiEEbDpT_", "bool all<int, int>(int, int)"},
  };
  for (const auto &row : rows)
    EXPECT_EQ(readable(row.linked), row.plain);
}

TEST(Demangle, DecodesWhatOldRustEscapes) {
  EXPECT_EQ(readable("_ZN52_$LT$a..P$LT$T$GT$$u20$as$u20$core..fmt..Display$GT$"
                     "3fmt17h0123456789abcdefE"),
            "<a::P<T> as core::fmt::Display>::fmt");
}

TEST(Demangle, LeavesWhatIsNoNameOrBeyondTheLimits) {
  std::string nested = "_Z1f", list = "_Z1fIiE";
  for (int i = 0; i < 60000; ++i)
    nested += 'P';
  for (int i = 0; i < 3000; ++i)
    list += "PS_";
  std::string types = "_Z1f";
  for (int i = 0; i < 4000; ++i)
    types += "1a";
  for (const std::string &name :
       {std::string("main"), std::string("_Z"), std::string("_ZN"),
        std::string("_Zno"), std::string("_Z1fi_rest"), std::string("_R"),
        std::string("_RB_"), std::string("_Z9999999999f"), nested + "i", list,
        types})
    EXPECT_EQ(readable(name), name);
}

TEST(Demangle, ReadsNothingAfterACutName) {
  const std::string whole =
      "_ZNSt8__detail9__variant17__gen_vtable_implIXaasr1AIT_E5valuentsr1BE1vEE"
      "EDTcl1gfp_EEOS_";
  for (size_t length = 0; length <= whole.size(); ++length)
    readable(whole.substr(0, length)); // no crash, also under the sanitizers
}
