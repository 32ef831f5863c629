// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how the arguments of USDT probes are read. SystemTap's wiki,
// "UserSpaceProbeImplementation", gives the form N@OP: N is the size in bytes,
// 1, 2, 4 or 8, and is negative if the value is signed; OP is an operand of the
// assembler. The numbers of registers are those of DWARF in the psABIs of
// x86-64 (figure 3.36) and of AArch64 (section 4.1).

#include "tprt/control_program.h"
#include "usdt/Arguments.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace tpctl::usdt;
using tpctl::expressions::ArgumentType;
using tpctl::expressions::Location;

namespace {

constexpr uint64_t Base = 0x100000;

std::vector<ArgumentType> read(StringRef Text, bool IsX86 = true) {
  FileNotes File;
  File.IsX86 = IsX86;
  File.Symbols["counter"] = 0x4000;
  return argumentsOf(Text, File, Base);
}

/// An argument in a form that tests compare: its type, and its place.
std::string show(const ArgumentType &A) {
  std::string Text = A.T.isFloating() ? "f" : A.T.Signed ? "i" : "u";
  Text += std::to_string(A.T.Bits);
  const Location &L = *A.Where;
  if (!L.Why.empty())
    return "unknown";
  std::string Place;
  if (!L.IsConstant) {
    EXPECT_EQ(L.Pieces.size(), 1u);
    EXPECT_EQ(L.Pieces.front().Code, TPRT_PROGRAM_REGISTER);
    Place = "r" + std::to_string(L.Pieces.front().Number);
  }
  if (L.Index)
    Place += "+r" + std::to_string(*L.Index) + "*" + std::to_string(L.Scale);
  if (L.Addend || L.IsConstant)
    Place +=
        (L.Addend < 0 || L.IsConstant ? "" : "+") + std::to_string(L.Addend);
  return Text + (L.IsAddress ? " at " : " ") + Place;
}

std::string x86(StringRef Text) {
  auto All = read(Text);
  return All.size() == 1 ? show(All[0]) : "not one argument";
}
std::string arm(StringRef Text) {
  auto All = read(Text, /*IsX86=*/false);
  return All.size() == 1 ? show(All[0]) : "not one argument";
}

} // namespace

TEST(UsdtArguments, RegistersOfX86) {
  EXPECT_EQ(x86("-4@%eax"), "i32 r0");
  EXPECT_EQ(x86("8@%rdx"), "u64 r1");
  EXPECT_EQ(x86("8@%rcx"), "u64 r2");
  EXPECT_EQ(x86("-8@%rbx"), "i64 r3");
  EXPECT_EQ(x86("4@%esi"), "u32 r4");
  EXPECT_EQ(x86("-4@%edi"), "i32 r5");
  EXPECT_EQ(x86("8@%rbp"), "u64 r6");
  EXPECT_EQ(x86("8@%rsp"), "u64 r7");
  EXPECT_EQ(x86("-4@%r8d"), "i32 r8");
  EXPECT_EQ(x86("2@%r15w"), "u16 r15");
  EXPECT_EQ(x86("1@%r10b"), "u8 r10");
  EXPECT_EQ(x86("-2@%ax"), "i16 r0");
  EXPECT_EQ(x86("-1@%dl"), "i8 r1");
  EXPECT_EQ(x86("1@%sil"), "u8 r4");
  // The size may be left out; the register has one.
  EXPECT_EQ(x86("%eax"), "u32 r0");
  EXPECT_EQ(x86("%r9"), "u64 r9");
}

TEST(UsdtArguments, MemoryOfX86) {
  EXPECT_EQ(x86("8@(%rdi)"), "u64 at r5");
  EXPECT_EQ(x86("-4@-16(%rbp)"), "i32 at r6-16");
  EXPECT_EQ(x86("4@0x10(%rsp)"), "u32 at r7+16");
  EXPECT_EQ(x86("8@-16(%rbp,%rax,4)"), "u64 at r6+r0*4-16");
  EXPECT_EQ(x86("1@(%rax,%rbx)"), "u8 at r0+r3*1");
  EXPECT_EQ(x86("8@8+8-4(%rax)"), "u64 at r0+12");
  // 0x104000 is 1064960.
  EXPECT_EQ(x86("4@counter(%rip)"), "u32 at 1064960");
  EXPECT_EQ(x86("4@counter+8(%rip)"), "u32 at 1064968");
  EXPECT_EQ(x86("-4@counter"), "i32 at 1064960");
  EXPECT_EQ(x86("8@counter(,%rax,8)"), "unknown");
}

TEST(UsdtArguments, Constants) {
  EXPECT_EQ(x86("-4@$-5"), "i32 -5");
  EXPECT_EQ(x86("8@$0x10"), "u64 16");
  EXPECT_EQ(x86("8@$18446744073709551615"), "u64 -1");
  EXPECT_EQ(x86("8@$counter"), "u64 1064960");
  EXPECT_EQ(arm("-4@5"), "i32 5");
  EXPECT_EQ(arm("4@#7"), "u32 7");
  EXPECT_EQ(arm("-8@-1"), "i64 -1");
  EXPECT_EQ(arm("8@xzr"), "u64 0");
}

TEST(UsdtArguments, RegistersOfAArch64) {
  EXPECT_EQ(arm("-4@w0"), "i32 r0");
  EXPECT_EQ(arm("8@x19"), "u64 r19");
  EXPECT_EQ(arm("8@x30"), "u64 r30");
  EXPECT_EQ(arm("8@sp"), "u64 r31");
  EXPECT_EQ(arm("1@w7"), "u8 r7");
  EXPECT_EQ(arm("x3"), "u64 r3");
  EXPECT_EQ(arm("8@x31"), "unknown");
  EXPECT_EQ(arm("8@%rax"), "unknown");
}

TEST(UsdtArguments, MemoryOfAArch64) {
  EXPECT_EQ(arm("8@[sp, 16]"), "u64 at r31+16");
  EXPECT_EQ(arm("-4@[x29, -20]"), "i32 at r29-20");
  EXPECT_EQ(arm("8@[x0]"), "u64 at r0");
  EXPECT_EQ(arm("8@[x0, #8]"), "u64 at r0+8");
  EXPECT_EQ(arm("8@[x0,x1]"), "u64 at r0+r1*1");
  EXPECT_EQ(arm("8@[x0, x1, lsl 3]"), "u64 at r0+r1*8");
  EXPECT_EQ(arm("8@[x0, x1, lsl #4]"), "u64 at r0+r1*16");
  // An index of 32 bits would have to be extended.
  EXPECT_EQ(arm("8@[x0, w1, sxtw 3]"), "unknown");
  EXPECT_EQ(arm("8@[x0, x1, lsl 5]"), "unknown");
  EXPECT_EQ(arm("8@[w0]"), "unknown");
  EXPECT_EQ(arm("8@[sp, 16]!"), "unknown");
}

TEST(UsdtArguments, FloatingValuesAreInMemory) {
  EXPECT_EQ(x86("8f@-8(%rbp)"), "f64 at r6-8");
  EXPECT_EQ(x86("4f@(%rax)"), "f32 at r0");
  EXPECT_EQ(x86("-8f@(%rax)"), "f64 at r0");
  EXPECT_EQ(x86("8f@%xmm0"), "unknown");
  EXPECT_EQ(x86("8f@%rax"), "unknown");
  EXPECT_EQ(arm("8f@[sp, 8]"), "f64 at r31+8");
  EXPECT_EQ(arm("8f@d0"), "unknown");
}

TEST(UsdtArguments, ListsKeepTheirOrder) {
  auto All = read("-4@%edi 8@-16(%rbp, %rax, 4)  1@$3");
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].Name, "arg0");
  EXPECT_EQ(show(All[0]), "i32 r5");
  EXPECT_EQ(All[2].Name, "arg2");
  EXPECT_EQ(show(All[2]), "u8 3");
  All = read("-4@w0 8@[sp, 16] 8@x2", /*IsX86=*/false);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(show(All[1]), "u64 at r31+16");
  EXPECT_EQ(show(All[2]), "u64 r2");
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("   ").empty());
}

// What is wrong or unknown has a reason and no value. It keeps its place among
// the arguments.
TEST(UsdtArguments, WrongTextHasNoValue) {
  for (const char *Text : {"4@",
                           "@%eax",
                           "4@%",
                           "4@%nothing",
                           "4@%ah",
                           "4@$",
                           "4@$none",
                           "4@(%rax",
                           "4@%rax)",
                           "4@(%eax)",
                           "4@()",
                           "4@(%rax,%rbx,3)",
                           "4@(%rax,%rbx,4,8)",
                           "4@(%rax,,4)",
                           "4@1-(%rax)",
                           "4@--1(%rax)",
                           "4@*%rax",
                           "4@(%rip)",
                           "4@(%rip,%rax)",
                           "4@none(%rip)",
                           "4@none",
                           "4@%fs:8(%rax)",
                           "4@counter+counter(%rip)",
                           "4@8(%rax)(%rbx)",
                           "3@%eax",
                           "0@%eax",
                           "16@%xmm0",
                           "2f@(%rax)",
                           "99999999999@%eax",
                           "-@%eax",
                           "--4@%eax",
                           "x@%eax",
                           "4@%eax@%ebx"})
    EXPECT_EQ(x86(Text), "unknown") << Text;
  for (const char *Text : {"4@", "4@[", "4@[]", "4@[sp", "4@sp]", "4@[sp,]",
                           "4@[sp, x]", "4@[x0, x1, lsl]", "4@[x0, 8, 8]",
                           "4@[x0, sp]", "4@w", "4@w99", "4@#", "4@$5"})
    EXPECT_EQ(arm(Text), "unknown") << Text;
  auto All = read("4@%nothing -4@%edi");
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(show(All[1]), "i32 r5");
}

TEST(UsdtArguments, SymbolsAreThoseOfAddresses) {
  auto names = [](StringRef Text) { return symbolsOf(Text, /*IsX86=*/true); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("-4@counter+4(%rip) 8@$limit 4@%eax 4@-8(%rbp) 4@$5"),
            (Names{"counter", "limit"}));
  EXPECT_EQ(names(""), Names{});
  EXPECT_EQ(symbolsOf("4@w0 8@[sp, 16]", /*IsX86=*/false), Names{});
}
