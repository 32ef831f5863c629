// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FilterList.h. LLVM's parser takes any section and any prefix in silence,
// and a misspelt one would filter nothing. So the lines are checked here first.

#include "FilterList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tp {

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
  }
  return Error::success();
}

/// Whether \p File can be read more than once: each compilation of a command
/// reads it, and this file alone reads it twice. A pipe would look empty the
/// second time, or would be waited for.
static bool isReadableAgain(StringRef File, vfs::FileSystem &FS) {
  auto Status = FS.status(File);
  return !Status || Status->isRegularFile() || Status->isDirectory() ||
         File == "/dev/null";
}

static Error checkFile(StringRef File, vfs::FileSystem &FS) {
  if (!isReadableAgain(File, FS))
    return createStringError(
        "filter file '" + File +
        "' is not a regular file: it is read more than once; write the "
        "filter to a file, and name that");
  auto Buffer = FS.getBufferForFile(File);
  if (!Buffer)
    return createStringError("cannot read filter file '" + File +
                             "': " + Buffer.getError().message());
  return checkLines(**Buffer, File);
}

Expected<std::shared_ptr<const FilterList>>
FilterList::load(const std::vector<std::string> &Files, vfs::FileSystem &FS) {
  for (const std::string &File : Files)
    if (Error E = checkFile(File, FS))
      return E;
  auto Result = std::make_shared<FilterList>();
  Result->Files = Files;
  std::string Message;
  Result->List = SpecialCaseList::create(Files, FS, Message);
  if (!Result->List)
    return createStringError("filter file: " + Twine(Message));
  return Result;
}

/// A demangled function's name without its parameters. The parameters begin at
/// the last opening parenthesis that is nested in no other and follows no
/// space. Parentheses before that one belong to "(anonymous namespace)", to
/// "operator()" or to scopes. One after it belongs to the linked name's suffix,
/// as in "f(int) (.llvm.1)".
static StringRef withoutParameters(StringRef Readable) {
  size_t End = Readable.size(), Depth = 0;
  char Before = 0;
  for (auto [I, C] : enumerate(Readable)) {
    if (C == '(' && !Depth++ && Before != ' ')
      End = I;
    Depth -= C == ')';
    Before = C;
  }
  return Readable.take_front(End);
}

/// Whether the name of an operator begins here. Such names have spaces and
/// brackets of their own: "operator new", "operator<".
static bool beginsOperator(StringRef Name, size_t At) {
  StringRef Word = "operator";
  auto IsWord = [](char C) { return isAlnum(C) || C == '_'; };
  StringRef Rest = Name.drop_front(At);
  return Rest.starts_with(Word) && (!At || !IsWord(Name[At - 1])) &&
         (Rest.size() == Word.size() || !IsWord(Rest[Word.size()]));
}

/// Whether the space at \p At follows a scope's parameters, as in
/// "f() const::{lambda()#1}".
static bool isInScope(StringRef Name, size_t At) {
  StringRef Rest = Name.drop_front(At);
  return At && Name[At - 1] == ')' &&
         (Rest.starts_with(" const") || Rest.starts_with(" volatile") ||
          Rest.starts_with(" &"));
}

/// A demangled function's name without the type of its result. The type stands
/// in front of the names of template instances, and ends with the last space
/// that is in no brackets. \p Bare is the name without its parameters. The
/// runtime does the same for its patterns (core/cppname.cpp).
static StringRef withoutResult(StringRef Readable, StringRef Bare) {
  SmallVector<char, 16> Open;
  size_t Name = 0;
  for (auto [I, C] : enumerate(Bare)) {
    if (Open.empty() && beginsOperator(Bare, I))
      break;
    if (StringRef("<([{").contains(C))
      Open.push_back(C);
    // A > inside parentheses compares.
    else if (!Open.empty() &&
             (StringRef(")]}").contains(C) || (C == '>' && Open.back() == '<')))
      Open.pop_back();
    else if (C == ' ' && Open.empty() && !isInScope(Bare, I))
      Name = I + 1;
  }
  return Readable.drop_front(Name);
}

std::pair<unsigned, unsigned> FilterList::find(StringRef Section,
                                               const Function &F) const {
  auto Line = [&](StringRef Prefix, StringRef Query) {
    return List->inSectionBlame(Section, Prefix, Query);
  };
  StringRef Name = GlobalValue::dropLLVMManglingEscape(F.getName());
  auto Found = Line("fun", Name);
  if (Found != SpecialCaseList::NotFound)
    return Found;
  std::string Readable = demangle(Name);
  if (Name != Readable) {
    // A user sees "void ns::f<int>(int)" and may write "ns::f<int>".
    StringRef Bare = withoutParameters(Readable);
    for (StringRef Query :
         {StringRef(Readable), Bare, withoutResult(Readable, Bare),
          withoutResult(Bare, Bare)}) {
      Found = Line("fun", Query);
      if (Found != SpecialCaseList::NotFound)
        return Found;
    }
  }
  // With debug info, a function in a header is found by the header's name.
  // Without, only the main file's name is known.
  if (const DISubprogram *SP = F.getSubprogram()) {
    Found = Line("src", SP->getFilename());
    if (Found != SpecialCaseList::NotFound)
      return Found;
  }
  return Line("src", F.getParent()->getSourceFileName());
}

FilterList::Match FilterList::verdict(const Function &F) const {
  for (auto [V, Section] : {std::pair(Always, "always"), {Never, "never"}}) {
    auto [File, Line] = find(Section, F);
    if (Line)
      return {V, Files[File], Line};
  }
  return {};
}

} // namespace tp
