// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KeyTable.h.

#include "KeyTable.h"

#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace tpctl {

using expressions::KeyFormat;

std::string valueText(const Ask &A, std::optional<double> Value) {
  if (!Value)
    return "-";
  if (A.isTime())
    return *Value < 0 ? "-" + timeText(-*Value) : timeText(*Value);
  // Three decimals tell nothing of a small number, and 300 digits too much.
  const bool IsSmall = *Value != 0 && std::abs(*Value) < 0.001;
  if (!std::isfinite(*Value) || IsSmall || std::abs(*Value) >= 1e20) {
    std::string Text;
    raw_string_ostream(Text) << format("%.4g", *Value);
    return Text;
  }
  // From 1,000 on, one decimal is enough.
  const double Shown =
      std::abs(*Value) < 1000 ? *Value : std::round(*Value * 10) / 10;
  const double Whole = std::trunc(Shown);
  if (std::abs(Shown) < 1000 || std::abs(Whole) >= 1e15)
    return plainNumber(Shown);
  const auto Tenths =
      static_cast<int>(std::lround(std::abs(Shown - Whole) * 10));
  std::string Text = formatv("{0:n}", static_cast<int64_t>(Whole));
  return Tenths ? Text + "." + std::to_string(Tenths) : Text;
}

// --- the table ---------------------------------------------------------------

/// By calls, the most first.
KeyTable::Rows KeyTable::sorted(const AggregateRows &Of) const {
  Rows All(Of.begin(), Of.end());
  stable_sort(All, [&](const auto &X, const auto &Y) {
    return X.second.Hits > Y.second.Hits;
  });
  if (Style.limit() && All.size() > Style.limit())
    All.resize(Style.limit());
  return All;
}

namespace {
/// The columns of a value.
struct ValueColumns {
  std::string Sum, Average, Least, Greatest, Unknown;
};
} // namespace

static ValueColumns columnsOf(const Ask &A, const AggregateSums &Of) {
  auto known = [&](int64_t Value) -> std::optional<double> {
    if (!Of.hasTrueValues())
      return std::nullopt;
    return Of.number(Value);
  };
  std::optional<double> Sum;
  if (auto Exact = Of.sum())
    Sum = Of.number(*Exact);
  bool IsWhole = !A.isTime() && !A.isFloating();
  return {IsWhole && Of.sum() ? formatv("{0:n}", *Of.sum()).str()
                              : valueText(A, Sum),
          valueText(A, Of.average()), valueText(A, known(Of.Least)),
          valueText(A, known(Of.Greatest)),
          Of.Unknown ? formatv("{0:n}", Of.Unknown).str() : ""};
}

/// A line of a cell, or nothing if it has fewer.
static StringRef lineOf(StringRef Cell, size_t Line) {
  while (Line--)
    Cell = Cell.split('\n').second;
  return Cell.split('\n').first;
}

/// The widest line of a column.
static size_t widthOf(StringRef Heading, ArrayRef<std::string> Cells) {
  size_t Width = Heading.size();
  for (StringRef Cell : Cells)
    for (; !Cell.empty(); Cell = Cell.split('\n').second)
      Width = std::max(Width, Cell.split('\n').first.size());
  return Width;
}

void KeyTable::writeText(raw_ostream &OS, const Rows &Of,
                         const AggregateRows &Earlier, double Seconds,
                         bool Whole) const {
  if (Of.empty())
    return;
  // Of open pairs the values of those that have ended are not known apart.
  const bool HasExtremes = Whole && !A.isOpen();
  const bool AnyUnknown =
      any_of(Of, [](const auto &Row) { return Row.second.Unknown != 0; });
  OS << (A.isOpen() ? "          open  " : "          hits     per second  ");
  if (A.hasValue()) {
    OS << "            sum          avg  ";
    if (HasExtremes)
      OS << "         min          max  ";
    if (AnyUnknown)
      OS << "     unknown  ";
  }
  std::vector<const KeyValues *> Keys;
  for (const auto &Row : Of)
    Keys.push_back(&Row.first);
  const auto Columns = keyColumns(A, Keys, Style.fullNames());
  std::vector<size_t> Widths;
  for (size_t I = 0; I != Columns.size(); ++I)
    Widths.push_back(widthOf(A.keys()[I].Heading, Columns[I]));
  // A stack is below its first frame: behind the columns that are written.
  const unsigned Indent = (A.isOpen() ? 16 : 31) +
                          (A.hasValue() ? 30 + 27 * HasExtremes : 0) +
                          (A.hasValue() && AnyUnknown ? 14 : 0);
  auto writeCells = [&](auto cell) {
    for (size_t Line = 0, Lines = 1; Line != Lines; ++Line) {
      if (Line)
        OS.indent(Indent);
      for (size_t I = 0; I != Columns.size(); ++I) {
        const std::string Whole = cell(I);
        Lines = std::max<size_t>(Lines, 1 + StringRef(Whole).count('\n'));
        StringRef Cell = lineOf(Whole, Line);
        OS << Cell;
        if (I + 1 != Columns.size())
          OS.indent(static_cast<unsigned>(Widths[I] - Cell.size() + 2));
      }
      OS << '\n';
    }
  };
  writeCells([&](size_t I) { return A.keys()[I].Heading; });
  for (const auto &[R, Row] : enumerate(Of)) {
    const AggregateSums &Sums = Row.second;
    auto Before = Earlier.find(Row.first);
    uint64_t Late = Before == Earlier.end() ? 0 : Before->second.Hits;
    OS << formatv("{0,14:n}", Sums.Hits);
    if (!A.isOpen())
      OS << formatv(" {0,14:n}", perSecond(Sums.Hits, Late, Seconds));
    OS << "  ";
    if (A.hasValue()) {
      const ValueColumns V = columnsOf(A, Sums);
      OS << formatv("{0,15} {1,12}  ", V.Sum, V.Average);
      if (HasExtremes)
        OS << formatv("{0,12} {1,12}  ", V.Least, V.Greatest);
      if (AnyUnknown)
        OS << formatv("{0,12}  ", V.Unknown);
    }
    writeCells([&](size_t I) { return Columns[I][R]; });
  }
}

/// JSON has no infinities.
static json::Value jsonValue(const AggregateSums &Of,
                             std::optional<int64_t> Value) {
  if (!Value || (Of.IsFloating && !std::isfinite(Of.number(*Value))))
    return nullptr;
  return Of.IsFloating ? json::Value(Of.number(*Value)) : json::Value(*Value);
}

/// The value, if it is known.
static std::optional<int64_t> ifKnown(const AggregateSums &Of, int64_t Value) {
  return Of.hasTrueValues() ? std::optional(Value) : std::nullopt;
}

void KeyTable::writeJson(raw_ostream &OS, const Rows &Of, double Seconds,
                         bool Whole) const {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("seconds", Seconds);
    J.attributeArray("rows", [&] {
      for (const auto &[Keys, Sums] : Of)
        J.object([&, &Keys = Keys, &Sums = Sums] {
          writeKeys(J, A, Keys);
          J.attribute(A.isOpen() ? "open" : "hits", Sums.Hits);
          if (!A.hasValue())
            return;
          J.attribute("sum", jsonValue(Sums, Sums.sum()));
          if (Whole && !A.isOpen()) {
            J.attribute("min", jsonValue(Sums, ifKnown(Sums, Sums.Least)));
            J.attribute("max", jsonValue(Sums, ifKnown(Sums, Sums.Greatest)));
          }
          J.attribute("unknown", Sums.Unknown);
        });
    });
  });
  OS << '\n';
}

void KeyTable::writeCsv(raw_ostream &OS, const Rows &Of, double Seconds,
                        bool Whole, bool IsFirst) const {
  if (IsFirst) {
    OS << "seconds,";
    for (const KeyFormat &F : A.keys())
      OS << csvField(F.Heading) << ',';
    OS << (A.isOpen() ? "open" : "hits");
    if (A.hasValue())
      OS << ",sum" << (Whole && !A.isOpen() ? ",min,max" : "") << ",unknown";
    OS << '\n';
  }
  for (const auto &[Keys, Sums] : Of) {
    OS << plainNumber(Seconds) << ',';
    for (size_t I = 0; I != A.keys().size(); ++I) {
      if (I < Keys.size())
        OS << keyField(A.keys()[I], Keys[I]);
      OS << ',';
    }
    OS << Sums.Hits;
    if (A.hasValue()) {
      auto put = [&, &Sums = Sums](std::optional<int64_t> Value) {
        OS << ',';
        if (Value && Sums.IsFloating)
          OS << exactNumber(Sums.number(*Value));
        else if (Value)
          OS << *Value;
      };
      put(Sums.sum());
      if (Whole && !A.isOpen()) {
        put(ifKnown(Sums, Sums.Least));
        put(ifKnown(Sums, Sums.Greatest));
      }
      OS << ',' << Sums.Unknown;
    }
    OS << '\n';
  }
}

void KeyTable::write(raw_ostream &OS, const AggregateRows &Of,
                     const AggregateRows &Earlier, double Seconds, bool Whole,
                     bool IsFirst) const {
  Rows All = sorted(Of);
  switch (Style.format()) {
  case CountTable::Format::Text:
    return writeText(OS, All, Earlier, Seconds, Whole);
  case CountTable::Format::Json:
    return writeJson(OS, All, Seconds, Whole);
  case CountTable::Format::Csv:
    return writeCsv(OS, All, Seconds, Whole, IsFirst);
  }
}

} // namespace tpctl
