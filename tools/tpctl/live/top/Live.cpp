// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Live.h.

#include "Live.h"

#include "Batch.h"
#include "shared/Output.h"
#include "shared/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using std::chrono::milliseconds;

namespace tpctl {
namespace {
/// Title, message, and names of columns; the keys are in the last line.
constexpr size_t LinesAbove = 3, LinesBelow = 1;
} // namespace

void LiveTop::say(std::string Line) {
  Dirty = true;
  Message = Line;
  Said.push_back(std::move(Line));
}

void LiveTop::takeRows() {
  if (T.lacksNames() && !T.hasRowsWithoutNames())
    return; // the rows stay those of the last reading with all names
  Dirty = true;
  Now.take(T.rows(), T.Of.seconds());
}

void LiveTop::tellEnded() {
  ArrayRef<std::string> Names = T.Of.ended();
  if (Names.size() == Ended)
    return;
  for (const std::string &Of : Names.drop_front(Ended))
    say((T.Of.allEnded() ? "last table: " : "") + Of + " has ended");
  Ended = Names.size();
  takeRows(); // its last calls
}

Error LiveTop::readWhatIsDue() {
  if (T.Of.allEnded())
    return Error::success();
  auto Present = Clock::now();
  if (Present >= Due) {
    if (Error E = T.Of.read(/*ForTable=*/true))
      return E;
    takeRows();
    if (Expanded && !State.Frozen)
      Expanded->read(At);
    Due = std::max(Due + At.interval(), Present);
  } else if (Present >= T.Of.due()) {
    if (Error E = T.Of.read(/*ForTable=*/false))
      return E;
  }
  if (T.lacksNames()) {
    // Keys are handled and the screen is drawn meanwhile.
    if (Error E = T.Of.learnAllNames(
            std::min(std::max(nextEvent(), Clock::now() + milliseconds(10)),
                     Clock::now() + milliseconds(50))))
      return E;
    if (!T.lacksNames())
      takeRows();
  }
  tellEnded();
  return Error::success();
}

LiveTop::Clock::time_point LiveTop::nextEvent() const {
  auto Latest = Clock::now() + milliseconds(100);
  return T.Of.allEnded() ? Latest : std::min({Latest, Due, T.Of.due()});
}

void LiveTop::save() {
  std::string Path = std::exchange(State.SaveTo, "");
  auto To = Output::open(Path);
  if (!To)
    return say(toString(To.takeError()));
  TopFormat As = StringRef(Path).ends_with(".csv")    ? TopFormat::Csv
                 : StringRef(Path).ends_with(".json") ? TopFormat::Json
                                                      : TopFormat::Text;
  BatchWriter(As, /*FullNames=*/true, T.keys())
      .write((*To)->stream(), table(), State.View, /*IsFirst=*/true);
  if (Error E = (*To)->close())
    return say(toString(std::move(E)));
  Message = "saved to " + Path;
}

/// A single key press does not end a command that tpctl has started.
void LiveTop::quit() {
  if (!At.hasCommand() || T.Of.allEnded())
    return;
  if (!std::exchange(AskedToQuit, true)) {
    State.Quit = false;
    Message = "the command still runs: q again ends it, too (SIGINT)";
    return;
  }
  At.interruptCommand();
}

/// The row of a callee shows only some calls of the function, so the row cannot
/// be expanded.
void LiveTop::expand() {
  State.Expand = false;
  if (T.keys())
    return say("rows of keys have no callees: leave out --if and --by");
  std::vector<TopRow> Rows = visibleRows();
  std::string Before = Expanded ? Expanded->name() : "";
  if (Expanded)
    Expanded->end(At);
  Expanded.reset();
  Message.clear();
  if (State.First >= Rows.size() || T.Of.allEnded() ||
      Rows[State.First].Name == Before ||
      StringRef(Rows[State.First].Name).starts_with("  > "))
    return;
  Expanded.emplace(Rows[State.First].Name, P);
  if (Error E = Expanded->begin(At)) {
    Expanded.reset();
    return say(toString(std::move(E)));
  }
  Message = "below it: what " + Expanded->name() + " calls from now on";
}

/// The rows of the table, with an expanded function's callees below it.
std::vector<TopRow> LiveTop::visibleRows() const {
  std::vector<TopRow> Rows = table().rows(State.View);
  if (!Expanded)
    return Rows;
  auto Of = find_if(
      Rows, [&](const TopRow &R) { return R.Name == Expanded->name(); });
  if (Of != Rows.end()) {
    std::vector<TopRow> Callees = Expanded->rows(State.View);
    Rows.insert(std::next(Of), Callees.begin(), Callees.end());
  }
  return Rows;
}

Error LiveTop::run() {
  At.beginWindow();
  auto Opened = Screen::open();
  if (!Opened)
    return Opened.takeError();
  S = std::move(*Opened);
  auto Say = [this](const std::string &Text) { say(Text); };
  At.Messages.sayBy(Say);
  T.sayBy(Say);
  How.Utf8 = S->isUtf8();
  if (!At.Connections.empty())
    Name = At.Connections[0]->name();
  if (size_t N = At.Connections.size(); N > 1)
    Name += " and " + std::to_string(N - 1) + " more";
  Due = Clock::now() + At.interval();
  std::optional<ProgressBy> Reading(std::in_place, [this](StringRef Text) {
    Dirty = true;
    if (Text.empty())
      return;
    S->put(S->height() - 1, (Text + std::string(S->width(), ' ')).str(),
           Style::Bold);
    S->show();
  });
  while (!State.Quit && At.goesOn()) {
    if (Error E = readWhatIsDue())
      return E;
    if (std::exchange(Dirty, false))
      draw();
    auto Wait =
        std::chrono::duration_cast<milliseconds>(nextEvent() - Clock::now());
    int Key = S->key(std::clamp(Wait, milliseconds(1), milliseconds(100)));
    AskedToQuit &= Key == KeyNone || Key == 'q';
    Dirty |= Key != KeyNone;
    bool WasFrozen = State.Frozen;
    State.press(Key);
    if (State.Frozen && !WasFrozen)
      Frozen = Now;
    if (!State.SaveTo.empty())
      save();
    if (State.Expand)
      expand();
    if (State.Quit && Key != KeyHangup)
      quit();
  }
  Reading.reset();
  S.reset();
  At.Messages.sayBy({});
  T.sayBy({});
  if (Expanded)
    Expanded->end(At);
  return Error::success();
}

// --- drawing -----------------------------------------------------------------

std::string LiveTop::title() const {
  std::string Text =
      formatv("tpctl top, {0:f1} s, {1}", table().seconds(),
              State.View.LastInterval ? "last interval" : "since the start");
  if (State.Frozen)
    Text += ", frozen";
  if (T.lacksNames())
    Text += ", still reading names";
  if (!State.View.Filter.empty())
    Text += ", filter '" + State.View.Filter + "'";
  return Text + ": " + Name; // last, as it may be long
}

std::string LiveTop::bottom() const {
  if (State.What == TopState::Typing::Filter)
    return "filter: " + State.Typed + "_";
  if (State.What == TopState::Typing::Path)
    return "save to: " + State.Typed + "_";
  return "q quit  ? help  space freeze  / filter  Enter callees  s save  "
         "rcte59mn sort";
}

void LiveTop::drawRows() {
  std::vector<TopRow> Rows = visibleRows();
  State.Page = S->height() - LinesAbove - LinesBelow;
  State.First = std::min(State.First, Rows.empty() ? 0 : Rows.size() - 1);
  S->put(2, headerLine(State.View, How), Style::Title);
  for (size_t I = 0; I != State.Page && State.First + I < Rows.size(); ++I) {
    const TopRow &R = Rows[State.First + I];
    S->put(LinesAbove + I, rowLine(R, How),
           R.Now == Level::Timed     ? Style::Plain
           : R.Now == Level::Counted ? Style::Warning
                                     : Style::Faint);
  }
  if (!Rows.empty())
    return;
  S->put(LinesAbove, !T.Of.sites()    ? "no function matches"
                     : table().size() ? "no row has this text in its name"
                     : T.lacksNames() ? "reading the names of functions"
                                      : "no call has ended so far");
}

void LiveTop::drawHelp() {
  S->put(0, "keys of tpctl top", Style::Title);
  size_t Line = 2;
  for (const char *Text : helpLines())
    S->put(Line++, Text);
  S->put(Line + 1, "any key goes back", Style::Bold);
}

void LiveTop::draw() {
  S->clear();
  How.Width = S->width();
  if (S->height() < LinesAbove + LinesBelow + 1 || How.Width < 20) {
    S->put(0, "the window is too small");
    return S->show();
  }
  if (State.Help) {
    drawHelp();
    return S->show();
  }
  S->put(0, title(), Style::Bold);
  S->put(1, Message, Style::Warning);
  drawRows();
  S->put(S->height() - 1, bottom(),
         State.What == TopState::Typing::Nothing ? Style::Faint : Style::Bold);
  S->show();
}

} // namespace tpctl
