// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests names and texts that could harm a program that reads them.
#include "Readable.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ObjectFile.h"
#include <gtest/gtest.h>

using namespace tp::trace;

namespace {

void expectShown(const std::string &Text, const std::string &Shown) {
  EXPECT_EQ(printable(Text), Shown);
}

TEST(Printable, TextStaysAsItIs) {
  expectShown("std::f<int>(char const*)\t", "std::f<int>(char const*)\t");
  expectShown("caf\u00e9 \u0416 \u4e2d \U0001f600",
              "caf\u00e9 \u0416 \u4e2d \U0001f600");
}

TEST(Printable, ControlsBecomeQuestionMarks) {
  expectShown("a\x1b[31mb\nc\rd\x7f", "a?[31mb?c?d?");
  expectShown(std::string("a\0b", 3), "a?b");
  expectShown("a\u009b31m", "a??31m");
  expectShown("a\u202eb\u2066c\u2069\u200f\u061cd", "a???b???c"
                                                    "????????d");
  expectShown("a\u2028b", "a???b");
}

TEST(Printable, BytesThatAreNotUtf8BecomeQuestionMarks) {
  expectShown("\x9b"
              "31m",
              "?31m");
  expectShown("caf\xe9", "caf?");
  expectShown("\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80", "?????????");
  expectShown("\xe2\x82", "??");
}

/// Demangles to more than 2^Doublings bytes.
std::string doublingName(unsigned Doublings) {
  std::string Name = "_Z1fSt4pairIiiE";
  for (unsigned I = 1; I <= Doublings; ++I) {
    std::string Digits;
    unsigned Number = I - 1;
    do
      Digits.insert(Digits.begin(),
                    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[Number % 36]);
    while (Number /= 36);
    Name += "S_IS" + Digits + "_S" + Digits + "_E";
  }
  return Name;
}

TEST(ReadableName, UsualNamesAreDemangledAsByLlvm) {
  for (const char *Name :
       {"main", "_Z3fooi", "_ZN3foo3barEv.cold", "_RNvC6_123foo3bar",
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "___Z3foov_block_invoke",
        "___Z3foov_block_invoke_2", "____Z3foov_block_invoke.1",
        "_D8demangle4testFZv",
        "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
        "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_"
        "4iter8iterator8Iterator9rpositionNCNgNpB9_"
        "6memchr7memrchrs_0E0Bb_"})
    EXPECT_EQ(readableName(Name), llvm::demangle(Name));
  EXPECT_EQ(readableName(doublingName(4)), llvm::demangle(doublingName(4)));
}

TEST(ReadableName, ANameThatDoublesOverAndOverStaysAsItIs) {
  EXPECT_EQ(readableName(doublingName(30)), doublingName(30));
}

TEST(ReadableName, DeepNamesNeedNoStackOfTheCallers) {
  std::string Deep = "_Z1f" + std::string(60000, 'K') + "i";
  EXPECT_FALSE(readableName(Deep).empty());
  std::string TooLong = "_Z1f" + std::string(100000, 'P') + "i";
  EXPECT_EQ(readableName(TooLong), TooLong);
  std::string DeepRust = "_RIC1a" + std::string(60000, 'S') + "hE";
  EXPECT_FALSE(readableName(DeepRust).empty());
}

TEST(ReadableName, RustNamesThatDoubleStayAsTheyAre) {
  // A tuple of two references to the previous tuple, 40 times.
  std::string Name = "_RIC1aThhE";
  std::vector<size_t> Starts = {4}; // of each tuple, after _R
  auto base62 = [](size_t N) {
    if (!N)
      return std::string("_");
    std::string Digits;
    --N;
    do
      Digits.insert(
          Digits.begin(),
          "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[N %
                                                                           62]);
    while (N /= 62);
    return Digits + "_";
  };
  for (int I = 0; I != 40; ++I) {
    std::string Reference = "B" + base62(Starts.back());
    Starts.push_back(Name.size() - 2);
    Name += "T" + Reference + Reference + "E";
  }
  Name += "E";
  EXPECT_EQ(readableName(Name), Name);
}

TEST(ReadableName, ControlsInLinkedNamesAreNotShown) {
  EXPECT_EQ(readableName("f\x1b[2J"), "f?[2J");
  EXPECT_EQ(readableName("_Z4a\x1b[2v"), "a?[2()");
}

TEST(ReadableName, NamesOfThisProgramAreThoseOfLlvm) {
  auto File = llvm::object::ObjectFile::createObjectFile("/proc/self/exe");
  ASSERT_TRUE(bool(File)) << llvm::toString(File.takeError());
  size_t Count = 0, Different = 0;
  for (const llvm::object::SymbolRef &S : File->getBinary()->symbols()) {
    auto Name = S.getName();
    if (!Name) {
      llvm::consumeError(Name.takeError());
      continue;
    }
    if (!Name->starts_with("_Z"))
      continue;
    ++Count;
    std::string Theirs = llvm::demangle(*Name);
    // The runtime's demangler can read some names that LLVM cannot read.
    if (Theirs == *Name || readableName(*Name) == Theirs)
      continue;
    if (++Different < 10)
      ADD_FAILURE() << Name->str() << ": " << readableName(*Name);
  }
  EXPECT_GT(Count, 1000u);
  EXPECT_EQ(Different, 0u);
}

} // namespace
