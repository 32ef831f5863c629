// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sources.h.

#include "Sources.h"

#include "CommandLine.h"
#include "Readable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

/// The separator between the name of a module and an address.
constexpr StringLiteral AddressMark = ":0x";

/// Without -g, the symbol of a static function gives its file, but no line.
std::string placeText(StringRef File, uint32_t Line, bool Whole) {
  StringRef Shown = Whole ? File : sys::path::filename(File);
  std::string Text = printable(Shown);
  return Line ? Text + ":" + std::to_string(Line) : Text;
}

/// In C++, the macro of a point makes a lambda function, which is not in the
/// program's source. The lambda is on the line of its caller.
ArrayRef<SourceFrame> withoutMacro(ArrayRef<SourceFrame> Frames) {
  while (Frames.size() > 1 && Frames[0].Line == Frames[1].Line &&
         Frames[0].File == Frames[1].File &&
         StringRef(Frames[0].Function).contains("'lambda"))
    Frames = Frames.drop_front();
  return Frames;
}

} // namespace

std::string whereText(StringRef Where) {
  return Where.empty() ? "" : (" (" + Where + ")").str();
}

bool isSourceFile(StringRef Where) {
  return !Where.empty() && !Where.contains(AddressMark);
}

void Sources::addBinaries(VerbSyntax &Verb) {
  Verb.addOption("--binaries", Places, "DIR",
                 "where binaries and debug files are; repeatable")
      .existing();
}

void Sources::addLines(VerbSyntax &Verb) {
  Verb.addFlag("--lines", Lines, "files and lines, from the binaries");
}

Symbolizer &Sources::symbols() const {
  if (!*Symbols)
    *Symbols = std::make_unique<Symbolizer>(
        BinaryFinder(Places), !Trusted && (Lines || !Places.empty()),
        [](const Twine &Sentence) { note(Sentence); });
  return **Symbols;
}

Expected<std::unique_ptr<Recording>> Sources::open(StringRef Path) const {
  auto R = Recording::open(Path);
  if (R)
    symbols().nameFunctions((*R)->tables());
  return R;
}

void Sources::prepare(Recording &R, std::vector<FunctionId> Functions) const {
  symbols().prepare(R.tables(), std::move(Functions));
}

const SourceFrame &Sources::lineOf(Recording &R, FunctionId F) const {
  return symbols().lineOf(R.tables(), F);
}

std::map<FunctionId, std::string> Sources::tellApart(Recording &R) const {
  std::map<std::tuple<StringRef, StringRef, StringRef>, std::vector<FunctionId>>
      Named;
  for (FunctionId I = 0; I != R.tables().describedCount(); ++I) {
    const Function &F = R.tables().function(I);
    const Module *M = R.tables().module(F.Module);
    if (!F.Linked.empty())
      Named[{F.ModulePath, M ? StringRef(M->BuildId) : "", F.Linked}].push_back(
          I);
  }
  std::map<FunctionId, std::string> Where;
  for (const auto &[Key, Same] : Named) {
    if (Same.size() < 2)
      continue;
    std::set<std::string> Files;
    for (FunctionId I : Same) {
      Where[I] = sys::path::filename(lineOf(R, I).File).str();
      if (!Where[I].empty())
        Files.insert(Where[I]);
    }
    for (FunctionId I : Same)
      if (const Function &F = R.tables().function(I);
          Files.size() < Same.size())
        Where[I] = (sys::path::filename(F.ModulePath) + AddressMark +
                    utohexstr(F.Address, /*LowerCase=*/true))
                       .str();
  }
  return Where;
}

const SourceFrame &Sources::lineOf(const Module &M, uint64_t Address) const {
  static const SourceFrame Nothing;
  const std::vector<SourceFrame> &Frames = symbols().framesAt(M, Address);
  return Frames.empty() ? Nothing : Frames.back();
}

std::string Sources::textOf(const SourceFrame &Line, bool Whole) const {
  return Line.File.empty() ? ""
                           : "  at " + placeText(Line.File, Line.Line, Whole);
}

std::string Sources::textOf(Recording &R, const Point *P, uint32_t Site,
                            bool Whole,
                            function_ref<std::string(StringRef)> Shown) const {
  const CodePlace *At = R.tables().pointSite(Site);
  const Module *M = At ? R.tables().module(At->Module) : nullptr;
  ArrayRef<SourceFrame> Frames;
  if (M)
    Frames = withoutMacro(symbols().framesAt(*M, At->Address));
  // The recording has the place of the statement, and the binary has the
  // functions around it.
  std::string Text;
  if (P && !P->File.empty())
    Text = "  at " + placeText(P->File, P->Line, Whole);
  else if (!Frames.empty())
    Text = textOf(Frames.front(), Whole);
  for (size_t I = 0; I != Frames.size(); ++I) {
    const SourceFrame &F = Frames[I];
    Text += (I ? ", inlined into " : " in ") +
            (F.Function.empty() ? "?" : Shown(F.Function));
    if (I && !F.File.empty())
      Text += " at " + placeText(F.File, F.Line, Whole);
  }
  return Text;
}

/// A child of fork has the modules of its parent.
static const Module *moduleAt(const Tables &Names, uint32_t Process,
                              uint64_t Address) {
  const Module *Found = nullptr;
  for (const Module &M : Names.modules())
    if (M.Base <= Address && Address - M.Base < M.Bytes &&
        (!Found || M.Process == Process))
      Found = &M;
  return Found;
}

std::string Sources::callerAt(Recording &R, uint32_t Process,
                              uint64_t ReturnAddress) const {
  const uint64_t Address = ReturnAddress - 1;
  if (const Module *M = moduleAt(R.tables(), Process, Address)) {
    const auto &Frames = symbols().framesAt(*M, Address - M->Base);
    if (!Frames.empty() && !Frames.back().Function.empty())
      return Frames.back().Function;
    return (printable(sys::path::filename(M->Path)) + "+0x" +
            Twine::utohexstr(Address - M->Base))
        .str();
  }
  return ("0x" + Twine::utohexstr(ReturnAddress)).str();
}

std::string Sources::symbolAt(Recording &R, uint32_t Process,
                              uint64_t Address) const {
  const Module *M = moduleAt(R.tables(), Process, Address);
  if (!M)
    return "0x" + utohexstr(Address, /*LowerCase=*/true);
  const uint64_t InFile = Address - M->Base;
  std::string Name = symbols().symbolAt(*M, InFile);
  return Name.empty() ? printable(sys::path::filename(M->Path)) + "+0x" +
                            utohexstr(InFile, /*LowerCase=*/true)
                      : Name;
}

std::function<std::string(uint32_t, uint64_t)>
Sources::namerOf(Recording &R, uint32_t Process, FunctionId F) const {
  return [this, &R, Process, F](uint32_t Kind, uint64_t Word) -> std::string {
    switch (Kind) {
    case TPRT_TRACE_VALUE_CODE:
      return callerAt(R, Process, Word);
    case TPRT_TRACE_VALUE_SYMBOL:
      return symbolAt(R, Process, Word);
    case TPRT_TRACE_VALUE_FUNCTION:
      return F == NoFunction ? std::string() : R.tables().function(F).Name;
    default:
      return "";
    }
  };
}

} // namespace tpctl
