// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ResponseFile.h.

#include "ResponseFile.h"

#include "Diagnostics.h"

#include <cctype>
#include <fstream>
#include <iterator>

using namespace tp;

// A response file may name other response files, and through them itself. clang
// detects such a loop. The driver limits the depth.
static constexpr unsigned MaxDepth = 32;

static bool readFile(const std::string &Path, std::string &Text) {
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return false;
  Text.assign(std::istreambuf_iterator<char>(File), {});
  return !File.bad();
}

/// Splits as clang does on Unix (GNU rules): blanks separate words, quotes of
/// both kinds group them, and a backslash makes the next character literal.
static std::vector<std::string> splitGNU(const std::string &Text) {
  std::vector<std::string> Words;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && I + 1 < Text.size()) {
      Word += Text[++I];
      InWord = true;
    } else if (Quote) {
      if (C == Quote)
        Quote = 0;
      else
        Word += C;
    } else if (C == '"' || C == '\'') {
      Quote = C;
      InWord = true;
    } else if (std::isspace(static_cast<unsigned char>(C))) {
      if (InWord)
        Words.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Words.push_back(std::move(Word));
  return Words;
}

static std::vector<std::string> flatten(const std::vector<Argument> &Args) {
  std::vector<std::string> Flat;
  for (const Argument &A : Args) {
    if (A.Contents.empty())
      Flat.push_back(A.Text);
    else
      Flat.insert(Flat.end(), A.Contents.begin(), A.Contents.end());
  }
  return Flat;
}

static std::vector<Argument> readArguments(const std::vector<std::string> &Args,
                                           unsigned Depth) {
  if (Depth > MaxDepth)
    fail("response files include each other endlessly");
  std::vector<Argument> Result;
  for (const std::string &Arg : Args) {
    std::string Text;
    if (Arg.size() < 2 || Arg[0] != '@' || !readFile(Arg.substr(1), Text)) {
      Result.push_back({Arg, {}});
      continue;
    }
    std::vector<Argument> Inner = readArguments(splitGNU(Text), Depth + 1);
    std::vector<std::string> Flat = flatten(Inner);
    bool HasOurFlag = false;
    for (const std::string &A : Flat)
      HasOurFlag |= A.rfind("-ftp-", 0) == 0;
    if (HasOurFlag)
      Result.insert(Result.end(), Inner.begin(), Inner.end());
    else
      Result.push_back({Arg, std::move(Flat)});
  }
  return Result;
}

std::vector<Argument> tp::readArguments(const std::vector<std::string> &Args) {
  return ::readArguments(Args, 0);
}
