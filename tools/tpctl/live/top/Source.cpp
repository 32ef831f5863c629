// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Source.h.

#include "Source.h"

#include "live/measure/KeyText.h"
#include "shared/DistinctNames.h"
#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

using expressions::KeyFormat;

// --- keys --------------------------------------------------------------------

/// Between keys, and between a stack's frames. What is shown of a key has no
/// control characters.
constexpr char AfterKey = '\t', AfterFrame = '\n';
/// After a key that looks like another one: the beginning of a longer string,
/// or the row for keys that found no room.
constexpr char IsSpecial = '\v';

std::string TopKeys::nameOf(const KeyValues &Keys) {
  std::string Name;
  const std::vector<const KeyValues *> Row = {&Keys};
  for (const auto &[I, Column] :
       enumerate(keyColumns(A, Row, /*FullNames=*/true))) {
    Name += (I ? std::string(1, AfterKey) : "") + Column.front();
    if (I < Keys.size() &&
        (Keys[I].What == KeyValue::Cut || Keys[I].What == KeyValue::Others))
      Name += IsSpecial;
  }
  ByName.try_emplace(Name, Keys);
  return Name;
}

const KeyValues &TopKeys::keysOf(const std::string &Name) const {
  return ByName.find(Name)->second;
}

std::vector<std::string> TopKeys::cellsOf(const std::string &Name) const {
  if (A.keys().empty())
    return {"all calls"};
  std::string Text = Name;
  erase(Text, IsSpecial);
  SmallVector<StringRef, 4> Cells;
  StringRef(Text).split(Cells, AfterKey);
  return std::vector<std::string>(Cells.begin(), Cells.end());
}

/// A stack is one line, as trace shows it.
static std::string inOneLine(StringRef Cell, bool FullNames) {
  SmallVector<StringRef, 16> Frames;
  Cell.split(Frames, AfterFrame);
  if (Frames.size() == 1)
    return Cell.str();
  std::vector<std::string> Names;
  for (StringRef Frame : Frames)
    Names.push_back(FullNames ? Frame.str() : shortName(Frame));
  return join(Names, " < ");
}

std::string TopKeys::heading() const {
  std::vector<std::string> Headings;
  for (const KeyFormat &F : A.keys())
    Headings.push_back(F.Heading);
  return join(Headings, "  ");
}

std::string TopKeys::line(const std::string &Name) const {
  std::vector<std::string> Cells = cellsOf(Name);
  for (std::string &Cell : Cells)
    Cell = inOneLine(Cell, /*FullNames=*/false);
  return join(Cells, "  ");
}

std::vector<std::string> TopKeys::lines(ArrayRef<std::string> Names,
                                        bool FullNames) const {
  std::vector<std::string> Lines(Names.size() + 1);
  std::vector<std::vector<std::string>> Rows;
  for (const std::string &Name : Names)
    Rows.push_back(cellsOf(Name));
  const size_t Columns = std::max<size_t>(1, A.keys().size());
  for (size_t I = 0; I != Columns; ++I) {
    std::vector<std::string> Column = namesOfRows(
        Rows,
        [&](auto &Cells) {
          return I < Cells.size() ? inOneLine(Cells[I], FullNames) : "";
        },
        FullNames || I >= A.keys().size() || !isName(A.keys()[I]));
    Column.insert(Column.begin(),
                  I < A.keys().size() ? A.keys()[I].Heading : "");
    size_t Width = 0;
    for (const std::string &Cell : Column)
      Width = std::max(Width, Cell.size());
    for (const auto &[Line, Cell] : zip(Lines, Column)) {
      Line += Cell;
      if (I + 1 != Columns)
        Line.append(Width - Cell.size() + 2, ' ');
    }
  }
  return Lines;
}

// --- rows --------------------------------------------------------------------

static CallTimes timesOf(const AggregateSums &Sums) {
  CallTimes Times;
  Times.Calls = Sums.Hits;
  Times.Cut = Sums.Unknown;
  Times.Unplaced = Sums.Unplaced;
  Times.Total = static_cast<double>(Sums.Sum);
  Times.Self = static_cast<double>(Sums.Self);
  Times.Longest = static_cast<double>(Sums.Greatest);
  Times.Buckets = Sums.Buckets;
  return Times;
}

std::map<std::string, CallTimes> KeyedSource::rows() {
  if (!First)
    First = Calls.seconds();
  constexpr double Least = 1e-3; // as TopTable has it
  const bool IsFirst = Calls.seconds() - *First < Least;
  std::map<std::string, CallTimes> All;
  for (const auto &[Keys, Sums] : Calls.rows()) {
    CallTimes &Times = All[Names.nameOf(Keys)];
    Times.add(timesOf(Sums));
    if (auto Before = Calls.start().find(Keys);
        IsFirst && Before != Calls.start().end())
      Times.CallsBefore = Times.CallsBefore.value_or(0) + Before->second.Hits;
  }
  return All;
}

void KeyedSource::explain() {
  consumeError(Calls.tellLeftOut());
  Calls.explain(/*Seen=*/First && !Calls.rows().empty());
}

} // namespace tpctl
