// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl export: converts recordings to the formats of other tools.

#include "Export.h"

#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

enum class Target { Stream, File, Folder };
constexpr uint64_t MB = 1'000'000;

struct Format {
  const char *Name;
  Exporter *Write;
  Target To = Target::Stream;
  uint64_t MostBytes = 0; ///< the viewer's known limit; 0 means no limit
};

constexpr Format Formats[] = {
    {"folded", exportFolded},
    {"csv", exportCsv},
    {"chrome", exportChrome, Target::Stream, 500 * MB},
    {"perfetto", exportPerfetto, Target::Stream, 2000 * MB},
    {"pprof", exportPprof},
    {"callgrind", exportCallgrind},
    {"sqlite", exportSqlite, Target::File},
    {"uftrace", exportUftrace, Target::Folder},
    {"speedscope", exportSpeedscope, Target::Stream, 400 * MB},
};

struct Options {
  Selection Chosen;
  std::string As, Path = "-";
  uint64_t WarnAbove = 0;
};

using Recordings = std::vector<std::unique_ptr<Recording>>;

/// For each recording, how long after the earliest recording it began. Hosts
/// share no clock except the time of day.
std::vector<double> offsetsOf(const Recordings &All) {
  bool OneBoot = all_of(All, [&](const auto &R) {
    return StringRef(R->header().boot_id) == All[0]->header().boot_id;
  });
  std::vector<uint64_t> Starts;
  for (const auto &R : All)
    Starts.push_back(OneBoot ? R->header().start.monotonic
                             : R->header().start.realtime);
  uint64_t Earliest = *min_element(Starts);
  std::vector<double> Offsets;
  for (uint64_t Start : Starts)
    Offsets.push_back(static_cast<double>(Start - Earliest));
  return Offsets;
}

void warnOfSize(const Format &F, uint64_t Bytes, uint64_t Most) {
  if (Most && Bytes > Most)
    note(Twine(Bytes / MB) + " MB are more than the viewers of " + F.Name +
         " accept (about " + Twine(Most / MB) +
         " MB): cut with --last, --around, --from, --min, --thread or -F, or "
         "export sqlite");
}

/// Writes all recordings, one after the other.
Error writeAll(const Format &F, const Options &O, const Recordings &All,
               raw_ostream &OS) {
  std::vector<double> Offsets = offsetsOf(All);
  std::unique_ptr<ExportState> State;
  for (size_t I = 0; I != All.size(); ++I) {
    Recording &R = *All[I];
    auto Filter = O.Chosen.filterFor(R);
    if (!Filter)
      return Filter.takeError();
    ExportJob Job{R,      O.Chosen, *Filter,    OS,         0,
                  O.Path, I,        All.size(), Offsets[I], std::move(State)};
    auto Sum = F.Write(Job);
    if (!Sum)
      return Sum.takeError();
    State = std::move(Job.State);
    tellFindings(R);
    if (!Job.Written)
      note(O.Chosen.explainNothing(R, Sum->Events, Sum->Lost));
  }
  return Error::success();
}

Error checkUsage(const Format &F, const Options &O) {
  if (F.To != Target::Stream && O.Path == "-")
    return wrongUsage(Twine("--format=") + F.Name + " writes a " +
                      (F.To == Target::File ? "database" : "folder") +
                      ": name it by -o");
  return Error::success();
}

Expected<ExitCode> runExport(Options &O) {
  const Format &F =
      *find_if(Formats, [&](const Format &F) { return F.Name == O.As; });
  if (Error E = checkUsage(F, O))
    return E;
  if (Error E = O.Chosen.prepare())
    return E;
  Recordings All;
  for (const std::string &Path : O.Chosen.Files) {
    auto R = O.Chosen.Code.open(Path);
    if (!R)
      return R.takeError();
    O.Chosen.learnNames(**R);
    All.push_back(std::move(*R));
  }
  if (F.To != Target::Stream) {
    if (Error E = writeAll(F, O, All, nulls()))
      return E;
    return Done;
  }
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  if (Error E = writeAll(F, O, All, (*To)->stream()))
    return E;
  uint64_t Bytes = (*To)->stream().tell();
  if (Error E = (*To)->close())
    return E;
  warnOfSize(F, Bytes, O.WarnAbove ? O.WarnAbove * MB : F.MostBytes);
  return Done;
}

} // namespace

int64_t ExportJob::apart(uint32_t Id) const {
  // The largest pid of Linux is 4,194,304.
  return static_cast<int64_t>(Index) * 10'000'000 + Id;
}

std::string ExportJob::processName(uint32_t Process, uint32_t Pid) const {
  const tp::trace::Process *Known = R.tables().process(Process);
  std::string Command = Known ? Known->CommandLine : std::string();
  if (Files == 1)
    return Command;
  return (Twine(R.header().host) + " pid " + Twine(Pid) +
          (Command.empty() ? "" : " ") + Command + " [" + R.file().path() + "]")
      .str();
}

void tpctl::addExport(CommandLine &Line) {
  auto O = std::make_shared<Options>();
  VerbSyntax &Verb =
      Line.addVerb("export", "write recordings in another format");
  O->Chosen.addFiles(Verb, /*Several=*/true);
  std::vector<std::string> Names;
  for (const Format &F : Formats)
    Names.push_back(F.Name);
  Verb.addOption("--format", O->As, "FORMAT",
                 "folded, csv, chrome, perfetto, speedscope, pprof,\n"
                 "callgrind, sqlite, uftrace")
      .required()
      .oneOf(Names);
  O->Chosen.addCuts(Verb);
  O->Chosen.addDurations(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.addOption("--warn-above", O->WarnAbove, "MB",
                 "warn of output above this; else what viewers take");
  Verb.addOption("-o", O->Path, "FILE", "write to this file or folder");
  Verb.setAction([O] { return runExport(*O); });
}
