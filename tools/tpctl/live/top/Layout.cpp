// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Layout.h.

#include "Layout.h"

#include "shared/Output.h"
#include "tprt/names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Locale.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tpctl {
namespace {

constexpr size_t SparkWidth = 8, LeastName = 18;

std::string percent(double Share) {
  std::string Text;
  double Value = 100 * Share;
  raw_string_ostream(Text) << format(Value < 99.95 ? "%.1f%%" : "%.0f%%",
                                     Value);
  return Text;
}

/// A time in at most six columns.
std::string shortTime(double Nanoseconds) {
  std::string Text = timeText(Nanoseconds);
  erase(Text, ' ');
  return Text;
}

struct Column {
  const char *Title;
  TopSort Sort;
  size_t Width;
  /// Columns with a lower number are left out first.
  int Keep;
  std::string (*Text)(const TopRow &R);
};

std::string rateOf(const TopRow &R) {
  return R.Now == Level::Off ? "off" : shortNumber(R.PerSecond);
}
/// Shows no number for a value that is no longer known.
template <std::optional<double> TopRow::*Member>
std::string timeOf(const TopRow &R) {
  return R.*Member ? shortTime(*(R.*Member)) : "-";
}
/// Nor for a function whose calls are no longer timed: its sums do not grow,
/// and the time that has passed does.
template <double TopRow::*Member> std::string shareOf(const TopRow &R) {
  return R.HasTimes && R.Now == Level::Timed ? percent(R.*Member) : "-";
}

constexpr Column Columns[] = {
    {"calls/s", TopSort::Rate, 7, 9, rateOf},
    {"calls", TopSort::Calls, 6, 7,
     [](const TopRow &R) { return shortNumber(static_cast<double>(R.Calls)); }},
    {"total", TopSort::Total, 6, 6, shareOf<&TopRow::TotalShare>},
    {"self", TopSort::Self, 6, 8, shareOf<&TopRow::SelfShare>},
    {"p50", TopSort::P50, 6, 3, timeOf<&TopRow::P50>},
    {"p99", TopSort::P99, 6, 5, timeOf<&TopRow::P99>},
    {"max", TopSort::Max, 6, 4, timeOf<&TopRow::Max>},
};
constexpr int KeepSpark = 2;

/// The parts that fit into the width: the kept columns, the sparkline, and the
/// space for a name.
struct Fitting {
  int Least = 0; ///< columns with a lower number are omitted
  size_t Name = 0;
  bool has(int Keep) const { return Keep >= Least; }
};

Fitting fit(size_t Width) {
  for (int Least = 0;; ++Least) {
    size_t Used = Least <= KeepSpark ? SparkWidth + 1 : 0;
    for (const Column &C : Columns)
      Used += C.Keep >= Least ? C.Width + 1 : 0;
    Used += 2; // the mark before the name
    if (Used + LeastName <= Width || Least > 9)
      return {Least, Width > Used ? Width - Used : 0};
  }
}

std::string right(StringRef Text, size_t Width) {
  return std::string(Width - std::min(Width, Text.size()), ' ') + Text.str();
}

/// Shows that a function is not timed (any more).
const char *markOf(Level L) {
  return L == Level::Timed ? "  " : L == Level::Counted ? "c " : "- ";
}

std::string nameIn(const TopRow &Row, size_t Width, const TopLayout &How) {
  std::string Name = How.Keys ? How.Keys->line(Row.Name) : Row.Name;
  if (How.FullNames)
    return Name;
  if (!How.Keys) {
    tprt_name_shorten(Name.data(), Width); // makes no name longer
    Name.resize(strlen(Name.c_str()));
  }
  if (!How.Utf8)
    for (size_t At; (At = Name.find("…")) != std::string::npos;)
      Name.replace(At, 3, "~");
  return Name;
}

} // namespace

std::string shortNumber(double Value) {
  static constexpr const char *Units[] = {"", "k", "M", "G", "T"};
  unsigned Unit = 0;
  while (Unit != 4 && Value >= 999.5) {
    Value /= 1000;
    ++Unit;
  }
  bool Whole = Value >= 99.95 || (!Unit && Value == static_cast<int>(Value));
  int Decimals = Whole ? 0 : Value >= 9.995 ? 1 : 2;
  std::string Text;
  raw_string_ostream(Text) << format("%.*f%s", Decimals, Value, Units[Unit]);
  return Text;
}

std::string sparkline(ArrayRef<double> Values, size_t Width, bool Utf8) {
  static constexpr const char *Blocks[] = {" ", "▁", "▂", "▃", "▄",
                                           "▅", "▆", "▇", "█"};
  static constexpr const char *Plain[] = {" ", ".", ":", "-", "=",
                                          "+", "*", "#", "@"};
  Values = Values.take_back(Width);
  double Most = 0;
  for (double V : Values)
    Most = std::max(Most, V);
  std::string Text(Width - Values.size(), ' ');
  for (double V : Values) {
    // A number above zero is always visible.
    int Height = V > 0 ? std::max(1, static_cast<int>(8 * V / Most)) : 0;
    Text += (Utf8 ? Blocks : Plain)[Height];
  }
  return Text;
}

size_t columnsOf(StringRef Text) {
  int Columns = sys::locale::columnWidth(Text);
  return Columns < 0 ? Text.size() : static_cast<size_t>(Columns);
}

std::string headerLine(const TopView &View, const TopLayout &How) {
  Fitting Fits = fit(How.Width);
  std::string Line;
  for (const Column &C : Columns)
    if (Fits.has(C.Keep))
      Line += right(C.Title, C.Width) + (C.Sort == View.Sort ? "*" : " ");
  if (Fits.has(KeepSpark))
    Line += "history  ";
  return Line + "  " + (How.Keys ? How.Keys->heading() : "function") +
         (View.Sort == TopSort::Name ? "*" : "");
}

std::string rowLine(const TopRow &Row, const TopLayout &How) {
  Fitting Fits = fit(How.Width);
  std::string Line;
  for (const Column &C : Columns)
    if (Fits.has(C.Keep))
      Line += right(C.Text(Row), C.Width) + ' ';
  if (Fits.has(KeepSpark))
    Line += sparkline(Row.History, SparkWidth, How.Utf8) + ' ';
  return Line + markOf(Row.Now) + nameIn(Row, Fits.Name, How);
}

} // namespace tpctl
