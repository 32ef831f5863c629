// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Symbolizer.h. LLVM keeps its parsed form of a binary in memory, which may
// be many times the binary's size. If that memory exceeds a bound, the parsed
// forms are freed; the results are kept.

#include "Symbolizer.h"

#include "Readable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <optional>

using namespace llvm;

namespace tp::trace {
namespace {

constexpr size_t MostMemory = size_t(512) << 20;
/// Memory use is not measured at each lookup: the measurement takes longer than
/// most lookups.
constexpr size_t LookUpsBetween = 64;

bool isKnown(StringRef Text) {
  return !Text.empty() && Text != DILineInfo::BadString;
}

std::string known(StringRef Text) {
  return isKnown(Text) ? Text.str() : std::string();
}

/// The short form of a build-id, for messages.
std::string brief(StringRef BuildId) {
  return BuildId.empty() ? "none" : (BuildId.take_front(12) + "...").str();
}

std::string debugFileOf(StringRef BuildId) {
  if (BuildId.size() <= 2)
    return "";
  return (", or put its debug file at DIR/.build-id/" + BuildId.take_front(2) +
          "/" + BuildId.drop_front(2) + ".debug and give --binaries DIR")
      .str();
}

} // namespace

/// The file of a module, and the results of lookups in it.
struct Symbolizer::Binary {
  Binary(FoundBinary File, std::string BuildId)
      : File(std::move(File)), BuildId(std::move(BuildId)) {}
  Binary(const Binary &) = delete;
  const FoundBinary File;
  const std::string BuildId; ///< as recorded
  bool ToldOfLines = false;
  std::map<uint64_t, SourceFrame> Lines;
  std::map<uint64_t, std::vector<SourceFrame>> Frames;
  bool usable() const { return File.What == FoundBinary::Found; }
  /// The path for LLVM. LLVM reads "x (y)" as the member y of the archive x,
  /// and "x:y" as the part of x for the processor y. The symbolizer opens a
  /// file with such a name itself, and LLVM reads the file through the
  /// descriptor.
  std::string plainPath() {
    StringRef Path = File.Path;
    if (!Path.ends_with(")") && !Path.contains(':'))
      return File.Path;
    if (!Opened) {
      if (auto Now = sys::fs::openNativeFileForRead(Path))
        Opened = *Now;
      else
        consumeError(Now.takeError());
    }
    return Opened ? "/proc/self/fd/" + std::to_string(*Opened) : File.Path;
  }
  ~Binary() {
    if (Opened)
      sys::fs::closeFile(*Opened);
  }

private:
  std::optional<sys::fs::file_t> Opened;
};

Symbolizer::Symbolizer(BinaryFinder Where, bool Asked, Teller Tell)
    : Where(std::move(Where)), Asked(Asked), Tell(std::move(Tell)) {}

Symbolizer::~Symbolizer() = default;

void Symbolizer::tellHowFound(const Module &M, const FoundBinary &Found) {
  constexpr StringRef Hint = "--binaries DIR names a folder that has it";
  switch (Found.What) {
  case FoundBinary::OtherBuild:
    return Tell(Found.Path +
                " is not used, because it is another build than the " +
                "recorded one (build-id " + brief(Found.Text) + " instead of " +
                brief(M.BuildId) + "): " + Hint);
  case FoundBinary::Unreadable:
    return Tell(Found.Path + " is not used: " + Found.Text);
  case FoundBinary::Missing:
    if (Asked)
      Tell("no file of " + M.Path + " (build-id " + brief(M.BuildId) +
           ") is there, so its functions have no lines: " + Hint);
    return;
  case FoundBinary::Found:
    if (Asked && M.BuildId.empty())
      Tell(M.Path + " has no build-id in the recording. The lines are right " +
           "only if " + Found.Path + " is the file that ran: link with " +
           "-Wl,--build-id, so that tpctl can compare");
  }
}

Symbolizer::Binary &Symbolizer::binaryOf(const Module &M) {
  std::unique_ptr<Binary> &B = Binaries[{M.Path, M.BuildId}];
  if (!B) {
    FoundBinary Found = Where.find(M);
    tellHowFound(M, Found);
    B = std::make_unique<Binary>(std::move(Found), M.BuildId);
  }
  return *B;
}

void Symbolizer::forget() {
  if (Engine)
    Engine->flush();
  MemoryBefore = sys::Process::GetMallocUsage();
}

void Symbolizer::boundMemory() {
  if (++LookUps % LookUpsBetween == 0 &&
      sys::Process::GetMallocUsage() > MemoryBefore + MostMemory)
    forget();
}

symbolize::LLVMSymbolizer &Symbolizer::engine() {
  if (!Engine) {
    symbolize::LLVMSymbolizer::Options Options;
    Options.Demangle = false;
    Options.MaxCacheSize = MostMemory;
    Options.DebugFileDirectory = Where.places().vec();
    Options.DebugFileDirectory.push_back("/usr/lib/debug");
    Engine = std::make_unique<symbolize::LLVMSymbolizer>(Options);
    MemoryBefore = sys::Process::GetMallocUsage();
  }
  boundMemory();
  return *Engine;
}

DIInliningInfo Symbolizer::lookUp(Binary &B, uint64_t Address) {
  auto Frames = engine().symbolizeInlinedCode(
      B.plainPath(), {Address, object::SectionedAddress::UndefSection});
  if (Frames)
    return std::move(*Frames);
  // LLVM reports an error of a file only once. After that, it returns empty
  // results.
  Tell(B.File.Path + ": " + toString(Frames.takeError()));
  return {};
}

/// The name of the function that begins at an address. A symbol before the
/// address belongs to another function.
std::string Symbolizer::nameAt(Binary &B, uint64_t Address) {
  DIInliningInfo Frames = lookUp(B, Address);
  unsigned Count = Frames.getNumberOfFrames();
  if (!Count)
    return "";
  const DILineInfo &Outermost = Frames.getFrame(Count - 1);
  if (Outermost.StartAddress.value_or(Address) != Address)
    return "";
  return known(Outermost.FunctionName);
}

const SourceFrame &Symbolizer::lineAt(Binary &B, uint64_t Address) {
  auto [At, New] = B.Lines.try_emplace(Address);
  if (!New || !B.usable())
    return At->second;
  DIInliningInfo Frames = lookUp(B, Address);
  if (unsigned Count = Frames.getNumberOfFrames()) {
    const DILineInfo &L = Frames.getFrame(Count - 1);
    bool Declared = L.StartLine && isKnown(L.StartFileName);
    At->second.Function = readableName(known(L.FunctionName));
    At->second.File = known(Declared ? L.StartFileName : L.FileName);
    At->second.Line = Declared ? L.StartLine : L.Line;
  }
  // Without -g, the symbol of a static function names its file.
  bool Nothing = !At->second.Line;
  if (Nothing && Asked && !B.File.HasLines && !B.ToldOfLines) {
    B.ToldOfLines = true;
    Tell(B.File.Path + " has no line numbers: compile it with -g" +
         debugFileOf(B.BuildId));
  }
  return At->second;
}

const SourceFrame &Symbolizer::lineOf(const Tables &Names, FunctionId F) {
  static const SourceFrame None;
  const Function &Of = Names.function(F);
  const Module *M = Names.module(Of.Module);
  return M ? lineAt(binaryOf(*M), Of.Address) : None;
}

const std::vector<SourceFrame> &Symbolizer::framesAt(const Module &M,
                                                     uint64_t Address) {
  Binary &B = binaryOf(M);
  auto [At, New] = B.Frames.try_emplace(Address);
  if (!New || !B.usable())
    return At->second;
  DIInliningInfo Found = lookUp(B, Address);
  for (unsigned I = 0; I != Found.getNumberOfFrames(); ++I) {
    const DILineInfo &L = Found.getFrame(I);
    if (isKnown(L.FunctionName) || isKnown(L.FileName))
      At->second.push_back(
          {readableName(known(L.FunctionName)), known(L.FileName), L.Line});
  }
  return At->second;
}

/// LLVM finds functions here, too: both are symbols of the file.
std::string Symbolizer::symbolAt(const Module &M, uint64_t Address) {
  Binary &B = binaryOf(M);
  if (!B.usable())
    return "";
  auto Found = engine().symbolizeData(
      B.plainPath(), {Address, object::SectionedAddress::UndefSection});
  if (!Found) {
    Tell(B.File.Path + ": " + toString(Found.takeError()));
    return "";
  }
  const uint64_t Distance = Address - Found->Start;
  // A symbol without a size may be far away.
  const bool IsInside = Found->Size ? Distance < Found->Size : !Distance;
  if (!isKnown(Found->Name) || !IsInside)
    return "";
  return readableName(Found->Name) +
         (Distance ? "+0x" + utohexstr(Distance, /*LowerCase=*/true) : "");
}

void Symbolizer::prepare(const Tables &Names,
                         std::vector<FunctionId> Functions) {
  auto place = [&](FunctionId F) {
    const Function &Of = Names.function(F);
    return std::pair(Of.Module, Of.Address);
  };
  llvm::sort(Functions,
             [&](FunctionId A, FunctionId B) { return place(A) < place(B); });
  for (size_t I = 0; I != Functions.size(); ++I) {
    if (OnProgress)
      OnProgress("lines of " + Names.function(Functions[I]).ModulePath, I,
                 Functions.size());
    lineOf(Names, Functions[I]);
  }
  if (OnProgress && !Functions.empty())
    OnProgress("", Functions.size(), Functions.size());
  forget();
}

void Symbolizer::nameFunctions(Tables &Names) {
  std::vector<FunctionId> Nameless;
  for (FunctionId F = 0; F != Names.describedCount(); ++F)
    if (Names.function(F).Linked.empty())
      Nameless.push_back(F);
  for (size_t I = 0; I != Nameless.size(); ++I) {
    const Function &F = Names.function(Nameless[I]);
    const Module *M = Names.module(F.Module);
    if (OnProgress)
      OnProgress("names of " + F.ModulePath, I, Nameless.size());
    if (!M || !binaryOf(*M).usable())
      continue;
    if (std::string Linked = nameAt(binaryOf(*M), F.Address); !Linked.empty())
      Names.setLinked(Nameless[I], Linked);
  }
  if (OnProgress && !Nameless.empty())
    OnProgress("", Nameless.size(), Nameless.size());
  forget();
}

} // namespace tp::trace
