// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions about structures, compared with what the C++ compiler computes.
// The layouts are written by hand, as debug information has them.

#include "ProgramRunner.h"
#include "expressions/Locations.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// GCC and clang know the offsets in all classes.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

using namespace tpctl::expressions;
using llvm::StringRef;
using llvm::toString;

namespace {

enum class Mode : uint8_t { Read = 1, Write = 200 };

struct Inner {
  int16_t Low;
  double Real;
};

struct Request {
  int32_t Id;
  unsigned Kind : 3;
  int Step : 7;
  unsigned Flags : 22;
  Mode How;
  bool IsOld;
  char Name[8];
  Inner In;
  Request *Next;
  float Ratio;
  int64_t Table[2][3];
  const char *Path;
  std::string User;
  std::string_view View;
  std::vector<int32_t> Items;
  int32_t *Alias; // the layout calls it a reference
};

const Type Int = Type::integer(32, true), Long = Type::integer(64, true);
const Type Char{Type::Char, true, 8, 0, {}};

Type recordOf(std::shared_ptr<Layout> Of) {
  Type T;
  T.Base = Type::Record;
  T.Of = std::move(Of);
  return T;
}

Type record(const char *Name, size_t Bytes,
            std::function<std::vector<Member>()> Read) {
  auto Of = std::make_shared<Layout>();
  Of->Name = Name;
  Of->Bytes = Bytes;
  Of->Read = std::move(Read);
  return recordOf(Of);
}

Type arrayOf(const Type &Element, uint64_t Count) {
  auto Of = std::make_shared<Layout>();
  Of->Element = Element;
  Of->Count = Count;
  Of->Bytes = Count * Element.bytes();
  Type T;
  T.Base = Type::Array;
  T.Of = Of;
  return T;
}

Type mode() {
  auto Of = std::make_shared<Layout>();
  Of->Name = "Mode";
  Of->Enumerators = {{"Read", 1}, {"Write", 200}};
  Type T = Type::integer(8, false);
  T.Base = Type::Enumeration;
  T.Of = Of;
  return T;
}

Type inner() {
  return record("Inner", sizeof(Inner), [] {
    return std::vector<Member>{
        {"Low", Type::integer(16, true), offsetof(Inner, Low)},
        {"Real", Type::floating(64), offsetof(Inner, Real)}};
  });
}

// libstdc++'s members.
Type string() {
  Type Pointer = record("_Alloc_hider", 8, [] {
    return std::vector<Member>{{"_M_p", Char.pointer(), 0}};
  });
  return record("std::__cxx11::basic_string<char, std::char_traits<char> >", 32,
                [=] {
                  return std::vector<Member>{
                      {"_M_dataplus", Pointer, 0},
                      {"_M_string_length", Type::integer(64, false), 8}};
                });
}

Type view() {
  return record(
      "std::basic_string_view<char, std::char_traits<char> >", 16, [] {
        return std::vector<Member>{{"_M_len", Type::integer(64, false), 0},
                                   {"_M_str", Char.pointer(), 8}};
      });
}

Type vector() {
  Type Impl = record("_Vector_impl", 24, [] {
    return std::vector<Member>{{"_M_start", Int.pointer(), 0},
                               {"_M_finish", Int.pointer(), 8}};
  });
  return record("std::vector<int, std::allocator<int> >", 24,
                [=] { return std::vector<Member>{{"_M_impl", Impl, 0}}; });
}

Type request() {
  return record("Request", sizeof(Request), [] {
    Type Reference = Int;
    Reference.IsReference = true;
    Type Bits = Type::integer(32, false);
    // The three bit-fields share the word after Id.
    return std::vector<Member>{
        {"Id", Int, offsetof(Request, Id)},
        {"Kind", Bits, 4, 0, 3},
        {"Step", Int, 4, 3, 7},
        {"Flags", Bits, 4, 10, 22},
        {"How", mode(), offsetof(Request, How)},
        {"IsOld", {Type::Bool, false, 8, 0, {}}, offsetof(Request, IsOld)},
        {"Name", arrayOf(Char, 8), offsetof(Request, Name)},
        {"In", inner(), offsetof(Request, In)},
        {"Next", request().pointer(), offsetof(Request, Next)},
        {"Ratio", Type::floating(32), offsetof(Request, Ratio)},
        {"Table", arrayOf(arrayOf(Long, 3), 2), offsetof(Request, Table)},
        {"Path", Char.pointer(), offsetof(Request, Path)},
        {"User", string(), offsetof(Request, User)},
        {"View", view(), offsetof(Request, View)},
        {"Items", vector(), offsetof(Request, Items)},
        {"Alias", Reference, offsetof(Request, Alias)}};
  });
}

struct Global : Scope {
  std::optional<Type> findType(StringRef Name) const override {
    return Name == "Request" ? std::optional(request()) : std::nullopt;
  }
  std::optional<Scope::Global> findGlobal(StringRef Name) const override {
    if (Name != "counter")
      return std::nullopt;
    return Scope::Global{Int, reinterpret_cast<uint64_t>(&Counter)};
  }
  std::optional<std::pair<Type, uint64_t>>
  findConstant(StringRef Name) const override {
    if (Name != "Mode::Write")
      return std::nullopt;
    return std::pair(mode(), uint64_t{200});
  }
  static int32_t Counter;
};
int32_t Global::Counter = -17;

// r is a pointer, q is a reference, and i and v are values in registers.
Signature signature() {
  Signature S;
  S.Function = "f";
  S.Names = std::make_shared<Global>();
  S.Arguments.push_back({"r", request().pointer()});
  Type Reference = request();
  Reference.IsReference = true;
  S.Arguments.push_back({"q", Reference});
  S.Arguments.push_back({"i", inner()});
  S.Arguments.push_back({"v", view()});
  S.Arguments.push_back({"x", Type::floating(64)});
  S.Arguments.push_back({"y", Type::floating(32)});
  S.Result = Type::floating(64);
  return S;
}

class ExpressionMember : public testing::Test {
protected:
  ExpressionMember()
      : First{-5,
              5,
              -33,
              77777,
              Mode::Write,
              true,
              "alice",
              {-300, 2.5},
              &Second,
              0.25F,
              {{1, 2, 3}, {4, 5, 6}},
              "/etc",
              "a name that is too long for the object itself",
              Text,
              {7, 8, 9},
              &Target},
        Second{6,
               1,
               2,
               3,
               Mode::Read,
               false,
               {'e', 'i', 'g', 'h', 't', 'e', 'e', 'n'},
               {1, -0.5},
               &First,
               1e10F,
               {},
               "x",
               "bob",
               Text,
               {},
               &Target} {
    H.Arguments = {reinterpret_cast<uint64_t>(&First),
                   reinterpret_cast<uint64_t>(&Second),
                   uint16_t(-7),
                   4,
                   reinterpret_cast<uint64_t>("viewless"),
                   0};
    H.Vectors = {llvm::bit_cast<uint64_t>(0.125),
                 llvm::bit_cast<uint64_t>(-1.5),
                 llvm::bit_cast<uint32_t>(3.25F) | 0xabcdULL << 32};
    H.VectorResults[0] = llvm::bit_cast<uint64_t>(99.5);
  }
  Outcome run(Asked A) {
    Signature S = signature();
    auto P = compile(A, &S, Target::x86_64());
    EXPECT_TRUE(static_cast<bool>(P)) << toString(P.takeError());
    return P ? ProgramRunner(*P, H).run() : Outcome();
  }
  void expectNumber(StringRef Text, int64_t Value) {
    Asked A;
    A.Of = cantFail(parse("--of", Text));
    EXPECT_EQ(run(std::move(A)).Value, Value) << Text.str();
  }
  void expectDouble(StringRef Text, double Value) {
    Asked A;
    A.Of = cantFail(parse("--of", Text));
    auto Found = run(std::move(A)).Value;
    ASSERT_TRUE(Found) << Text.str();
    EXPECT_EQ(llvm::bit_cast<double>(*Found), Value) << Text.str();
  }
  void expectText(StringRef Text, std::string Value) {
    Asked A;
    A.By = cantFail(parseList("--by", Text));
    auto Keys = run(std::move(A)).Keys;
    ASSERT_EQ(Keys.size(), 1u);
    std::string Bytes{TPRT_PROGRAM_KEY_TEXT, static_cast<char>(Value.size())};
    EXPECT_EQ(Keys[0], Bytes + Value) << Text.str();
  }
  std::string messageOf(StringRef Text) {
    Asked A;
    A.If = cantFail(parse("--if", Text));
    Signature S = signature();
    auto P = compile(A, &S, Target::x86_64());
    if (P)
      return "";
    std::string All = toString(P.takeError());
    return StringRef(All).split('\n').first.drop_front(6).str();
  }

  const char *Text = "hello world";
  static int32_t Target;
  Request First, Second;
  Hit H;
};
int32_t ExpressionMember::Target = 1234;

} // namespace

#define EXPECT_SAME(...)                                                       \
  expectNumber(#__VA_ARGS__, static_cast<int64_t>(__VA_ARGS__))

TEST_F(ExpressionMember, AreReadAsC) {
  Request *r = &First, &q = Second;
  EXPECT_SAME(r->Id);
  EXPECT_SAME(r->Id + q.Id);
  EXPECT_SAME(r->Kind);
  EXPECT_SAME(r->Step);
  EXPECT_SAME(r->Flags);
  EXPECT_SAME(r->Step + q.Step * 3);
  EXPECT_SAME(r->IsOld);
  EXPECT_SAME(r->In.Low);
  EXPECT_SAME((&r->In)->Low);
  EXPECT_SAME((*r).Id);
  EXPECT_SAME(r->Next->Id);
  EXPECT_SAME(q.Next->Next->Id);
  EXPECT_SAME(r[0].Id);
  EXPECT_SAME(r->Table[1][2]);
  EXPECT_SAME(*r->Table[1]);
  EXPECT_SAME(r->Table[q.Kind][r->Kind - 4]);
  EXPECT_SAME(r->Path[1]);
  EXPECT_SAME(r->Name[0] == 'a');
  EXPECT_SAME(&r->Table[1] - &r->Table[0]);
  EXPECT_SAME(&r->Next->Id == &q.Id);
  EXPECT_SAME(&q != r);
  EXPECT_SAME((r->Step < 0 ? r->Id : q.Id) * 2);
  expectNumber("r->How == Mode::Write", 1);
  expectNumber("r->How + 0", 200);
  expectNumber("counter * 2", -34);
  expectNumber("((Request *)arg0)->Id", -5);
  expectNumber("((struct Request *)arg0)->Next->Id", 6);
  expectNumber("len(r->Table)", 2);
  expectNumber("len(r->Items)", 3);
  expectNumber("len(q.Items)", 0);
  expectNumber("len(r->User)", 45);
  expectNumber("len(v)", 4);
  expectNumber("i.Low", -7);
  expectNumber("r->Alias + 1", 1235);
  expectNumber("*&r->Alias", 1234);
}

namespace {

/// A structure of two longs.
Type pair(uint64_t Alignment) {
  auto Of = std::make_shared<Layout>();
  Of->Bytes = 16;
  Of->Alignment = Alignment;
  Of->Read = [] { return std::vector<Member>{{"a", Long, 0}, {"b", Long, 8}}; };
  return recordOf(Of);
}

Type other(uint64_t Bytes) {
  Type T;
  T.Base = Type::Other;
  auto Of = std::make_shared<Layout>();
  Of->Bytes = Bytes;
  T.Of = Of;
  return T;
}

/// Where the last argument is, after six registers and `Before`.
Location lastOf(std::vector<Type> Before, const Type &Last) {
  Signature S;
  for (unsigned I = 0; I < 6; ++I)
    S.Arguments.push_back({"r", Long});
  for (const Type &T : Before)
    S.Arguments.push_back({"b", T});
  S.Arguments.push_back({"last", Last});
  return locateArguments(S, Target::x86_64()).back();
}

} // namespace

TEST(Locations, AlignArgumentsInMemory) {
  EXPECT_EQ(lastOf({Long}, pair(16)).Pieces.at(0).Number, 2);
  EXPECT_EQ(lastOf({Long, pair(16)}, Long).Pieces.at(0).Number, 4);
  EXPECT_EQ(lastOf({Long}, pair(8)).Pieces.at(0).Number, 1);
  EXPECT_EQ(lastOf({Long, Long}, pair(0)).Pieces.at(0).Number, 2);
}

TEST(Locations, AreUnknownAfterAnUnknownAlignment) {
  EXPECT_EQ(lastOf({Long}, pair(0)).Why,
            "it is in memory, and its alignment is unknown");
  EXPECT_EQ(lastOf({pair(32)}, Long).Why,
            "it is in memory after an argument of unknown size or alignment");
}

TEST(Locations, AreUnknownIfAPartHasAnUnknownType) {
  auto recordWith = [](const Type &Part) {
    return record("R", 16, [=] {
      return std::vector<Member>{{"n", Long, 0}, {"part", Part, 8}};
    });
  };
  Signature S;
  S.Arguments = {{"r", recordWith(other(8))}, {"n", Long}};
  for (const Location &L : locateArguments(S, Target::x86_64()))
    EXPECT_TRUE(L.Pieces.empty());
  // GCC passes it in a register, clang in memory.
  S.Arguments = {{"r", recordWith(arrayOf(Char, 0))}, {"n", Long}};
  for (const Location &L : locateArguments(S, Target::x86_64()))
    EXPECT_TRUE(L.Pieces.empty());
  // Whether there is a hidden argument for the result.
  S.Arguments = {{"n", Long}};
  for (const Type &Result : {recordWith(other(8)), other(32)}) {
    S.Result = Result;
    EXPECT_TRUE(locateArguments(S, Target::x86_64())[0].Pieces.empty());
  }
  S.Result = other(16);
  EXPECT_FALSE(locateArguments(S, Target::x86_64())[0].Pieces.empty());
}

TEST(Locations, HaveBothWordsOfAPackedBitField) {
  Signature S;
  S.Arguments = {{"r", record("R", 16, [] {
                    return std::vector<Member>{{"a", Long, 0, 0, 60},
                                               {"b", Long, 0, 60, 60}};
                  })}};
  EXPECT_EQ(locateArguments(S, Target::x86_64())[0].Pieces.size(), 2u);
}

TEST_F(ExpressionMember, AreDoublesAsC) {
  Request *r = &First, &q = Second;
  double x = -1.5;
  float y = 3.25F;
  EXPECT_SAME(r->In.Real < q.In.Real);
  EXPECT_SAME(r->In.Real > 2);
  EXPECT_SAME(r->Ratio == 0.25);
  EXPECT_SAME(!(x < y));
  EXPECT_SAME(x != y && y);
  EXPECT_SAME((int)x);
  EXPECT_SAME((unsigned char)(y * 10));
  EXPECT_SAME((bool)r->Ratio);
  EXPECT_SAME(x ? 1 : 2);
  EXPECT_SAME(!x);
  expectDouble("x * y + 1", x * y + 1);
  expectDouble("-x / 3", -x / 3);
  expectDouble("y / 3", static_cast<double>(y / 3));
  expectDouble("y + 1e10f", static_cast<double>(y + 1e10F));
  expectDouble("r->Id / 2.0", r->Id / 2.0);
  expectDouble("q.Ratio", static_cast<double>(q.Ratio));
  expectDouble("(double)r->Flags", r->Flags);
  expectDouble("(float)0.1", static_cast<double>(0.1F));
  expectDouble("x < 0 ? x : r->Id", x);
  expectDouble("i.Real", 0.125);
  expectDouble("result - 1", 98.5);
}

TEST_F(ExpressionMember, AreTexts) {
  expectText("r->User", First.User);
  expectText("str(q.User)", "bob");
  expectText("r->Name", "alice");
  // Eight characters without a NUL.
  expectText("q.Name", "eighteen");
  expectText("str(r->Path)", "/etc");
  expectText("v", "view");
  expectText("r->View", "hello world");
  expectNumber("r->User == \"bob\"", 0);
  expectNumber("q.User == \"bob\"", 1);
  expectNumber("q.Name == \"eighteen\"", 1);
  expectNumber("q.Name =~ \"eight*\"", 1);
  expectNumber("v == \"view\"", 1);
  expectNumber("\"view\" != v", 0);
  expectNumber("r->View =~ \"*world\"", 1);
}

TEST_F(ExpressionMember, HaveErrorsThatHelp) {
  EXPECT_EQ(messageOf("r.Id"), "r is a pointer; write '->' in place of '.'");
  EXPECT_EQ(messageOf("q->Id"), "q is no pointer; write '.' in place of '->'");
  EXPECT_EQ(messageOf("r->Ib"),
            "'Ib' is no member of Request; did you mean 'Id'?");
  EXPECT_EQ(messageOf("i.Size"),
            "'Size' is no member of Inner, whose members are Low, Real");
  EXPECT_EQ(messageOf("r->In"),
            "r->In is a Inner; choose one of its members, such as 'Low'");
  EXPECT_EQ(messageOf("r->User > 3"),
            "r->User is a std::__cxx11::basic_string<char, "
            "std::char_traits<char> >, and this operator needs a number; "
            "len(r->User) is its length");
  EXPECT_EQ(messageOf("r->User"),
            "r->User is a std::__cxx11::basic_string<char, "
            "std::char_traits<char> >, and a condition needs a number; compare "
            "it, as in r->User == \"text\"; len(r->User) is its length");
  EXPECT_EQ(messageOf("r->Id.x"), "r->Id has no members");
  EXPECT_EQ(messageOf("&r->Kind"),
            "r->Kind is not in memory, so it has no address");
  EXPECT_EQ(messageOf("(Request)arg0"),
            "a cast is to a number or a pointer, as in (Request *)arg0");
  EXPECT_EQ(messageOf("x->y"), "x has no members");
}
