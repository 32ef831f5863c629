// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions about libc++'s std::string. The objects and the layouts are made
// by hand, as libc++ and debug information have them: short texts are in the
// object itself.

#include "ProgramRunner.h"
#include "expressions/Locations.h"
#include <cstring>
#include <string>

using namespace tpctl::expressions;
using llvm::StringRef;
using llvm::toString;

namespace {

const Type Word = Type::integer(64, false), Byte = Type::integer(8, false);
const Type Char{Type::Char, true, 8, 0, {}};

Type record(const char *Name, size_t Bytes, std::vector<Member> Members) {
  auto Of = std::make_shared<Layout>();
  Of->Name = Name;
  Of->Bytes = Bytes;
  Of->Read = [Members = std::move(Members)] { return Members; };
  Type T;
  T.Base = Type::Record;
  T.Of = Of;
  return T;
}

/// Where the parts of the two forms are. The characters and the capacity are at
/// either end of the object (_LIBCPP_ABI_ALTERNATE_STRING_LAYOUT).
struct Layouts {
  uint64_t Address, Capacity, ShortText, ShortByte;
  unsigned LongBit, ShortBit; ///< of the byte
};
constexpr Layouts Usual{16, 0, 1, 0, 0, 1}, Alternate{0, 16, 0, 23, 7, 0};

Type string(const Layouts &L, bool IsPair, bool HasBits) {
  Type Bits = HasBits ? record("", 1,
                               {{"__is_long_", Byte, 0, L.LongBit, 1},
                                {"__size_", Byte, 0, L.ShortBit, 7}})
                      : record("", 1, {{"__size_", Byte, 0}});
  Type Short = record(
      "__short", 24, {{"", Bits, L.ShortByte}, {"__data_", Char, L.ShortText}});
  Type Long =
      record("__long", 24,
             {{"__data_", Char.pointer(), L.Address}, {"__size_", Word, 8}});
  Type Rep = record("__rep", 24, {{"__s", Short, 0}, {"__l", Long, 0}});
  Type Element = record("__compressed_pair_elem", 24, {{"__value_", Rep, 0}});
  Type Pair = record("__compressed_pair", 24, {{"", Element, 0}});
  const char *Name = "std::__1::basic_string<char, std::__1::char_traits<char>,"
                     " std::__1::allocator<char> >";
  return IsPair ? record(Name, 24, {{"__r_", Pair, 0}})
                : record(Name, 24,
                         {{"", record("", 24, {{"__rep_", Rep, 0}}), 0}});
}

struct Object {
  uint8_t Bytes[24] = {};
  Object(const Layouts &L, const char *Text) {
    const uint64_t Length = strlen(Text);
    if (Length < 23) {
      memcpy(Bytes + L.ShortText, Text, Length + 1);
      Bytes[L.ShortByte] = static_cast<uint8_t>(Length << L.ShortBit);
      return;
    }
    const uint64_t Capacity = L.LongBit ? Length | 1ULL << 63 : Length | 1;
    memcpy(Bytes + L.Capacity, &Capacity, 8);
    memcpy(Bytes + 8, &Length, 8);
    memcpy(Bytes + L.Address, &Text, 8);
  }
};

struct ExpressionString : ::testing::Test {
  static Signature signature(const Type &T) {
    Signature S;
    S.Function = "f";
    Type Reference = T;
    Reference.IsReference = true;
    S.Arguments = {{"s", Reference}, {"p", T.pointer()}};
    return S;
  }
  static Outcome run(Asked A, const Type &T, const Object &O) {
    Signature S = signature(T);
    Hit H;
    H.Arguments = {reinterpret_cast<uint64_t>(&O),
                   reinterpret_cast<uint64_t>(&O)};
    auto P = compile(A, &S, Target::x86_64());
    EXPECT_TRUE(static_cast<bool>(P)) << toString(P.takeError());
    return P ? ProgramRunner(*P, H).run() : Outcome();
  }
  static void expectNumber(StringRef Text, int64_t Value, const Type &T,
                           const Object &O) {
    Asked A;
    A.Of = cantFail(parse("--of", Text));
    EXPECT_EQ(run(std::move(A), T, O).Value, Value) << Text.str();
  }
  static void expectText(StringRef Text, const std::string &Value,
                         const Type &T, const Object &O) {
    Asked A;
    A.By = cantFail(parseList("--by", Text));
    auto Keys = run(std::move(A), T, O).Keys;
    ASSERT_EQ(Keys.size(), 1u);
    const std::string Head{TPRT_PROGRAM_KEY_TEXT,
                           static_cast<char>(Value.size())};
    EXPECT_EQ(Keys[0], Head + Value) << Text.str();
  }
  static void expectAll(const Layouts &L, bool IsPair, bool HasBits = true) {
    const Type T = string(L, IsPair, HasBits);
    for (const char *Text : {"", "bob", "22 characters fit in it",
                             "a name that is too long for the object itself"}) {
      const Object O(L, Text);
      const std::string Copy = Text;
      const auto Length = static_cast<int64_t>(Copy.size());
      expectText("s", Copy, T, O);
      expectText("str(*p)", Copy, T, O);
      expectNumber("len(s)", Length, T, O);
      expectNumber("len(*p) * 2 + len(s)", 3 * Length, T, O);
      expectNumber("s == \"bob\"", Copy == "bob", T, O);
      expectNumber("s =~ \"*it*\" && len(s) > 1",
                   StringRef(Copy).contains("it"), T, O);
    }
  }
};

} // namespace

TEST_F(ExpressionString, OfLibcxxIsRead) { expectAll(Usual, false); }
TEST_F(ExpressionString, OfLibcxxInAPairIsRead) { expectAll(Usual, true); }
TEST_F(ExpressionString, OfLibcxxInTheAlternateLayoutIsRead) {
  expectAll(Alternate, false);
}

TEST_F(ExpressionString, OfLibcxxBeforeTheBitFieldIsRead) {
  expectAll(Usual, true, false);
  expectAll(Alternate, true, false);
}

TEST_F(ExpressionString, OfAnUnknownLayoutIsNoText) {
  Type Rep = record("__rep", 24, {{"__small", Byte, 0}, {"__l", Byte, 0}});
  Type T = record("std::__1::basic_string<char, std::__1::char_traits<char> >",
                  24, {{"__rep_", Rep, 0}});
  Asked A;
  A.By = cantFail(parseList("--by", "s"));
  Signature S = signature(T);
  auto P = compile(A, &S, Target::x86_64());
  EXPECT_FALSE(static_cast<bool>(P));
  consumeError(P.takeError());
}
