// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles expressions and runs the programs: what they read, what is known of
// a hit, their keys and values, and their operations.

#include "ExpressionRun.h"
#include "expressions/Prototypes.h"

using namespace llvm;
using namespace tpctl::expressions;

/// The lines of describe(), without their numbers.
static std::string described(const Asked &A, const Signature *S = nullptr) {
  std::string Whole, Result;
  raw_string_ostream OS(Whole);
  describe(OS, programOf(A, S));
  SmallVector<StringRef> Lines;
  StringRef(Whole).split(Lines, '\n', -1, false);
  for (StringRef Line : Lines)
    Result += (Result.empty() ? "" : "; ") + Line.drop_front(5).str();
  return Result;
}

TEST(Expression, DoesNotEvaluateWhatCSkips) {
  Hit H; // address 0 cannot be read
  EXPECT_EQ(valueOf("arg0 && *(int *)arg0", H), 0);
  EXPECT_EQ(valueOf("!arg0 || *(int *)arg0", H), 1);
  EXPECT_EQ(valueOf("arg0 ? *(int *)arg0 : -5", H), -5);
  EXPECT_EQ(valueOf("!arg0 ? -6 : *(int *)arg0", H), -6);
  EXPECT_EQ(run(asked("arg0 && *(int *)arg0", "", ""), nullptr, H).Kind,
            Outcome::Filtered);
}

TEST(Expression, IsUnknownWhereMemoryOrADivisionIs) {
  Hit H;
  EXPECT_EQ(valueOf("*(int *)arg0 + 1", H), std::nullopt);
  EXPECT_EQ(valueOf("5 / arg0", H), std::nullopt);
  EXPECT_EQ(run(asked("5 % arg0", "", ""), nullptr, H).Kind, Outcome::Unread);
  EXPECT_EQ(run(asked("str(arg0) == \"a\"", "", ""), nullptr, H).Kind,
            Outcome::Unread);
  Outcome O = run(asked("", "str(arg0), *(int *)arg0, arg1", ""), nullptr, H);
  std::string Unknown(1, TPRT_PROGRAM_KEY_UNKNOWN);
  EXPECT_EQ(O.Keys, (std::vector{Unknown, Unknown, keyOf(0)}));
}

TEST(Expression, ReadsMemory) {
  const struct {
    int First, Second;
    unsigned char Bytes[4];
    short Short;
    bool Truth;
    const char *Text;
  } Data = {-7, 40, {200, 201, 0, 255}, -3, true, "text"};
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>(&Data);
  H.Arguments[1] = 1;
  EXPECT_EQ(valueOf("*(int *)arg0", H), -7);
  EXPECT_EQ(valueOf("*(unsigned *)arg0", H), 4294967289);
  EXPECT_EQ(valueOf("*(int *)(arg0 + 4)", H), 40);
  EXPECT_EQ(valueOf("((int *)arg0)[arg1]", H), 40);
  EXPECT_EQ(valueOf("((int *)arg0)[1] + ((int *)arg0)[0]", H), 33);
  EXPECT_EQ(valueOf("*((int *)arg0 + arg1)", H), 40);
  EXPECT_EQ(valueOf("*(arg1 + (int *)arg0)", H), 40);
  EXPECT_EQ(valueOf("((int *)(arg0 + 8))[-1]", H), 40);
  EXPECT_EQ(valueOf("*(1 + (int *)arg0 - arg1 + 1)", H), 40);
  EXPECT_EQ(valueOf("((uint8_t *)(arg0 + 8))[3]", H), 255);
  EXPECT_EQ(valueOf("((int8_t *)(arg0 + 8))[3]", H), -1);
  EXPECT_EQ(valueOf("*(short *)(arg0 + 12)", H), -3);
  EXPECT_EQ(valueOf("*(bool *)(arg0 + 14)", H), 1);
  EXPECT_EQ(valueOf("**(char **)(arg0 + 16)", H), 't');
  EXPECT_EQ(valueOf("((char **)arg0)[2][1]", H), 'e');
  EXPECT_EQ(valueOf("(long)(((char **)arg0)[2] + 3) - *(long *)(arg0 + 16)", H),
            3);
  EXPECT_EQ(valueOf("((int *)arg0 + 5) - (int *)arg0", H), 5);
  EXPECT_EQ(valueOf("(short *)arg0 - ((short *)arg0 + arg1)", H), -1);
  EXPECT_EQ(valueOf("(int *)arg0 < (int *)arg0 + 1", H), 1);
  EXPECT_EQ(valueOf("(char *)arg0 == arg0", H), 1);
  EXPECT_EQ(valueOf("!(char *)arg0 + ((void *)arg0 && 1)", H), 1);
  EXPECT_EQ(valueOf("(void *)-1 == -1", H), 1);
  // Plain char is signed on x86-64 and unsigned on AArch64.
  EXPECT_EQ(valueOf("*(char *)(arg0 + 8)", H, nullptr, Target::x86_64()), -56);
  EXPECT_EQ(valueOf("*(char *)(arg0 + 8)", H, nullptr, Target::aarch64()), 200);
  EXPECT_EQ(valueOf("'\\xff' < 0", H, nullptr, Target::x86_64()), 1);
  EXPECT_EQ(valueOf("'\\xff' < 0", H, nullptr, Target::aarch64()), 0);
}

TEST(Expression, ComparesStrings) {
  const char *Path = "/etc/passwd";
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>(Path);
  EXPECT_EQ(valueOf("str(arg0) == \"/etc/passwd\"", H), 1);
  EXPECT_EQ(valueOf("\"/etc/passwd\" == str(arg0)", H), 1);
  EXPECT_EQ(valueOf("str(arg0) != \"/etc/passwd\"", H), 0);
  EXPECT_EQ(valueOf("\"/etc\" != str(arg0)", H), 1);
  EXPECT_EQ(valueOf("str(arg0) =~ \"/etc/*\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0) !~ \"/etc/*\"", H), 0);
  EXPECT_EQ(valueOf("str(arg0) =~ \"/e?c/[a-p]*[!x]\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0 + 5) == \"passwd\"", H), 1);
  EXPECT_EQ(valueOf("str(arg0) == \"\\x2fetc\\057passwd\"", H), 1);
  EXPECT_EQ(
      run(asked("str(arg0) !~ \"/usr/*\" && !(str(arg0) == \"a\")", "", ""),
          nullptr, H)
          .Kind,
      Outcome::Counted);
  EXPECT_EQ(run(asked("!(str(arg0) !~ \"/usr/*\")", "", ""), nullptr, H).Kind,
            Outcome::Filtered);
  // A string that is in the text, or is the end of one that is, is not stored
  // again.
  Program P = programOf(asked("str(arg0) == \"abc\" || str(arg0) == \"bc\"", "",
                              "str(arg0) =~ \"abc\""),
                        nullptr);
  EXPECT_EQ(StringRef(P.Bytes).take_back(4), StringRef("abc\0", 4));
  EXPECT_EQ(P.Bytes.find("abc"), P.Bytes.size() - 4);
}

TEST(Expression, KnowsEscapesInGlobs) {
  Hit H;
  auto matches = [&](const char *Glob, const char *Text) {
    H.Arguments[0] = reinterpret_cast<uint64_t>(Text);
    return valueOf("str(arg0) =~ \"" + std::string(Glob) + '"', H);
  };
  // Each backslash of the glob is two in the string.
  EXPECT_EQ(matches(R"(a\\\\*)", "a*"), 0);
  EXPECT_EQ(matches(R"(a\\*)", "a*"), 1);
  EXPECT_EQ(matches(R"(a\\*)", "ab"), 0);
  EXPECT_EQ(matches(R"(a\\?*)", "a?c"), 1);
  EXPECT_EQ(matches(R"(a\\[1])", "a[1]"), 1);
  EXPECT_EQ(matches(R"(a\\[1])", "a1"), 0);
  EXPECT_EQ(matches(R"(\\\\*)", R"(\x)"), 1);
  EXPECT_EQ(matches(R"(\\d)", "d"), 1);
  EXPECT_EQ(matches("{a}", "{a}"), 1);
}

TEST(Expression, HasStringsAsKeys) {
  Hit H;
  H.Arguments[0] = reinterpret_cast<uint64_t>("abcdef");
  Outcome O = run(asked("", "str(arg0), str(arg0, 6), (str(arg0 + 1, 2))", ""),
                  nullptr, H);
  auto Key = [](int Kind, StringRef Text) {
    return std::string(1, static_cast<char>(Kind)) +
           static_cast<char>(Text.size()) + Text.str();
  };
  EXPECT_EQ(O.Keys, (std::vector{Key(TPRT_PROGRAM_KEY_TEXT, "abcdef"),
                                 Key(TPRT_PROGRAM_KEY_TEXT, "abcdef"),
                                 Key(TPRT_PROGRAM_KEY_CUT_TEXT, "bc")}));
}

TEST(Expression, KnowsUnits) {
  EXPECT_EQ(valueOf("4K"), 4096);
  EXPECT_EQ(valueOf("1M + 1G"), (1 << 20) + (1 << 30));
  EXPECT_EQ(valueOf("2G * 2"), 4ll << 30);
  EXPECT_EQ(valueOf("5ns + 5us + 5ms + 5s"), 5005005005);
  EXPECT_EQ(valueOf("10UL + 10u + 10LL + 0x10ULL"), 46);
  EXPECT_EQ(valueOf("18446744073709551615U == -1"), 1);
}

TEST(Expression, KnowsTheHit) {
  Hit H;
  H.Result = static_cast<uint64_t>(-2);
  H.Duration = 3000;
  H.Thread = 77;
  H.Caller = 0x401000;
  H.Function = 9;
  H.ErrorNumber = 13;
  EXPECT_EQ(valueOf("result", H), -2);
  EXPECT_EQ(valueOf("result < 0", H), 1);
  EXPECT_EQ(valueOf("duration / 1us", H), 3);
  EXPECT_EQ(valueOf("duration > 2us", H), 1);
  EXPECT_EQ(valueOf("thread", H), 77);
  EXPECT_EQ(valueOf("errno == 13", H), 1);
  EXPECT_EQ(valueOf("caller == 0x401000", H), 1);
  Outcome O =
      run(asked("", "process, caller, function, thread", ""), nullptr, H);
  EXPECT_EQ(O.Keys, (std::vector{keyOf(0x401000), keyOf(9), keyOf(77)}));
}

TEST(Expression, HasStacksAsKeysAndValues) {
  Hit H;
  EXPECT_EQ(run(asked("", "stack(8), arg0, stack()", ""), nullptr, H).Keys,
            (std::vector<std::string>{"stack(8)", keyOf(H.Arguments[0]),
                                      "stack(16)"}));
  Asked A;
  A.Print = cantFail(parseList("--print", "stack(1),stack(63)"));
  EXPECT_EQ(run(A, nullptr, H).Keys,
            (std::vector<std::string>{"stack(1)", "stack(63)"}));
  Program P = programOf(asked("", "stack(64)", ""), nullptr);
  EXPECT_EQ(P.Keys[0].Kind, KeyFormat::Stack);
  EXPECT_EQ(P.Keys[0].Heading, "stack(64)");
  EXPECT_FALSE(P.AtEnd);
  EXPECT_FALSE(cantFail(parse("--by", "stack(8)")).needsTypes());
  // An argument may have the name.
  Signature S = declared("int f(long stack)");
  EXPECT_EQ(programOf(asked("", "stack", ""), &S).Keys[0].Kind,
            KeyFormat::Signed);
}

TEST(Expression, RunsAtTheEndOnlyIfItMust) {
  auto atEnd = [](StringRef If, StringRef By, StringRef Of) {
    return programOf(asked(If, By, Of), nullptr).AtEnd;
  };
  EXPECT_FALSE(atEnd("arg0", "caller, function, thread, process", "arg1"));
  EXPECT_TRUE(atEnd("result", "", ""));
  EXPECT_TRUE(atEnd("", "arg0, -duration", ""));
  EXPECT_TRUE(atEnd("", "", "0 && errno"));
  EXPECT_TRUE(cantFail(parse("--if", "1 + !duration")).needsEnd());
}

TEST(Expression, ComputesValuesToPrint) {
  Asked A;
  A.If = cantFail(parse("--if", "arg0 > 2"));
  A.Print = cantFail(parseList("--print", "arg1, arg0 * 2, 1, 2, 3, 4, 5, 6"));
  Hit H;
  H.Arguments = {3, 9};
  const Outcome O = run(A, nullptr, H);
  EXPECT_EQ(O.Keys, (std::vector{keyOf(9), keyOf(6), keyOf(1), keyOf(2),
                                 keyOf(3), keyOf(4), keyOf(5), keyOf(6)}));
  const Program P = programOf(A, nullptr);
  EXPECT_FALSE(P.AtEnd);
  ASSERT_EQ(P.Keys.size(), 8u);
  EXPECT_EQ(P.Keys[1].Heading, "arg0 * 2");
  A.Print.push_back(cantFail(parse("--print", "result")));
  EXPECT_TRUE(errorToBool(compile(A, nullptr).takeError()));
  A.Print.erase(A.Print.begin());
  EXPECT_TRUE(programOf(A, nullptr).AtEnd);
}

TEST(Expression, UsesPrototypes) {
  Hit H;
  H.Arguments = {3, 0xdead, 0xffffffffffffffff};
  H.Result = 0x5555ffffffff; // -1 as an int
  EXPECT_EQ(valueOf("fd", H, findPrototype("read")), 3);
  EXPECT_EQ(valueOf("count > 1", H, findPrototype("read")), 1);
  EXPECT_EQ(valueOf("result", H, findPrototype("close")), -1);
  EXPECT_EQ(valueOf("result == -1", H, findPrototype("close")), 1);
  EXPECT_EQ(valueOf("result == -1", H), 0);
  // arg0 stays a word without a type.
  EXPECT_EQ(valueOf("arg2 < 0", H, findPrototype("read")), 1);
}

TEST(Expression, SaysHowKeysAndValuesArePrinted) {
  Signature S = declared("bool f(char c, unsigned short h, char *p, size_t z, "
                         "bool b, int i)");
  Program P = programOf(asked("", " arg0 , c,(i),h ", ""), &S);
  ASSERT_EQ(P.Keys.size(), 4u);
  EXPECT_EQ(P.Keys[0].Kind, KeyFormat::Hex);
  EXPECT_EQ(P.Keys[0].Heading, "arg0");
  EXPECT_EQ(P.Keys[1].Kind, KeyFormat::Character);
  EXPECT_EQ(P.Keys[2].Kind, KeyFormat::Signed);
  EXPECT_EQ(P.Keys[2].Bits, 32u);
  EXPECT_EQ(P.Keys[2].Heading, "(i)");
  EXPECT_EQ(P.Keys[3].Kind, KeyFormat::Unsigned);
  EXPECT_EQ(P.Keys[3].Bits, 16u);
  auto kind = [&](StringRef Text) {
    return programOf(asked("", Text, ""), &S).Keys[0].Kind;
  };
  EXPECT_EQ(kind("arg0 + 1"), KeyFormat::Signed);
  EXPECT_EQ(kind("i ? arg0 : arg1"), KeyFormat::Hex);
  EXPECT_EQ(kind("p"), KeyFormat::Address);
  EXPECT_EQ(kind("str(p)"), KeyFormat::Text);
  EXPECT_EQ(kind("b"), KeyFormat::Bool);
  EXPECT_EQ(kind("result"), KeyFormat::Bool);
  EXPECT_EQ(kind("caller"), KeyFormat::Code);
  EXPECT_EQ(kind("function"), KeyFormat::Function);
  EXPECT_EQ(kind("func"), KeyFormat::Function);
  EXPECT_EQ(kind("sym(arg1)"), KeyFormat::Symbol);
  EXPECT_EQ(kind("process"), KeyFormat::Process);
  EXPECT_EQ(kind("thread"), KeyFormat::Thread);
  EXPECT_EQ(kind("duration"), KeyFormat::Time);
  EXPECT_EQ(kind("duration / 1ms"), KeyFormat::Unsigned);
  auto format = [](StringRef Text) {
    return programOf(asked("", "", Text), nullptr).Value;
  };
  EXPECT_EQ(format("duration"), ValueFormat::Time);
  EXPECT_EQ(format("duration - 2ms"), ValueFormat::Time);
  EXPECT_EQ(format("(duration + 2ms)"), ValueFormat::Time);
  EXPECT_EQ(format("duration * 2"), ValueFormat::Number);
  EXPECT_EQ(format("result"), ValueFormat::Number);
  Asked A = asked("", "", "duration");
  A.Histogram = true;
  tprt_program_head Head;
  memcpy(&Head, programOf(A, nullptr).Bytes.data(), sizeof Head);
  EXPECT_EQ(Head.flags, unsigned{TPRT_PROGRAM_AT_END | TPRT_PROGRAM_HISTOGRAM});
}

// Each operation costs time at each hit.
TEST(Expression, NeedsFewOperations) {
  const Signature *Malloc = findPrototype("malloc"),
                  *Close = findPrototype("close");
  auto filter = [](StringRef If, const Signature *S = nullptr) {
    return described(asked(If, "", ""), S);
  };
  StringRef Filter = "; if r0 is 0, do not count the hit";
  auto expect = [&](StringRef If, StringRef Lines,
                    const Signature *S = nullptr) {
    EXPECT_EQ(filter(If, S), (Lines + Filter).str()) << If.str();
  };
  expect("arg0 < 100", "r0 = arg0; r0 = r0 < 100");
  expect("arg0 <= 2 * 4K", "r0 = arg0; r0 = r0 <= 8192");
  expect("arg0 > 100", "r0 = arg0; r1 = 100; r0 = r1 < r0");
  expect("!(arg0 > 100)", "r0 = arg0; r0 = r0 <= 100");
  expect("100 > arg0", "r0 = arg0; r0 = r0 < 100");
  expect("size >= 4K", "r0 = arg0; r1 = 4096; r0 = r1 <= unsigned r0", Malloc);
  expect("size < 4K", "r0 = arg0; r0 = r0 < unsigned 4096", Malloc);
  expect("size", "r0 = arg0", Malloc);
  expect("size > 0", "r0 = arg0", Malloc);
  expect("size != 0", "r0 = arg0", Malloc);
  expect("!size", "r0 = arg0; r0 = r0 == 0", Malloc);
  expect("result < 0",
         "r0 = result; r0 = the lowest 32 bits of r0, signed; r0 = r0 < 0",
         Close);
  expect("duration > 2ms",
         "r0 = duration; r1 = 2000000; r0 = r1 < unsigned r0");
  expect("*(int *)(arg0 + 8) == 3",
         "r0 = arg0; r0 = 4 bytes at r0 + 8; "
         "r0 = the lowest 32 bits of r0, signed; r0 = r0 == 3");
  expect("((long *)arg0)[2]", "r0 = arg0; r0 = 8 bytes at r0 + 16");
  expect("str(arg0) =~ \"/etc/*\"", "r0 = arg0; r0 = str(r0) =~ \"/etc/*\"");
  expect("arg0 & 1", "r0 = arg0; r0 = r0 & 1");
  expect("arg0 || arg1", "r0 = arg0; if r0 is not 0, go to 3; r0 = arg1");
  EXPECT_EQ(filter("size >= 4K && size < 1M", Malloc),
            "r15 = arg0; r0 = 4096; r0 = r0 <= unsigned r15; if r0 is 0, do "
            "not count the hit; r0 = r15 < unsigned 1048576; if r0 is 0, do "
            "not count the hit");
  EXPECT_EQ(filter("1"), "");
  EXPECT_EQ(described(asked("", "thread, arg0", "result")),
            "r0 = thread; key r0; r0 = arg0; key r0; r0 = result; value r0");
  EXPECT_EQ(described(asked("", "str(arg0, 9)", "arg1 > 3 ? 0x123456789 : 0")),
            "r0 = arg0; key str(r0, 9); r0 = arg1; r0 = r0 <= 3; "
            "if r0 is not 0, go to 8; r0 = 591751049; "
            "r0 = 0x1 in the upper half; go to 9; r0 = 0; value r0");
  EXPECT_EQ(described(asked("", "process", "")), "");
}
