// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl trace: what happened, a line for each, in the order of time.

#include "Timeline.h"

#include "Output.h"
#include "Selection.h"
#include "Values.h"
#include "Verb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace tp::trace;
using namespace tpctl;

namespace {

struct Options {
  Selection Chosen;
  std::string Path = "-";
  uint64_t Limit = 0;
};

/// Writes the lines. An exit right behind its entry shares the entry's line.
class Lines {
public:
  Lines(raw_ostream &OS, Recording &R, const Options &O) : OS(OS), R(R), O(O) {}

  /// Returns false if no further line is wanted.
  bool moment(const ThreadInfo &T, const Moment &M) {
    if (M.Function != NoFunction &&
        !O.Chosen.takes(R.tables().function(M.Function)))
      return true;
    if (HasEntry && M.What == Moment::Exit && T.Thread == EntryThread.Thread &&
        M.Function == Entry.Function && M.Depth == Entry.Depth) {
      leaf(M);
      return more();
    }
    flush();
    if (!more())
      return false;
    if (M.What == Moment::Entry) {
      Entry = M;
      EntryThread = T;
      HasEntry = true;
      return true;
    }
    other(T, M);
    return more();
  }
  void flush() {
    if (!HasEntry)
      return;
    HasEntry = false;
    begin(EntryThread, Entry.Time, "", Entry.Depth)
        << call(Entry.Function, Entry) << " {" << lineOf(Entry.Function)
        << '\n';
  }
  uint64_t Count = 0;
  bool more() const { return !O.Limit || Count < O.Limit; }

private:
  raw_ostream &begin(const ThreadInfo &T, uint64_t Time, StringRef Duration,
                     size_t Depth) {
    if (!Count++)
      OS << "      time (s)       tid  duration  function\n";
    // Seconds, so that a time can be given to --from as it stands here.
    OS << format("%14.9f", R.clock().sinceStart(Time) / 1e9)
       << right_justify(std::to_string(T.Tid), 10)
       << right_justify(Duration, 10) << "  ";
    // No line of a million columns for a stack of a million calls.
    OS.indent(2 * static_cast<unsigned>(std::min<size_t>(Depth, 60)));
    return OS;
  }
  std::string call(FunctionId F, const Moment &M) const {
    std::string Shown = O.Chosen.shown(R.tables().function(F).Name);
    StringRef Name = Shown;
    if (!M.Forms)
      return Shown;
    return (Name.take_front(Name.find('(')) + "(" +
            tpctl::textOf(valuesOf(formsOf(M.Forms), M.Values)) + ")")
        .str();
  }
  static std::string result(const Moment &M) {
    return M.Forms ? " = " + tpctl::textOf(valuesOf(formsOf(M.Forms), M.Values))
                   : "";
  }
  static StringRef ending(const Moment &M) {
    if (M.TailExit)
      return "  (tail call)";
    switch (M.How) {
    case Ending::Unwound:
      return "  (no exit: unwound)";
    case Ending::Unfinished:
      return "  (still open)";
    case Ending::Uncertain:
      return "  (around lost events)";
    default:
      return "";
    }
  }
  /// Where a function begins, if lines are wanted.
  std::string lineOf(FunctionId F) const {
    const Sources &Code = O.Chosen.Code;
    return Code.inText() ? Code.textOf(Code.lineOf(R, F), O.Chosen.fullNames())
                         : "";
  }
  /// The point's number is in the lower half of the first word, and its site's
  /// number in the upper half.
  std::string point(const Moment &M, uint64_t First) const {
    auto Number = static_cast<uint32_t>(First);
    const Point *P = R.tables().point(Number);
    std::string Text =
        pointText(P, Number, ArrayRef(M.Words).drop_front(!M.Words.empty()));
    if (O.Chosen.Code.inText())
      Text += O.Chosen.Code.textOf(
          R, P, static_cast<uint32_t>(First >> 32), O.Chosen.fullNames(),
          [&](StringRef Name) { return O.Chosen.shown(Name); });
    return Text;
  }
  std::string duration(const Moment &M) const {
    return timeText(R.clock().durationOf(M.Time - M.Start));
  }
  void leaf(const Moment &M) {
    HasEntry = false;
    begin(EntryThread, Entry.Time, duration(M), M.Depth)
        << call(M.Function, Entry) << result(M) << ending(M)
        << lineOf(M.Function) << '\n';
  }
  void other(const ThreadInfo &T, const Moment &M) {
    switch (M.What) {
    case Moment::Exit:
      begin(T, M.Time, duration(M), M.Depth)
          << "} " << O.Chosen.shown(R.tables().function(M.Function).Name)
          << result(M) << ending(M) << '\n';
      return;
    case Moment::Orphan:
      begin(T, M.Time, "", 0)
          << "} " << O.Chosen.shown(R.tables().function(M.Function).Name)
          << result(M) << "  (began before)\n";
      return;
    case Moment::Visit:
      begin(T, M.Time, "", M.Depth)
          << call(M.Function, M) << lineOf(M.Function) << '\n';
      return;
    default:
      extension(T, M);
    }
  }
  /// The pid in a FORK word, or else the one of the child's PROCESS record. A
  /// child that records nothing has none.
  std::string childName(uint64_t Word) {
    auto Pid = static_cast<uint32_t>(Word);
    const auto *Child = Pid ? nullptr : R.tables().process(Word >> 32);
    if (Child)
      Pid = Child->Pid;
    return Pid ? std::to_string(Pid) : "that recorded nothing";
  }
  void extension(const ThreadInfo &T, const Moment &M) {
    uint64_t First = M.Words.empty() ? 0 : M.Words.front();
    std::string Text;
    switch (typeOf(M.Word)) {
    case TPRT_TRACE_POINT:
      Text = "* " + point(M, First);
      break;
    case TPRT_TRACE_MARK:
      Text = "* mark " + std::to_string(First);
      break;
    case TPRT_TRACE_LOST:
      Text = "* " + std::to_string(First) + " events were lost here";
      break;
    case TPRT_TRACE_FORK:
      Text = "* fork: child " + childName(First);
      break;
    case TPRT_TRACE_EXEC:
      Text = "* exec " + tp::trace::textOf(M.Words);
      break;
    case TPRT_TRACE_SWITCH:
      Text = "* goes on with stack " + std::to_string(First);
      break;
    case TPRT_TRACE_THREAD_END:
      Text = "* the thread ends";
      break;
    default:
      return; // names and clocks
    }
    begin(T, M.Time, "", M.Depth) << Text << '\n';
  }

  raw_ostream &OS;
  Recording &R;
  const Options &O;
  bool HasEntry = false;
  Moment Entry;
  ThreadInfo EntryThread;
};

Expected<ExitCode> trace(Options &O) {
  if (Error E = O.Chosen.prepare())
    return E;
  auto R = O.Chosen.Code.open(O.Chosen.Files.front());
  if (!R)
    return R.takeError();
  auto Filter = O.Chosen.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  auto To = Output::open(O.Path);
  if (!To)
    return To.takeError();
  Lines L((*To)->stream(), **R, O);
  auto Sum =
      readTimeline(**R, *Filter, [&](const ThreadInfo &T, const Moment &M) {
        return L.moment(T, M);
      });
  if (!Sum)
    return Sum.takeError();
  if (L.more())
    L.flush();
  if (Error E = (*To)->close())
    return E;
  if (!L.more())
    note("these are the first " + Twine(O.Limit) + " lines: -n shows more");
  else
    tellFindings(**R);
  if (!L.Count)
    note(O.Chosen.explainNothing(**R, Sum->Events, Sum->Lost));
  return Done;
}

} // namespace

void tpctl::addTrace(CLI::App &Top, Action &Chosen) {
  auto O = std::make_shared<Options>();
  CLI::App &Verb = *Top.add_subcommand(
      "trace", "what happened, a line for each, in the order of time");
  O->Chosen.addFiles(Verb, /*Several=*/false);
  O->Chosen.addCuts(Verb);
  O->Chosen.addLeastDuration(Verb);
  O->Chosen.addNames(Verb);
  O->Chosen.Code.addLines(Verb);
  O->Chosen.Code.addBinaries(Verb);
  Verb.add_option("-n", O->Limit, "only the first N lines")->option_text("N");
  Verb.add_option("-o", O->Path, "write to this file")->option_text("FILE");
  Verb.callback([O, &Chosen] { Chosen = [O] { return trace(*O); }; });
}
