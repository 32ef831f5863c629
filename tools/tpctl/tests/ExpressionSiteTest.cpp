// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions at points and at single instructions.

#include "expressions/PointArguments.h"
#include "expressions/Program.h"
#include "tprt/control_program.h"
#include "tprt/table.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace tpctl::expressions {
namespace {

std::string textOf(llvm::StringRef Types, llvm::StringRef Format,
                   uint8_t Style = TPRT_POINT_STYLE_PRINTF) {
  return text(signatureOfPoint("p", Types, Format, Style));
}
std::string bracesOf(llvm::StringRef Types, llvm::StringRef Format) {
  return textOf(Types, Format, TPRT_POINT_STYLE_BRACES);
}

/// The program of a key, or the error.
std::string keyOf(const Signature &S, llvm::StringRef Text) {
  auto Read = parseList("--by", Text);
  if (!Read)
    return toString(Read.takeError());
  Asked A;
  A.By = std::move(*Read);
  auto Done = compile(A, &S, Target::x86_64());
  if (!Done)
    return toString(Done.takeError());
  EXPECT_FALSE(Done->AtEnd);
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  describe(OS, *Done);
  return Result;
}
std::string messageOf(const Signature &S, llvm::StringRef Text) {
  std::string All = keyOf(S, Text);
  return llvm::StringRef(All).split('\n').first.str();
}

TEST(ExpressionSite, ArgumentsOfPointsHaveTheNamesOfTheFormat) {
  EXPECT_EQ(textOf("jz", "number=%u kind=%s"),
            "p(unsigned number, string kind)");
  EXPECT_EQ(textOf("ild", "a: %d, b = %ld (c:%g)"),
            "p(int a, long b, double c)");
  EXPECT_EQ(textOf("ii", "100%% x=%d%%, y=%+5d"), "p(int x, int y)");
  EXPECT_EQ(textOf("mz", "at=0x%lx name='%s'"),
            "p(unsigned long at, string name)");
  // A precision is an argument of its own. Then no NUL need end the string.
  EXPECT_EQ(textOf("iz", "s=%.*s"), "p(int, char *s)");
  EXPECT_EQ(textOf("z", "s=%.16s"), "p(string s)");
  // No name, a member, and two of one name.
  EXPECT_EQ(textOf("ii", "%d took %d ms"), "p(int, int)");
  EXPECT_EQ(textOf("ii", "r->id=%d 7=%d"), "p(int, int)");
  EXPECT_EQ(textOf("ii", "id=%d id=%d"), "p(int, int)");
  EXPECT_EQ(textOf("i", ""), "p(int)");
  EXPECT_EQ(textOf("i", "a=%d b=%d c=%"), "p(int a)");
  EXPECT_EQ(textOf("bcahstijlmfdpzv", ""),
            "p(bool, char, signed char, unsigned char, short, unsigned short, "
            "int, unsigned, long, unsigned long, double, double, void *, "
            "string, string)");
}

TEST(ExpressionSite, ArgumentsOfPointsMayHaveBraces) {
  EXPECT_EQ(bracesOf("iv", "id={} path={}"), "p(int id, string path)");
  EXPECT_EQ(bracesOf("id", "{{x={} y={:>8.3f}"), "p(int x, double y)");
  EXPECT_EQ(bracesOf("ij", "b={1} a={0:#x}"), "p(int a, unsigned b)");
  EXPECT_EQ(bracesOf("i", "a={"), "p(int a)");
  EXPECT_EQ(bracesOf("i", "a={99}"), "p(int)");
}

TEST(ExpressionSite, PointsHaveValues) {
  Signature S = signatureOfPoint("p", "jzdv", "n=%u s=%.4s d=%g v=%s",
                                 TPRT_POINT_STYLE_PRINTF);
  EXPECT_EQ(keyOf(S, "n"), "  0  r0 = the point's argument 0\n"
                           "  1  r0 = the lowest 32 bits of r0, unsigned\n"
                           "  2  key r0\n");
  EXPECT_EQ(keyOf(S, "arg0"), keyOf(S, "n"));
  EXPECT_EQ(keyOf(S, "d"), "  0  r0 = the point's argument 2\n"
                           "  1  key r0\n");
  EXPECT_EQ(keyOf(S, "s"), "  0  r0 = the point's argument 1\n"
                           "  1  r1 = 4\n"
                           "  2  the next string has at most r1 bytes\n"
                           "  3  key str(r0, 128)\n");
  EXPECT_NE(keyOf(S, "v").find("the next string has at most"),
            std::string::npos);
  EXPECT_EQ(keyOf(S, "function, thread"), "  0  r0 = function\n"
                                          "  1  key r0\n"
                                          "  2  r0 = thread\n"
                                          "  3  key r0\n");
}

TEST(ExpressionSite, PointsHaveNoCalls) {
  Signature S =
      signatureOfPoint("srv_parse", "j", "n=%u", TPRT_POINT_STYLE_PRINTF);
  EXPECT_EQ(keyOf(S, "n + result"),
            "--by: 'result' is known of calls, and srv_parse is a point; "
            "select functions for it\n"
            "    n + result\n"
            "        ^~~~~~");
  for (const char *Name : {"duration", "errno", "caller", "line"})
    EXPECT_EQ(messageOf(S, Name),
              std::string("--by: '") + Name +
                  "' is known of calls, and srv_parse is a point; select "
                  "functions for it");
  EXPECT_EQ(messageOf(S, "arg1"),
            "--by: the point srv_parse(unsigned n) has only arg0");
  EXPECT_EQ(messageOf(S, "m"),
            "--by: 'm' is no argument of the point srv_parse(unsigned n)");
  EXPECT_EQ(messageOf(S, "$rdi"), "--by: registers are known at single "
                                  "instructions, and srv_parse is a point");
  Signature Old = signatureOfPoint("p", "", "n=%u", TPRT_POINT_STYLE_PRINTF);
  EXPECT_EQ(messageOf(Old, "n"),
            "--by: 'n' is no argument of the point p(), because the process "
            "has an earlier libtprt, which does not tell the types of "
            "arguments");
}

/// At f+0x7.
Signature instruction() {
  Signature S;
  S.At = Site::Instruction;
  S.Function = "f+0x7";
  auto add = [&](const char *Name, Type T) -> Location & {
    S.Arguments.push_back({Name, std::move(T)});
    return S.Arguments.back().Where.emplace();
  };
  Location &InRegister = add("i", Type::integer(32, true));
  InRegister.Pieces.push_back({TPRT_PROGRAM_REGISTER, 3});
  Location &InFrame = add("n", Type::integer(32, true));
  InFrame.Pieces.push_back({TPRT_PROGRAM_REGISTER, 6});
  InFrame.IsAddress = true;
  InFrame.Addend = -20;
  Location &Sum = add("sum", Type::integer(32, true));
  Sum.Pieces.push_back({TPRT_PROGRAM_REGISTER, 3});
  Sum.Addend = 1;
  Location &Constant = add("k", Type::integer(8, true));
  Constant.IsConstant = true;
  Constant.Addend = 255;
  Location &Indirect = add("by_address", Type::integer(64, true));
  Indirect.Pieces.push_back({TPRT_PROGRAM_REGISTER, 6});
  Indirect.IsAddress = Indirect.IsIndirect = true;
  Indirect.Addend = -8;
  add("gone", Type::integer(32, true)).Why = "it is optimized out";
  // An outer variable of the same name.
  add("i", Type::integer(64, true)).Why = "it is hidden";
  return S;
}

TEST(ExpressionSite, InstructionsHaveVariables) {
  Signature S = instruction();
  EXPECT_EQ(keyOf(S, "i"), "  0  r0 = register 3\n"
                           "  1  r0 = the lowest 32 bits of r0, signed\n"
                           "  2  key r0\n");
  EXPECT_EQ(keyOf(S, "n"), "  0  r0 = register 6\n"
                           "  1  r0 = 4 bytes at r0 - 20\n"
                           "  2  r0 = the lowest 32 bits of r0, signed\n"
                           "  3  key r0\n");
  EXPECT_EQ(keyOf(S, "sum"), "  0  r0 = register 3\n"
                             "  1  r0 = r0 + 1\n"
                             "  2  r0 = the lowest 32 bits of r0, signed\n"
                             "  3  key r0\n");
  EXPECT_EQ(keyOf(S, "k"), "  0  r0 = -1\n"
                           "  1  key r0\n");
  EXPECT_EQ(keyOf(S, "by_address"), "  0  r0 = register 6\n"
                                    "  1  r0 = 8 bytes at r0 - 8\n"
                                    "  2  r0 = 8 bytes at r0\n"
                                    "  3  key r0\n");
  EXPECT_EQ(keyOf(S, "&n"), "  0  r0 = register 6\n"
                            "  1  r0 = r0 + -20\n"
                            "  2  key r0\n");
  EXPECT_EQ(messageOf(S, "gone"),
            "--by: 'gone' cannot be read: it is optimized out");
}

TEST(ExpressionSite, InstructionsHaveRegisters) {
  const std::pair<const char *, int> Registers[] = {
      {"$rax", 0}, {"$rdx", 1}, {"$rcx", 2},  {"$rbx", 3},
      {"$rsi", 4}, {"$rdi", 5}, {"$rbp", 6},  {"$rsp", 7},
      {"$r8", 8},  {"$r9", 9},  {"$r10", 10}, {"$r15", 15}};
  for (auto [Name, Number] : Registers)
    EXPECT_EQ(keyOf(instruction(), Name), "  0  r0 = register " +
                                              std::to_string(Number) +
                                              "\n  1  key r0\n");
  EXPECT_EQ(keyOf(instruction(), "*(int *)($rdi + 8)"),
            "  0  r0 = register 5\n"
            "  1  r0 = 4 bytes at r0 + 8\n"
            "  2  r0 = the lowest 32 bits of r0, signed\n"
            "  3  key r0\n");
  EXPECT_EQ(messageOf(instruction(), "$x0"),
            "--by: this processor has no register $x0; its registers are $rax, "
            "$rbx and so on to $r15");
  for (const char *Name : {"$r16", "$r08", "$xmm0", "$x31", "$eax"})
    EXPECT_EQ(messageOf(instruction(), Name),
              "--by: names have no '$' here; leave it out")
        << Name;
}

TEST(ExpressionSite, InstructionsHaveNoCalls) {
  EXPECT_EQ(keyOf(instruction(), "i, arg0"),
            "--by: 'arg0' is known when a call begins, and f+0x7 is a single "
            "instruction; write the name of a variable, or a register, as in "
            "$rdi\n"
            "    i, arg0\n"
            "       ^~~~");
  EXPECT_EQ(messageOf(instruction(), "duration"),
            "--by: 'duration' is known of calls, and f+0x7 is a single "
            "instruction; select functions for it");
  EXPECT_EQ(messageOf(instruction(), "x"),
            "--by: 'x' is no variable at f+0x7, where there are i, n, sum, k, "
            "by_address, gone");
  // A variable may have the name of something that only calls have.
  Signature S = instruction();
  S.Arguments[0].Name = "result";
  EXPECT_EQ(messageOf(S, "result"), "  0  r0 = register 3");
  Signature Call;
  Call.Function = "f";
  EXPECT_EQ(messageOf(Call, "$rdi"),
            "--by: registers are known at single instructions, as of the "
            "pattern f+0x10; when a call begins, its arguments are arg0, arg1 "
            "and so on");
}

} // namespace
} // namespace tpctl::expressions
