// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl run: calls handlers of the user's own, in C, in running processes
// (tprt/run.h).

#include "tprt/run.h"
#include "HandlerBuild.h"
#include "HandlerFile.h"
#include "RunTables.h"
#include "live/measure/Budget.h"
#include "live/measure/Measurement.h"
#include "live/targets/Callees.h"
#include "live/targets/Unmatched.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tpctl;

namespace {

struct Options {
  explicit Options(ArrayRef<char *> Command) : At(Command) {}
  Target At;
  Patterns Chosen;
  CalleesOf Callees;
  Budget Limits{"none"};
  std::string File, Compiler, Path; ///< Path: of -o
  bool Unsafe = false, Verbose = false, Json = false;
  size_t Limit = 0;
};

/// A handler, and where it is called.
struct Attachment {
  const RunHandler *Of;
  Patterns Where;
};

/// What a process has printed and added up since the last reading.
class Runner : public Measurement {
public:
  Runner(Options &O, const HandlerFile &File, ArrayRef<Attachment> All)
      : Measurement(O.At, All.front().Where), O(O), File(File), All(All),
        Fits(All.size()) {}
  Expected<ExitCode> run();

private:
  struct Ran : Process {
    Ran(Connection &C, uint32_t Run, const Patterns &P, uint32_t Kinds,
        GroupAction Does)
        : Process(C, Following(C, P, Kinds, std::move(Does))), Run(Run) {}
    uint32_t Run; ///< the file's number in the process
    /// Those of the handlers after the first one.
    std::vector<Following> More;
    std::vector<uint32_t> Groups; ///< theirs
    std::vector<RunRows> Rows;    ///< by table
    uint64_t LostLines = 0, LostHits = 0;
    uint32_t Inside = 0; ///< groups that were not over after the detach
  };

  Error beforeAttach(Connection &C) override;
  std::unique_ptr<Process> make(Connection &C) override;
  Error beginWindow(Process &Of) override;
  Expected<bool> readProcess(Process &Of) override;
  Error learnNames(Process &, Clock::time_point) override {
    return Error::success();
  }

  GroupAction actionOf(uint32_t Run, const RunHandler &Of) const;
  Expected<bool> readLines(Ran &Of);
  Expected<std::string> readMemory(Ran &Of, uint64_t At, uint64_t Bytes);
  Error readTables(Ran &Of);
  void show(const Ran &Of, StringRef Line);
  Error detach();
  Error detachFrom(Ran &Of);
  void showTables();
  void explain() const;

  Options &O;
  const HandlerFile &File;
  ArrayRef<Attachment> All;
  std::map<Connection *, uint32_t> Loaded; ///< the file's number
  std::unique_ptr<Output> To;
  uint64_t Lines = 0;
  size_t Rows = 0; ///< that were shown
  /// By handler, whether a site of any process matched at its attach.
  std::vector<char> Fits;
};

/// Sends the file. libtprt loads it.
Error Runner::beforeAttach(Connection &C) {
  const StringRef Bytes = File.File->getBuffer();
  uint32_t Run = 0;
  for (uint64_t At = 0; At < Bytes.size();) {
    const uint64_t Part =
        std::min<uint64_t>(TPRT_CONTROL_MOST_RUN_BYTES, Bytes.size() - At);
    Body B;
    B.put(tprt_control_run_load{TPRT_RUN_VERSION, Run, Bytes.size(), At,
                                static_cast<uint32_t>(Part), 0});
    B.Bytes += Bytes.substr(At, Part);
    auto Answer = C.ask(TPRT_CONTROL_RUN_LOAD, B);
    if (!Answer)
      return Answer.takeError();
    auto Done = Reader(*Answer).take<tprt_control_run_load_answer>();
    if (!Done)
      return createStringError(C.name() + " sent a short answer");
    Run = Done->run;
    At += Part;
  }
  Loaded[&C] = Run;
  return Error::success();
}

GroupAction Runner::actionOf(uint32_t Run, const RunHandler &Of) const {
  Body B;
  B.put(tprt_control_run_handler{Run, Of.Flags, Of.Address});
  return {TPRT_CONTROL_ACTION_RUN, B.Bytes};
}

std::unique_ptr<Measurement::Process> Runner::make(Connection &C) {
  const Attachment &First = All.front();
  const uint32_t Run = Loaded[&C];
  auto Made = std::make_unique<Ran>(C, Run, First.Where, First.Of->kinds(),
                                    actionOf(Run, *First.Of));
  Made->Rows.resize(File.Tables.size());
  for (const Attachment &Each : All.drop_front())
    Made->More.emplace_back(C, Each.Where, Each.Of->kinds(),
                            actionOf(Run, *Each.Of));
  return Made;
}

/// The first handler is attached.
Error Runner::beginWindow(Process &Which) {
  auto &Of = static_cast<Ran &>(Which);
  Of.Groups.push_back(Of.Group);
  Fits[0] |= Of.Matched;
  for (auto [Each, On, Own] :
       zip(All.drop_front(), Of.More, MutableArrayRef(Fits).drop_front())) {
    auto Done = On.attach(0);
    if (!Done)
      return Done.takeError();
    if (Done->Matched)
      At.tellRefused(*Of.C, Each.Where, *Done);
    Of.Groups.push_back(Done->Group);
    Of.Sites += Done->Enabled;
    Of.Matched |= Done->Matched != 0;
    Own |= Done->Matched != 0;
  }
  auto Ending = readProcess(Of);
  if (!Ending)
    return Ending.takeError();
  Of.Begin = Of.Latest;
  return Error::success();
}

void Runner::show(const Ran &Of, StringRef Line) {
  raw_ostream &OS = To->stream();
  ++Lines;
  Line.consume_back("\n");
  if (!O.Json) {
    OS << printableLines(Line) << '\n';
    return;
  }
  json::OStream J(OS);
  J.object([&] {
    J.attribute("pid", Of.Pid);
    J.attribute("line", jsonText(Line));
  });
  OS << '\n';
}

/// Returns whether the process is about to end.
Expected<bool> Runner::readLines(Ran &Of) {
  std::optional<bool> Ending;
  for (bool More = true; More;) {
    auto Answer = Of.C->ask(TPRT_CONTROL_RUN_LINES,
                            Body().put(tprt_control_run_lines{Of.Run, 0}));
    if (!Answer)
      return Answer.takeError();
    Reader R(*Answer);
    auto Head = R.take<tprt_control_run_lines_answer>();
    if (!Head)
      return createStringError(Of.C->name() + " sent a short answer");
    for (uint32_t I = 0; I != Head->lines; ++I) {
      auto Bytes = R.take<uint32_t>();
      auto Line = Bytes ? R.block(*Bytes) : std::nullopt;
      if (!Line)
        return createStringError(Of.C->name() + " sent a short answer");
      show(Of, *Line);
    }
    // Handlers may print faster than tpctl reads.
    More = Head->flags & TPRT_CONTROL_READ_MORE && Head->lines;
    // If the process begins to end meanwhile, the next reading has the rest.
    if (!Ending) {
      Ending = (Head->flags & TPRT_CONTROL_READ_ENDING) != 0;
      Of.C->noteEnd(Head->flags);
    }
    Of.LostLines = Head->lost;
    Of.Missed = Head->missed;
    Of.Inside = Head->groups;
    Of.Latest = Of.C->timeOf(Head->ticks);
  }
  To->stream().flush();
  return *Ending;
}

Expected<std::string> Runner::readMemory(Ran &Of, uint64_t At, uint64_t Bytes) {
  std::string All;
  while (All.size() < Bytes) {
    const auto Part = static_cast<uint32_t>(
        std::min<uint64_t>(TPRT_CONTROL_MOST_RUN_BYTES, Bytes - All.size()));
    auto Answer = Of.C->ask(
        TPRT_CONTROL_RUN_MEMORY,
        Body().put(tprt_control_run_memory{Of.Run, Part, At + All.size()}));
    if (!Answer)
      return Answer.takeError();
    if (Answer->size() != Part)
      return createStringError(Of.C->name() + " sent a short answer");
    All += *Answer;
  }
  return All;
}

Error Runner::readTables(Ran &Of) {
  uint64_t Lost = 0;
  for (auto [Table, Rows] : zip(File.Tables, Of.Rows)) {
    auto Memory =
        readMemory(Of, Table.Rows, Table.Count * sizeof(tprt_run_row));
    if (!Memory)
      return Memory.takeError();
    Rows = rowsOf(*Memory);
    auto Word = readMemory(Of, Table.Lost, sizeof(uint64_t));
    if (!Word)
      return Word.takeError();
    Lost += Reader(*Word).take<uint64_t>().value_or(0);
  }
  Of.LostHits = Lost;
  return Error::success();
}

Expected<bool> Runner::readProcess(Process &Which) {
  auto &Of = static_cast<Ran &>(Which);
  for (Following &On : Of.More) {
    auto Later = On.attachLater();
    if (!Later)
      return Later.takeError();
    Of.Sites += *Later;
  }
  auto Ending = readLines(Of);
  if (!Ending)
    return Ending;
  if (Error E = readTables(Of))
    return E;
  return Ending;
}

/// Detaches the handlers, and reads what they have written last.
Error Runner::detachFrom(Ran &Of) {
  for (uint32_t Group : Of.Groups)
    if (auto Ended = detachGroups(*Of.C, Group, {}); !Ended)
      return Ended.takeError();
  return readProcess(Of).takeError();
}

Error Runner::detach() {
  for (auto &Which : Processes) {
    auto &Of = static_cast<Ran &>(*Which);
    if (!Of.C || Of.Told)
      continue;
    if (Error E = handleErrors(
            detachFrom(Of), [](const ProcessEnded &) {},
            [](const ProcessStopped &) {}))
      return E;
    if (Of.Inside)
      note("a thread of " + Of.C->name() +
           " is still in a handler: its code is unloaded when the thread has "
           "left it");
  }
  return Error::success();
}

void Runner::showTables() {
  for (size_t I = 0; I != File.Tables.size(); ++I) {
    RunRows Sum;
    for (auto &Of : Processes)
      addRows(Sum, static_cast<Ran &>(*Of).Rows[I]);
    Rows += Sum.size();
    (O.Json ? writeJson : writeText)(To->stream(), File.Tables[I], Sum,
                                     O.Limit);
  }
}

void Runner::explain() const {
  const auto [Sites, Missed, Matched, Why] = sums();
  uint64_t LostLines = 0, LostHits = 0;
  for (const auto &Which : Processes) {
    const auto &Of = static_cast<const Ran &>(*Which);
    LostLines += Of.LostLines;
    LostHits += Of.LostHits;
  }
  const bool IsEmpty = !Lines && !Rows;
  if (IsEmpty && !Sites && Matched)
    note("no handler was called, because all matching sites were refused");
  else if (IsEmpty && !Sites) {
    const std::string Text = "no function or point matches " + P.text() +
                             (Why.empty() ? "" : ": " + Why);
    Processes.empty() ? note(Text) : At.tellNothing(P, Text);
  } else if (IsEmpty && !File.Tables.empty()) {
    note(countText(Sites, "site") +
         " watched, but the handlers have printed nothing and added nothing "
         "to a table");
  }
  // A library that comes later may have the function.
  for (auto [Each, Own] : zip(All, Fits))
    if (!Own && Sites && !Each.Where.awaits())
      note("no function or point matches " + Each.Where.text() +
           ", so the handler " + Each.Of->Name + " was not called");
  if (LostLines)
    note(countText(LostLines, "line") +
         " lost: the handlers printed them faster than tpctl read");
  if (LostHits)
    note(countText(LostHits, "hit") +
         " in no row: a table was full; give it more rows");
  if (Missed)
    note(countText(Missed, "hit") +
         " called no handler: they came from inside handlers, or their threads "
         "got no memory");
}

Expected<ExitCode> Runner::run() {
  auto Opened = Output::open(At.resultPath(O.Path));
  if (!Opened)
    return Opened.takeError();
  To = std::move(*Opened);
  if (Error E = attach())
    return E;
  At.beginWindow();
  auto Show = [&](bool Last) -> Error {
    if (!Last)
      return Error::success();
    if (Error E = detach())
      return E;
    showTables();
    return To->close();
  };
  if (Error E = watch(Show))
    return E;
  explain();
  At.tellAbruptEnd(age());
  return At.finish();
}

/// The patterns of each handler: its own, or those of the command line.
Expected<std::vector<Attachment>> placesOf(Options &O,
                                           const HandlerFile &File) {
  const bool Gives = O.Chosen.hasAny();
  std::vector<Attachment> All;
  bool Used = false;
  for (const RunHandler &Each : File.Handlers) {
    if (!Each.Pattern && !Gives)
      return wrongUsage("the handler " + Each.Name + " of '" + O.File +
                        "' has no pattern of its own: give one after the file");
    Patterns Where = O.Chosen;
    if (Each.Pattern)
      Where.giveOnly(*Each.Pattern);
    Used |= !Each.Pattern;
    if (Error E = Where.prepare(O.At.program()))
      return E;
    All.push_back({&Each, std::move(Where)});
  }
  if (Gives && !Used)
    return wrongUsage("each handler of '" + O.File +
                      "' has a pattern of its own: leave out the others");
  return All;
}

Expected<ExitCode> run(Options &O) {
  if (!O.Unsafe)
    return wrongUsage(
        "a handler that is wrong can crash or hang the process, or spoil its "
        "data: nothing checks what it does there; give --unsafe to run it");
  auto Built = buildHandlers(O.File, O.Compiler, O.Verbose);
  if (!Built)
    return Built.takeError();
  auto File = HandlerFile::read(std::move(*Built), O.File);
  if (!File)
    return File.takeError();
  auto All = placesOf(O, *File);
  if (!All)
    return All.takeError();
  Attachment &First = All->front();
  if (Error E = prepareToMeasure(O.At, First.Where, First.Of->kinds(),
                                 O.Callees, O.Limits, O.At.resultPath(O.Path)))
    return E;
  for (Attachment &Each : MutableArrayRef(*All).drop_front())
    if (Error E = checkMatches(O.At, Each.Where, Each.Of->kinds()))
      return E;
  return Runner(O, *File, *All).run();
}

} // namespace

void tpctl::addRun(CommandLine &Line, ArrayRef<char *> Command) {
  auto O = std::make_shared<Options>(Command);
  VerbSyntax &Verb =
      Line.addVerb("run", "call handlers of your own, in C, at each hit");
  Verb.addArgument("FILE", O->File).required();
  O->Chosen.addOptions(Verb);
  O->Chosen.addAwait(Verb);
  O->At.addOptions(Verb);
  O->At.addFor(Verb);
  O->At.addSignals(Verb);
  Verb.addFlag("--unsafe", O->Unsafe,
               "accept that a wrong handler can crash the process");
  Verb.addOption("--compiler", O->Compiler, "CC [$CC, clang or gcc]",
                 "the compiler of FILE.c, with options");
  Verb.addFlag("--verbose", O->Verbose, "print the compiler's command");
  Verb.addOption("-n", O->Limit, "N", "only the first N rows of each table");
  Verb.addChoice("--format", O->Json, {{"text", false}, {"json", true}},
                 "FORMAT", "text or json");
  Verb.addOption("-o", O->Path, "FILE",
                 "write to this file; - is standard output");
  Verb.setAction([O] { return run(*O); });
}
