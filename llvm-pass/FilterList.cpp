// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FilterList.h. A misspelt section or prefix would have no effect, so this
// file checks the lines. The lines are matched here and not by LLVM's
// SpecialCaseList, whose globs, files and equals signs differ between versions.

#include "FilterList.h"

#include "LlvmCompat.h"
#include "ReadableNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace llvm;

namespace tp {

/// How many patterns a glob with alternatives may stand for.
constexpr size_t MaxSubPatterns = 1024;

/// The glob of an entry. Some brackets belong to a demangled name and are not
/// character classes: operator[], f[abi:cxx11], int (&) [3].
static std::string withNameBrackets(StringRef Glob) {
  std::string Result;
  char Before = 0;
  while (!Glob.empty()) {
    size_t Length = Glob.front() == '\\' ? 2 : 1;
    if (Glob.front() == '[') {
      size_t Close = Glob.find(']');
      StringRef Inside = Glob.slice(1, Close);
      bool IsBound = (Before == ' ' || Before == ']') &&
                     all_of(Inside, [](char C) { return isDigit(C); });
      if (Close != StringRef::npos &&
          (Inside.empty() || Inside.starts_with("abi:") || IsBound)) {
        Result += '\\';
        Length = Close + 1;
      } else {
        // A `]` at the beginning of a character class does not close the class.
        Length = Glob.find(']', 2);
        Length = Length == StringRef::npos ? Glob.size() : Length + 1;
      }
    }
    StringRef Part = Glob.take_front(Length);
    Result += Part;
    Before = Part.back();
    Glob = Glob.drop_front(Part.size());
  }
  return Result;
}

/// Whether the text of an entry may be a function's name that has another
/// meaning as a glob, or that another demangler wrote: f<Box{1, 2}>(),
/// main::{lambda(int, char)#1}::operator()(int, char) const.
static bool mayBeWholeName(StringRef Text) {
  return Text.find_first_of("[{") != StringRef::npos || Text.contains("> >") ||
         Text.contains("decltype(nullptr)");
}

/// The glob that matches only this text.
static std::string literally(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (StringRef("*?[]{}\\").contains(C))
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// The glob of the entry `fun:` with the text \p Text. Globs have no braces
/// inside braces, so such braces belong to a name.
static std::string nameGlob(StringRef Text) {
  std::string Glob = withNameBrackets(Text);
  if (!Text.contains('{'))
    return Glob;
  auto Made = createGlob(Glob, MaxSubPatterns);
  if (Made)
    return Glob;
  consumeError(Made.takeError());
  return literally(Text);
}

static constexpr StringLiteral NamePrefix = "fun:";

/// The fault in the glob of an entry. An entry with a fault matches nothing.
static const char *globFault(StringRef Glob) {
  if (Glob.empty())
    return "no glob in";
  if (isSpace(Glob.front()))
    return "a space before the glob, so no name matches, in";
  return nullptr;
}

static Error checkLines(const MemoryBuffer &Buffer, StringRef File) {
  bool InSection = false;
  for (line_iterator Line(Buffer, /*SkipBlanks=*/true, '#'); !Line.is_at_eof();
       ++Line) {
    StringRef Text = Line->trim();
    auto Fail = [&](const Twine &What) {
      return createStringError("filter file '" + File + "', line " +
                               Twine(Line.line_number()) + ": " + What + " '" +
                               Text + "'");
    };
    if (Text.empty())
      continue;
    if (Text.starts_with("[")) {
      if (Text != "[always]" && Text != "[never]")
        return Fail("expected [always] or [never], got");
      InSection = true;
      continue;
    }
    if (!Text.starts_with("fun:") && !Text.starts_with("src:"))
      return Fail("expected fun:GLOB or src:GLOB, got");
    if (!InSection)
      return Fail("expected a section, [always] or [never], before");
    if (const char *Fault = globFault(Text.drop_front(4)))
      return Fail(Fault);
  }
  return Error::success();
}

/// Whether \p File can be read more than once. Each compilation of a command
/// reads the file, and so does code generation. On the second read a pipe would
/// be empty, or the read would block.
static bool isReadableAgain(StringRef File, vfs::FileSystem &FS) {
  auto Status = FS.status(File);
  return !Status || Status->isRegularFile() || Status->isDirectory() ||
         File == "/dev/null";
}

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef File,
                                                        vfs::FileSystem &FS) {
  if (!isReadableAgain(File, FS))
    return createStringError(
        "filter file '" + File +
        "' is not a regular file: it is read more than once; write the "
        "filter to a file, and name that");
  auto Buffer = FS.getBufferForFile(File);
  if (!Buffer)
    return createStringError("cannot read filter file '" + File +
                             "': " + Buffer.getError().message());
  if (Error E = checkLines(**Buffer, File))
    return E;
  return std::move(*Buffer);
}

/// Whether the glob matches only its own text.
static bool isPlain(StringRef Glob) {
  return Glob.find_first_of("*?[]{}\\") == StringRef::npos;
}

FilterList::Place FilterList::find(const Entries &Of, StringRef Query) const {
  Place Found = Of.Plain.lookup(Query);
  for (unsigned I : reverse(Of.Globs)) {
    const Pattern &P = Patterns[I];
    const Place At(P.File, P.Line);
    if (At < Found)
      break;
    if (P.Glob.match(Query))
      return At;
  }
  return Found;
}

/// Keeps the entries of a file whose lines have passed the check.
Error FilterList::addFile(unsigned Number, const MemoryBuffer &Buffer) {
  Section *In = nullptr;
  for (line_iterator Line(Buffer, /*SkipBlanks=*/true, '#'); !Line.is_at_eof();
       ++Line) {
    StringRef Text = Line->trim();
    if (Text.starts_with("["))
      In = Text == "[always]" ? &OfAlways : &OfNever;
    if (Text.empty() || Text.starts_with("["))
      continue;
    StringRef Given = Text.drop_front(NamePrefix.size());
    bool OfName = Text.starts_with(NamePrefix);
    const Place At(Number, Line.line_number());
    std::string Whole;
    if (OfName && mayBeWholeName(Given)) {
      Whole = normalName(Given);
      In->WholeNames[Whole] = At;
    }
    auto GlobText = std::make_shared<const std::string>(OfName ? nameGlob(Given)
                                                               : Given.str());
    auto Glob = createGlob(*GlobText, MaxSubPatterns);
    if (!Glob)
      return createStringError("filter file '" + Files[Number] + "', line " +
                               Twine(Line.line_number()) +
                               ": malformed glob '" + Text +
                               "': " + toString(Glob.takeError()));
    Entries &Of = OfName ? In->Names : In->Sources;
    if (isPlain(*GlobText))
      Of.Plain[*GlobText] = At;
    else
      Of.Globs.push_back(Patterns.size());
    Patterns.push_back({At.first, At.second, Text.str(), std::move(GlobText),
                        std::move(*Glob), std::move(Whole)});
  }
  return Error::success();
}

Expected<std::shared_ptr<const FilterList>>
FilterList::load(const std::vector<std::string> &Files, vfs::FileSystem &FS) {
  auto Result = std::make_shared<FilterList>();
  Result->Files = Files;
  for (unsigned Number = 0; Number != Files.size(); ++Number) {
    auto Buffer = readFile(Files[Number], FS);
    if (!Buffer)
      return Buffer.takeError();
    if (Error E = Result->addFile(Number, **Buffer))
      return E;
  }
  return Result;
}

/// Calls \p Ask with each prefix and text by which an entry may name \p F, in
/// order of precedence, until \p Ask returns true.
static void askInOrder(const Function &F,
                       function_ref<bool(StringRef, StringRef)> Ask) {
  StringRef Name = GlobalValue::dropLLVMManglingEscape(F.getName());
  if (Ask("fun", Name))
    return;
  for (const std::string &Query : readableForms(Name))
    if (Ask("fun", Query))
      return;
  // With debug info, an entry can name the header that contains the function.
  // Without debug info, only the main file's name is known.
  if (const DISubprogram *SP = F.getSubprogram())
    if (Ask("src", SP->getFilename()))
      return;
  Ask("src", F.getParent()->getSourceFileName());
}

FilterList::Place FilterList::find(const Section &In, const Function &F) const {
  Place Found = NotFound;
  askInOrder(F, [&](StringRef Prefix, StringRef Query) {
    Found = find(Prefix == "fun" ? In.Names : In.Sources, Query);
    return Found != NotFound;
  });
  if (In.WholeNames.empty())
    return Found;
  askInOrder(F, [&](StringRef Prefix, StringRef Query) {
    if (Prefix == "fun")
      Found = std::max(Found, In.WholeNames.lookup(normalName(Query)));
    return false;
  });
  return Found;
}

std::vector<FilterList::Entry> FilterList::entriesFor(const Module &M) const {
  std::vector<Entry> Entries;
  for (const Pattern &P : Patterns)
    Entries.push_back({Files[P.File], P.Line, P.Text});
  for (const Function &F : M)
    if (!F.isDeclaration())
      askInOrder(F, [&](StringRef Prefix, StringRef Query) {
        for (auto [E, P] : zip_equal(Entries, Patterns))
          E.Matched |= StringRef(P.Text).starts_with(Prefix) &&
                       (P.Glob.match(Query) ||
                        (!P.Whole.empty() && P.Whole == normalName(Query)));
        return false;
      });
  return Entries;
}

FilterList::Match FilterList::verdict(const Function &F) const {
  for (Verdict V : {Always, Never}) {
    Place At = find(V == Always ? OfAlways : OfNever, F);
    if (At != NotFound)
      return {V, Files[At.first], At.second};
  }
  return {};
}

} // namespace tp
