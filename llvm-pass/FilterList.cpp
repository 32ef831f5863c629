// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FilterList.h. LLVM's parser takes any section and any prefix in silence;
// a misspelt one would filter nothing, so the lines are checked here first.

#include "FilterList.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tp {

static std::string checkLines(const MemoryBuffer &Buffer, StringRef File) {
  bool InSection = false;
  for (line_iterator Line(Buffer, /*SkipBlanks=*/true, '#'); !Line.is_at_eof();
       ++Line) {
    StringRef Text = Line->trim();
    auto Fail = [&](const Twine &What) {
      return ("filter file '" + File + "', line " + Twine(Line.line_number()) +
              ": " + What + " '" + Text + "'")
          .str();
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
  return "";
}

/// Whether \p File can be read as often as it is asked for: by each compilation
/// of a command, and twice by this file. A pipe can't; it would look empty the
/// second time, or be waited for.
static bool isReadableAgain(StringRef File, vfs::FileSystem &FS) {
  auto Status = FS.status(File);
  return !Status || Status->isRegularFile() || Status->isDirectory() ||
         File == "/dev/null";
}

std::shared_ptr<const FilterList>
FilterList::load(const std::vector<std::string> &Files, vfs::FileSystem &FS,
                 std::string &Error) {
  for (const std::string &File : Files) {
    if (!isReadableAgain(File, FS)) {
      Error = "filter file '" + File +
              "' is not a regular file: it is read more than once; write the "
              "filter to a file, and name that";
      return nullptr;
    }
    auto Buffer = FS.getBufferForFile(File);
    if (!Buffer) {
      Error = "cannot read filter file '" + File +
              "': " + Buffer.getError().message();
      return nullptr;
    }
    Error = checkLines(**Buffer, File);
    if (!Error.empty())
      return nullptr;
  }
  auto Result = std::make_shared<FilterList>();
  Result->Files = Files;
  std::string Message;
  Result->List = SpecialCaseList::create(Files, FS, Message);
  if (!Result->List) {
    Error = "filter file: " + Message;
    return nullptr;
  }
  return Result;
}

/// A demangled function's name without its parameters. They begin at the last
/// parenthesis that is in no other and follows no space: those before it are of
/// "(anonymous namespace)", "operator()" and scopes, one behind it is of the
/// linked name's suffix, "f(int) (.llvm.1)".
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
    // "ns::f(int)" is what a user sees, "ns::f" what a user writes.
    for (StringRef Query : {StringRef(Readable), withoutParameters(Readable)}) {
      Found = Line("fun", Query);
      if (Found != SpecialCaseList::NotFound)
        return Found;
    }
  }
  // A function in a header is found by the header's name where debug info
  // tells it, otherwise by the main file's.
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
