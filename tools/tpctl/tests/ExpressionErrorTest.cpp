// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what is said about expressions that are wrong.

#include "expressions/Program.h"
#include "expressions/Prototypes.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace tpctl::expressions;

namespace {

std::string textOf(Error E) {
  EXPECT_TRUE(E.isA<tpctl::UsageError>());
  return toString(std::move(E));
}

/// The error of an option's expression, with the line and the caret.
std::string errorOf(StringRef Option, StringRef Text,
                    StringRef Declaration = "",
                    const Target &Machine = Target::x86_64()) {
  std::optional<Signature> S;
  if (!Declaration.empty())
    S = cantFail(parseDeclaration(Declaration));
  Asked A;
  if (Option == "--by") {
    auto P = parseList(Option, Text);
    if (!P)
      return textOf(P.takeError());
    A.By = *P;
  } else {
    auto P = parse(Option, Text);
    if (!P)
      return textOf(P.takeError());
    (Option == "--if" ? A.If : A.Of) = *P;
  }
  auto Compiled = compile(A, S ? &*S : nullptr, Machine);
  return Compiled ? "" : textOf(Compiled.takeError());
}

/// Only the message, without its option, the line and the caret.
std::string messageOf(StringRef Text, StringRef Declaration = "",
                      StringRef Option = "--if") {
  std::string Whole = errorOf(Option, Text, Declaration);
  StringRef Message = StringRef(Whole).split('\n').first;
  return Message.drop_front(std::min(Message.size(), Option.size() + 2)).str();
}

} // namespace

TEST(ExpressionError, PointsToItsPlace) {
  EXPECT_EQ(errorOf("--if", "sise > 100", "void *malloc(size_t size)"),
            "--if: 'sise' is no argument of malloc(size_t size); did you mean "
            "'size'?\n"
            "    sise > 100\n"
            "    ^~~~");
  EXPECT_EQ(errorOf("--of", "str(arg0)"),
            "--of: str(arg0) is text, and a sum needs a number\n"
            "    str(arg0)\n"
            "    ^~~~~~~~~");
  EXPECT_EQ(errorOf("--of", "1 + (arg0 / 0)"), "--of: this is a division by 0\n"
                                               "    1 + (arg0 / 0)\n"
                                               "        ~~~~~~^~~~");
  EXPECT_EQ(errorOf("--by", "thread, (arg0"),
            "--by: the closing ')' is missing\n"
            "    thread, (arg0\n"
            "            ^");
  EXPECT_EQ(errorOf("--if", "arg0 +"), "--if: a value is missing after this\n"
                                       "    arg0 +\n"
                                       "          ^");
  // Tabs are one column, and characters of several bytes are, too.
  EXPECT_EQ(errorOf("--if", "str(arg0)\t== \"\u00e4\" && x"),
            "--if: 'x' is no known name; arguments without a prototype are "
            "arg0 to arg5\n"
            "    str(arg0) == \"\u00e4\" && x\n"
            "                        ^");
}

TEST(ExpressionError, SaysWhichNamesThereAre) {
  EXPECT_EQ(messageOf("resutl"),
            "'resutl' is no known name; did you mean 'result'?");
  EXPECT_EQ(messageOf("Duration > 2"),
            "'Duration' is no known name; did you mean 'duration'?");
  EXPECT_EQ(messageOf("xyzzy"), "'xyzzy' is no known name; arguments without a "
                                "prototype are arg0 to arg5");
  EXPECT_EQ(messageOf("xyzzy", "int close(int fd)"),
            "'xyzzy' is no argument of close(int fd)");
  // As other tracers call them.
  EXPECT_EQ(messageOf("retval < 0"),
            "'retval' is no known name; did you mean 'result'?");
  EXPECT_EQ(messageOf("pid", "int close(int fd)", "--by"),
            "'pid' is no argument of close(int fd); did you mean 'process'?");
  EXPECT_EQ(messageOf("pid == 3", "int kill(pid_t pid, int sig)"), "");
  EXPECT_EQ(messageOf("$retval"), "names have no '$' here; leave it out");
  EXPECT_EQ(messageOf("arg6"), "'arg6': only arg0 to arg5 are in registers");
  EXPECT_EQ(errorOf("--if", "arg6", "", Target::aarch64()), "");
  EXPECT_EQ(messageOf("g", "int f(int a, int b, int c, int d, int e, int f, "
                           "int g)"),
            "");
  EXPECT_EQ(messageOf("o", "int f(int a, int b, int c, int d, int e, int f, "
                           "int g, int h, int i, int j, int k, int l, int m, "
                           "int n, int o)"),
            "'o' cannot be read: it is in memory, after the first 8 words of "
            "arguments");
  EXPECT_EQ(messageOf("result", "void free(void *ptr)"),
            "free(void *ptr) has no result");
}

TEST(ExpressionError, ExplainsTypes) {
  EXPECT_EQ(messageOf("str(arg0)"),
            "str(arg0) is text, and a condition needs a number; compare it, as "
            "in str(arg0) == \"text\"");
  EXPECT_EQ(messageOf("str(arg0) + 1"),
            "str(arg0) is text, and this operator needs a number");
  EXPECT_EQ(messageOf("\"a\" == \"b\""),
            "these are two strings; one side has to be str(ADDRESS)");
  EXPECT_EQ(messageOf("str(arg0) == str(arg1)"),
            "two strings of the process cannot be compared; one side has to be "
            "a string in \"\"");
  EXPECT_EQ(messageOf("str(arg0) == arg1"),
            "str() is compared with a string in \"\"");
  EXPECT_EQ(messageOf("str(arg0) =~ arg1"),
            "the right side has to be a glob in \"\", as in str(arg0) =~ "
            "\"/etc/*\"");
  EXPECT_EQ(messageOf("str(arg0) =~ \"*.{c,h}\""),
            "a glob of a string has no alternatives in {}; write two "
            "comparisons with || or && between them");
  EXPECT_EQ(messageOf("arg0 == \"a\""),
            "arg0 is no text; write str(arg0) for the string at this address");
  EXPECT_EQ(messageOf("str(arg0, 4) == \"abcd\""),
            "str() with a length is only possible as a key; for the beginning "
            "of a string write str(arg0) =~ \"...*\"");
  EXPECT_EQ(messageOf("str(arg0, 0)"),
            "the length of str() is a number from 1 to 128");
  EXPECT_EQ(messageOf("str(arg0, 129)"),
            "the length of str() is a number from 1 to 128");
  EXPECT_EQ(messageOf("str(fd) == \"\"", "int close(int fd)"),
            "fd is of the type int, and str() needs an address");
  EXPECT_EQ(messageOf("arg0 ? str(arg0) : str(arg1)", "", "--by"),
            "str(arg0) is text, and '?:' needs numbers; choose the address "
            "inside of str()");
  EXPECT_EQ(messageOf("\"a\"", "", "--by"),
            "this string is the same for all calls; a key is str(ADDRESS) or a "
            "number");
  EXPECT_EQ(messageOf("function == 3"),
            "'function' can only be a key alone, as in --by function");
  EXPECT_EQ(messageOf("process", "", "--of"),
            "'process' can only be a key alone, as in --by process");
  EXPECT_EQ(messageOf("ptr", "void free(void *ptr)", "--of"),
            "ptr is an address, and a sum needs a number");
  EXPECT_EQ(messageOf("ptr & 7", "void free(void *ptr)"),
            "ptr is an address, and this operator needs a number; cast it, as "
            "in (long)ptr");
  EXPECT_EQ(messageOf("-ptr", "void free(void *ptr)"),
            "ptr is an address, and this operator needs a number");
  EXPECT_EQ(messageOf("*ptr", "void free(void *ptr)"),
            "ptr points to something unknown; cast it, as in *(int *)ptr");
  EXPECT_EQ(messageOf("x & 1", "void f(double x)"),
            "this operator needs whole numbers; cast, as in (long)x");
  EXPECT_EQ(messageOf("~x", "void f(double x)"),
            "x is a floating-point number, and this operator needs a whole "
            "number");
  EXPECT_EQ(messageOf("x == p", "void f(double x, void *p)"),
            "an address and a floating-point number have no common type");
  EXPECT_EQ(messageOf("(void *)x", "void f(double x)"),
            "x is a floating-point number, and no address");
  EXPECT_EQ(messageOf("str(x)", "void f(double x)", "--by"),
            "x is of the type double, and str() needs an address");
  EXPECT_EQ(messageOf("*arg0"), "arg0 is no pointer; write the type of what is "
                                "read, as in *(int *)arg0");
  EXPECT_EQ(messageOf("*(arg0 + 8)"), "(arg0 + 8) is no pointer; write the "
                                      "type of what is read, as in *(int "
                                      "*)(arg0 + 8)");
  EXPECT_EQ(messageOf("arg0[1]"), "arg0 is no pointer; write the type of what "
                                  "is read, as in *(int *)arg0");
  EXPECT_EQ(messageOf("(int *)arg0 - (char *)arg1"),
            "these pointers point to types of different sizes; cast them to "
            "char *");
  EXPECT_EQ(messageOf("(double)p", "void f(void *p)"),
            "p is an address, and a cast to double needs a number");
  EXPECT_EQ(messageOf("(void)arg0"), "a cast to void has no value");
  EXPECT_EQ(messageOf("(short long)arg0"), "'short long' is no type of C");
  EXPECT_EQ(messageOf("arg0 << 64"), "a shift of long is by 0 to 63 bits");
  EXPECT_EQ(messageOf("(int)arg0 >> 32"), "a shift of int is by 0 to 31 bits");
  EXPECT_EQ(messageOf("arg0 % (2 - 2)"), "this is a division by 0");
}

TEST(ExpressionError, ExplainsSyntax) {
  EXPECT_EQ(messageOf(""), "the expression is empty");
  EXPECT_EQ(messageOf("arg0 = 3"), "'=' would assign; compare with '=='");
  EXPECT_EQ(messageOf("arg0 += 3"),
            "'+=' would change a value, and expressions only read");
  EXPECT_EQ(messageOf("arg0++"),
            "'++' would change a value, and expressions only read");
  EXPECT_EQ(messageOf("--arg0"),
            "'--' would change a value, and expressions only read");
  EXPECT_EQ(messageOf("arg0->x"),
            "arg0 has no known type; cast it, as in ((struct NAME *)arg0)->x");
  EXPECT_EQ(messageOf("p.x", "void f(void *p)"), "p has no members");
  EXPECT_EQ(messageOf("p->", "void f(void *p)"),
            "the name of a member is missing after '->'");
  EXPECT_EQ(messageOf("((struct s *)arg0)"), "the type 's' is unknown");
  EXPECT_EQ(messageOf("(s *)p == 3", "void f(void *p)"),
            "the type 's' is unknown, because f is known by its prototype "
            "only");
  EXPECT_EQ(messageOf("len(p)", "void f(void *p)"),
            "p has no known length; len() takes a std::string, a "
            "std::string_view, a std::vector or an array");
  EXPECT_EQ(messageOf("strlen(arg0)"),
            "an expression cannot call a function; only str(ADDRESS), "
            "len(STRING), sym(ADDRESS), buf(ADDRESS, BYTES), entry(NUMBER) "
            "and stack(FRAMES) look like calls");
  EXPECT_EQ(messageOf("arg0, arg1"), "only --by takes several expressions");
  EXPECT_EQ(messageOf("arg0)"), "there is no '(' before this ')'");
  EXPECT_EQ(messageOf("arg0]"), "there is no '[' before this ']'");
  EXPECT_EQ(messageOf("arg0 : 1"), "there is no '?' before this ':'");
  EXPECT_EQ(messageOf("arg0 ? 1"), "the ':' of this '?' is missing");
  EXPECT_EQ(messageOf("arg0 arg1"), "an operator is missing before this");
  EXPECT_EQ(messageOf("* / 3"), "a value is missing before this '/'");
  EXPECT_EQ(messageOf("&arg0"), "arg0 is not in memory, so it has no address");
  EXPECT_EQ(messageOf("int arg0"),
            "'int' is a type; a cast is written as in (int)arg0");
  EXPECT_EQ(messageOf("sizeof(int)"),
            "there is no sizeof here; write the number");
  EXPECT_EQ(messageOf("str"), "'str' needs an address, as in str(arg0)");
  EXPECT_EQ(messageOf("arg0 @ 1"), "this character has no meaning here");
  EXPECT_EQ(messageOf("1.5ms"),
            "'1.5ms': a number with a unit is a whole number; use a smaller "
            "unit, as in 1500us or 1536");
  EXPECT_EQ(messageOf("4k"), "'k' is no unit; the units of decimal numbers are "
                             "K, M, G, ns, us, ms and s");
  EXPECT_EQ(messageOf("0x4K"), "'K' is no unit; the units of decimal numbers "
                               "are K, M, G, ns, us, ms and s");
  EXPECT_EQ(messageOf("010K"), "'010K' is octal, and a unit needs a decimal "
                               "number; leave out the first 0");
  EXPECT_EQ(messageOf("08"),
            "'08' is octal, as a 0 begins it, so 8 is none of its digits");
  EXPECT_EQ(messageOf("0b12"), "'0b12' is binary, so 2 is none of its digits");
  EXPECT_EQ(messageOf("0x"), "'0x' has no digits");
  EXPECT_EQ(messageOf("18446744073709551616"),
            "'18446744073709551616' is too large for 64 bits");
  EXPECT_EQ(messageOf("18446744073709551615"),
            "'18446744073709551615' is too large for a long; append U to it");
  EXPECT_EQ(messageOf("9999999999G"), "'9999999999G' is too large for 64 bits");
  EXPECT_EQ(messageOf("\"abc"), "the closing \" is missing");
  EXPECT_EQ(messageOf("'ab'"),
            "'' contains one character; a string is written in \"\"");
  EXPECT_EQ(messageOf("\"a\\*\""),
            "'\\*' is no escape of C; write \\\\ for a backslash");
  EXPECT_EQ(messageOf("\"a\\0\""),
            "a string ends at its NUL; leave out the \\0");
}

TEST(ExpressionError, NamesTheLimits) {
  std::string Deep = std::string(200, '(') + "1" + std::string(200, ')');
  EXPECT_EQ(messageOf(Deep), "the expression is nested too deeply");
  EXPECT_EQ(messageOf(std::string(200, '-') + "1"),
            "'--' would change a value, and expressions only read");
  EXPECT_EQ(messageOf(std::string(200, '~') + "1"),
            "the expression is nested too deeply");
  EXPECT_EQ(messageOf(std::string(3000, ' ') + "1"),
            "the expression has 3001 bytes, and at most 2048 are possible");
  EXPECT_EQ(messageOf("1, 2, 3, 4, 5", "", "--by"),
            "there are 5 keys, and at most 4 are possible");
  std::string Sum = "arg0";
  for (int I = 0; I < 300; ++I)
    Sum += "+arg0";
  EXPECT_EQ(messageOf(Sum), "the expressions need more than 256 operations");
  std::string Nested = "arg0";
  for (int I = 0; I < 20; ++I)
    Nested = "(arg0 & " + std::to_string(I) + ") * (" + Nested + ")";
  EXPECT_EQ(messageOf(Nested),
            "this needs more than 16 intermediate values at once; write it "
            "with fewer parentheses");
  std::string Reads = "*(int *)arg0";
  for (int I = 0; I < TPRT_PROGRAM_MOST_READS; ++I)
    Reads += "+ *(int *)arg1";
  EXPECT_EQ(messageOf(Reads), "the expressions read memory more than 8 times");
  auto longText = [](size_t Bytes) { return std::string(Bytes, 'a'); };
  EXPECT_EQ(messageOf("str(arg0) == \"" + longText(129) + '"'),
            "this string has 129 bytes, and only 128 bytes of a string are "
            "read");
  EXPECT_EQ(messageOf("str(arg0) == \"" + longText(128) + '"'), "");
  EXPECT_EQ(messageOf("str(arg0) =~ \"" + longText(1023) + '"'), "");
  EXPECT_EQ(messageOf("str(arg0) =~ \"" + longText(1024) + '"'),
            "the strings of the expressions have more than 1024 bytes");
}

TEST(ExpressionError, StacksAreOnlyWhole) {
  const std::string Frames =
      "stack() takes a number of frames from 1 to 64, as in stack(8)";
  EXPECT_EQ(errorOf("--by", "stack(0)"),
            "--by: " + Frames + "\n    stack(0)\n          ^");
  for (const char *Text : {"stack(65)", "stack(100)", "stack(x)", "stack(-1)",
                           "stack(1.5)", "stack(8ms)", "stack(\"8\")"})
    EXPECT_EQ(messageOf(Text, "", "--by"), Frames) << Text;
  EXPECT_NE(messageOf("stack(8", "", "--by"), "");
  EXPECT_NE(messageOf("stack(8, 9)", "", "--by"), "");
  const std::string Alone =
      "stack(8) can only be a key or a value alone, as in --by 'stack(8)'";
  EXPECT_EQ(errorOf("--by", "1 + stack(8)"),
            "--by: " + Alone + "\n    1 + stack(8)\n        ^~~~~~~~");
  for (const char *Text :
       {"stack(8) == 1", "!stack(8)", "stack(8) =~ \"a\"", "str(stack(8))",
        "len(stack(8))", "*stack(8)", "(long)stack(8)", "stack(8)[0]",
        "arg0 ? stack(8) : 1", "stack(8) && 1"})
    EXPECT_EQ(messageOf(Text, "", "--by"), Alone) << Text;
  EXPECT_EQ(messageOf("stack(8)", "", "--if"), Alone);
  EXPECT_EQ(messageOf("stack(8)", "", "--of"), Alone);
  EXPECT_EQ(messageOf("stack(8), stack(57)", "", "--by"),
            "the stacks have 65 frames together, and at most 64 are possible");
  EXPECT_NE(messageOf("stack", "int f(int i)", "--by").find("'stack()'"),
            std::string::npos);
}

TEST(ExpressionError, LineIsOnlyAKey) {
  const std::string Why =
      "'line' is only a key, as in --by line, and the function has no argument "
      "of this name; caller is the address to which the call returns";
  EXPECT_EQ(errorOf("--if", "arg0 && line == 5"),
            "--if: " + Why + "\n    arg0 && line == 5\n            ^~~~");
  EXPECT_EQ(messageOf("line + 1", "", "--by"), Why);
  EXPECT_EQ(messageOf("line - caller", "", "--of"), Why);
  EXPECT_EQ(messageOf("arg0, line", "", "--by"), "");
  EXPECT_EQ(messageOf("line == 5", "int f(int line)"), "");
  Asked A;
  A.Print = *parseList("--print", "arg0, line");
  auto Compiled = compile(A, nullptr);
  ASSERT_FALSE(Compiled);
  EXPECT_EQ(StringRef(textOf(Compiled.takeError())).split('\n').first,
            "--print: " + Why);
}
