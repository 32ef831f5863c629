// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the declarations of well-known functions, and types.

#include "expressions/Prototypes.h"
#include "expressions/Locations.h"
#include "expressions/Program.h"
#include "tprt/control_program.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace tpctl::expressions;

TEST(Prototypes, AllOfThemCanBeRead) {
  const std::set<std::string> Taken = {"result",  "duration", "errno",
                                       "thread",  "caller",   "function",
                                       "process", "str",      "sizeof"};
  std::set<std::string> Functions;
  for (StringRef Each : knownDeclarations()) {
    auto S = parseDeclaration(Each);
    ASSERT_TRUE(static_cast<bool>(S)) << toString(S.takeError());
    EXPECT_TRUE(Functions.insert(S->Function).second) << Each.str();
    std::set<std::string> Names;
    for (const ArgumentType &A : S->Arguments) {
      EXPECT_FALSE(A.Name.empty()) << Each.str();
      EXPECT_TRUE(Names.insert(A.Name).second) << Each.str();
      EXPECT_FALSE(Taken.count(A.Name) || beginsType(A.Name)) << Each.str();
    }
    // On AArch64, no argument is in memory.
    for (const Location &L : locateArguments(*S, Target::x86_64())) {
      ASSERT_EQ(L.Pieces.size(), 1u) << Each.str();
      EXPECT_FALSE(L.IsAddress) << Each.str();
    }
    // What is printed is the declaration without its result.
    std::string Printed = text(*S);
    EXPECT_TRUE(Each.ends_with(Printed) || Each.ends_with("(void)")) << Printed;
  }
}

TEST(Prototypes, AreFound) {
  const Signature *S = findPrototype("pread64");
  ASSERT_TRUE(S);
  EXPECT_EQ(text(*S), "pread64(int fd, void *buf, size_t count, off_t offset)");
  EXPECT_EQ(locateArguments(*S, Target::x86_64())[3].Pieces[0].Number, 3);
  EXPECT_EQ(S->Result->text(), "ssize_t");
  EXPECT_TRUE(findPrototype("free")->IsVoid);
  EXPECT_FALSE(findPrototype("free")->Result);
  EXPECT_TRUE(findPrototype("open")->IsVariadic);
  EXPECT_EQ(text(*findPrototype("open")),
            "open(const char *path, int flags, ...)");
  EXPECT_TRUE(findPrototype("fork")->Arguments.empty());
  EXPECT_EQ(findPrototype("_Znwm")->Arguments[0].Name, "size");
  EXPECT_FALSE(findPrototype("no_such_function"));
}

// A double is in none of the registers that are counted.
TEST(Prototypes, AreFoundByTheSymbolsOfTheCLibrary) {
  auto nameOf = [](StringRef Symbol) {
    const Signature *S = findPrototypeOfSymbol(Symbol);
    return S ? S->Function : "";
  };
  EXPECT_EQ(nameOf("malloc"), "malloc");
  EXPECT_EQ(nameOf("memcpy@GLIBC_2.2.5"), "memcpy");
  EXPECT_EQ(nameOf("fopen@@GLIBC_2.2.5"), "fopen");
  EXPECT_EQ(nameOf("_IO_fopen@@GLIBC_2.2.5"), "fopen");
  EXPECT_EQ(nameOf("__libc_open64"), "open64");
  EXPECT_EQ(nameOf("__GI___write"), "write");
  EXPECT_EQ(nameOf("cfree@GLIBC_2.2.5"), "free");
  EXPECT_EQ(nameOf("malloc_of_the_program"), "");
  EXPECT_EQ(nameOf("__"), "");
  EXPECT_EQ(nameOf(""), "");
}

TEST(Prototypes, CountRegisters) {
  Signature S = cantFail(
      parseDeclaration("double f(double x, int a, float y, long *b, ...)"));
  EXPECT_TRUE(S.Arguments[0].T.isFloating());
  for (const Target &Machine : {Target::x86_64(), Target::aarch64()}) {
    auto Places = locateArguments(S, Machine);
    ASSERT_EQ(Places.size(), 4u);
    EXPECT_EQ(Places[0].Pieces[0].Code, TPRT_PROGRAM_FLOAT_ARGUMENT);
    EXPECT_EQ(Places[1].Pieces[0].Code, TPRT_PROGRAM_ARGUMENT);
    EXPECT_EQ(Places[1].Pieces[0].Number, 0);
    EXPECT_EQ(Places[2].Pieces[0].Code, TPRT_PROGRAM_FLOAT_ARGUMENT);
    EXPECT_EQ(Places[2].Pieces[0].Number, 1);
    EXPECT_EQ(Places[3].Pieces[0].Number, 1);
  }
  EXPECT_EQ(text(S), "f(double x, int a, float y, long *b, ...)");
}

TEST(Prototypes, HaveTypesOfC) {
  auto type = [](StringRef Text) {
    return *cantFail(parseDeclaration((Text + " f(void)").str())).Result;
  };
  const Target Machine = Target::x86_64();
  auto is = [&](StringRef Text, unsigned Bits, bool Signed) {
    Type T = type(Text);
    EXPECT_EQ(T.bits(), Bits) << Text.str();
    EXPECT_EQ(T.isSigned(Machine), Signed) << Text.str();
  };
  is("char", 8, true);
  is("signed char", 8, true);
  is("unsigned char", 8, false);
  is("char unsigned", 8, false);
  is("short", 16, true);
  is("short int", 16, true);
  is("unsigned short int", 16, false);
  is("int", 32, true);
  is("signed", 32, true);
  is("unsigned", 32, false);
  is("unsigned int", 32, false);
  is("long", 64, true);
  is("long long", 64, true);
  is("long unsigned int", 64, false);
  is("unsigned long long", 64, false);
  is("int8_t", 8, true);
  is("uint16_t", 16, false);
  is("const uint32_t", 32, false);
  is("int const", 32, true);
  is("size_t", 64, false);
  is("ssize_t", 64, true);
  is("intptr_t", 64, true);
  is("uintptr_t", 64, false);
  is("off_t", 64, true);
  is("pid_t", 32, true);
  is("bool", 8, false);
  is("_Bool", 8, false);
  is("const char *const *", 64, false);
  EXPECT_FALSE(type("char").isSigned(Target::aarch64()));
  EXPECT_EQ(type("const char **").text(), "const char **");
  EXPECT_EQ(type("const char **").pointee().text(), "char *");
  for (StringRef Wrong :
       {"unsigned size_t", "long char", "long long long", "short long",
        "unsigned signed", "int int", "const", "char int", "size_t int"})
    EXPECT_TRUE(
        errorToBool(parseDeclaration((Wrong + " f(void)").str()).takeError()))
        << Wrong.str();
}
