// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TraceLines.h.

#include "TraceLines.h"

#include "Output.h"
#include "Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

std::string TraceLines::result(const Moment &M) const {
  std::vector<Value> Values = valuesOf(formsOf(M.Forms), M.Values);
  if (Values.empty())
    return "";
  std::string Text =
      Texts.result(R->tables().function(M.Function), Values.front());
  return Text.empty() ? "" : " = " + Text;
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

bool TraceLines::moment(const ThreadInfo &T, const Moment &M) {
  if (!takes(M))
    return true;
  if (HasEntry && M.What == Moment::Exit && T.Thread == EntryThread.Thread &&
      M.Function == Entry.Function && M.Depth == Entry.Depth) {
    HasEntry = false;
    whole(EntryThread, Entry, M);
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

bool TraceLines::takes(const Moment &M) const {
  return M.Function == NoFunction ||
         Chosen.takes(R->tables().function(M.Function));
}

void TraceLines::flush() {
  if (!HasEntry)
    return;
  HasEntry = false;
  begin(EntryThread, Entry.Time, "", Entry.Depth)
      << call(Entry.Function, Entry) << computed(EntryThread, Entry) << " {"
      << lineOf(Entry.Function) << '\n';
}

void TraceLines::whole(const ThreadInfo &T, const Moment &From,
                       const Moment &To, bool AtEnd) {
  begin(T, From.Time, duration(To), To.Depth, AtEnd ? To.Time : From.Time)
      << call(To.Function, From) << result(To) << ending(To)
      << computed(T, From) << lineOf(To.Function) << '\n';
}

raw_ostream &TraceLines::begin(const ThreadInfo &T, uint64_t Time,
                               StringRef Duration, size_t Depth,
                               uint64_t Place) {
  if (!Count++)
    OS << "      time (s)       tid  duration  function\n";
  if (Begins)
    Begins(Place);
  // Seconds, so that a shown time can be given to --from.
  const tp::trace::Clock &By = Times ? *Times : R->clock();
  OS << format("%14.9f", By.sinceStart(Time) / 1e9)
     << right_justify(std::to_string(T.Tid), 10) << right_justify(Duration, 10)
     << "  ";
  // The indentation has a limit, because a stack may have a million calls.
  OS.indent(2 * static_cast<unsigned>(std::min<size_t>(Depth, 60)));
  return OS;
}

std::string TraceLines::call(FunctionId F, const Moment &M) const {
  std::string Shown = Chosen.shown(R->tables().function(F).Name);
  StringRef Name = Shown;
  if (!M.Forms)
    return Shown;
  return (Name.take_front(Name.find('(')) + "(" +
          Texts.arguments(R->tables().function(F),
                          valuesOf(formsOf(M.Forms), M.Values)) +
          ")")
      .str();
}

std::string TraceLines::computed(const ThreadInfo &T, const Moment &M) const {
  std::string Text;
  auto nameOf = [&](uint32_t Kind, uint64_t Word) {
    return Names ? Names(T, M.Function, Kind, Word) : std::string();
  };
  visitComputed(R->tables(), M.ComputedForms, M.Computed, nameOf,
                [&](const ComputedValue &Of, const Value &V) {
                  Text += (Twine(Text.empty() ? "  " : ", ") + Of.Name + "=" +
                           tpctl::textOf(Of, V))
                              .str();
                });
  return Text;
}

std::string TraceLines::lineOf(FunctionId F) const {
  const Sources &Code = Chosen.Code;
  return Code.inText() ? Code.textOf(Code.lineOf(*R, F), Chosen.fullNames())
                       : "";
}

std::string TraceLines::point(const Moment &M, uint64_t First) const {
  auto Number = static_cast<uint32_t>(First);
  const Point *P = R->tables().point(Number);
  std::string Text =
      pointText(P, Number, ArrayRef(M.Words).drop_front(!M.Words.empty()));
  if (Chosen.Code.inText())
    Text += Chosen.Code.textOf(
        *R, P, static_cast<uint32_t>(First >> 32), Chosen.fullNames(),
        [&](StringRef Name) { return Chosen.shown(Name); });
  return Text;
}

std::string TraceLines::duration(const Moment &M) const {
  // Its thread has noticed later that the call was left.
  if (M.What == Moment::Whole && M.How == Ending::Unwound)
    return "?";
  return timeText(R->clock().durationOf(M.Time - M.Start));
}

void TraceLines::other(const ThreadInfo &T, const Moment &M) {
  switch (M.What) {
  case Moment::Exit:
    begin(T, M.Time, duration(M), M.Depth)
        << "} " << Chosen.shown(R->tables().function(M.Function).Name)
        << result(M) << ending(M) << '\n';
    return;
  case Moment::Orphan:
    begin(T, M.Time, "", 0)
        << "} " << Chosen.shown(R->tables().function(M.Function).Name)
        << result(M) << "  (began before)\n";
    return;
  case Moment::Visit:
    begin(T, M.Time, "", M.Depth)
        << call(M.Function, M) << computed(T, M) << lineOf(M.Function) << '\n';
    return;
  case Moment::Whole:
    begin(T, M.Start, duration(M), M.Depth, M.Time)
        << call(M.Function, M) << ending(M) << computed(T, M)
        << lineOf(M.Function) << '\n';
    return;
  default:
    extension(T, M);
  }
}

std::string TraceLines::childName(uint64_t Word) {
  auto Pid = static_cast<uint32_t>(Word);
  const auto *Child = Pid ? nullptr : R->tables().process(Word >> 32);
  if (Child)
    Pid = Child->Pid;
  return Pid ? std::to_string(Pid) : "that recorded nothing";
}

void TraceLines::extension(const ThreadInfo &T, const Moment &M) {
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
    Text = "* " + countText(First, "event was", "events were") + " lost here";
    break;
  case TPRT_TRACE_FORK:
    Text = "* fork: child " + childName(First);
    break;
  case TPRT_TRACE_EXEC:
    Text = "* exec " + tp::trace::textOf(M.Words);
    break;
  case TPRT_TRACE_SWITCH:
    Text = "* continues with stack " + std::to_string(First);
    break;
  case TPRT_TRACE_THREAD_END:
    Text = "* the thread ends";
    break;
  default:
    return; // names and clocks
  }
  begin(T, M.Time, "", M.Depth) << Text << '\n';
}

} // namespace tpctl
