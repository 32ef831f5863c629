// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ValueHistogram.h.

#include "ValueHistogram.h"

#include "Bars.h"
#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;

namespace tpctl {

/// The orders of --sort. `name` is the order of the keys.
static constexpr std::pair<StringLiteral, double (*)(const AggregateSums &)>
    Orders[] = {
        {"calls",
         [](const AggregateSums &S) { return static_cast<double>(S.Hits); }},
        {"total",
         [](const AggregateSums &S) {
           return static_cast<double>(S.sum().value_or(0));
         }},
        {"avg", [](const AggregateSums &S) { return S.average().value_or(0); }},
        {"p50",
         [](const AggregateSums &S) { return S.quantile(0.5).value_or(0); }},
        {"p90",
         [](const AggregateSums &S) { return S.quantile(0.9).value_or(0); }},
        {"p99",
         [](const AggregateSums &S) { return S.quantile(0.99).value_or(0); }},
        {"max",
         [](const AggregateSums &S) {
           // Of an interval, the greatest value is known only by its bucket.
           auto Greatest = static_cast<double>(S.Greatest);
           return S.Buckets.empty()
                      ? Greatest
                      : std::min(Greatest,
                                 static_cast<double>(tprt_control_bucket_start(
                                     S.Buckets.rbegin()->first + 1)));
         }},
};

bool ValueHistogram::canSortBy(StringRef Key) {
  return Key == "name" ||
         any_of(Orders, [&](auto &Order) { return Order.first == Key; });
}

ValueHistogram::Rows ValueHistogram::sorted(const AggregateRows &Of,
                                            StringRef Key, size_t Limit) {
  Rows All(Of.begin(), Of.end());
  for (const auto &[Name, ValueOf] : Orders)
    if (Name == Key)
      stable_sort(All, [&, ValueOf = ValueOf](const auto &X, const auto &Y) {
        return ValueOf(X.second) > ValueOf(Y.second);
      });
  if (Limit && All.size() > Limit)
    All.resize(Limit);
  return All;
}

/// Calls by the power of two of their value; 0 has its own range, -1.
static std::map<int, uint64_t> rangesOf(const AggregateSums &Of) {
  std::map<int, uint64_t> Ranges;
  for (auto [Bucket, Count] : Of.Buckets) {
    uint64_t Start = tprt_control_bucket_start(Bucket);
    Ranges[Start ? static_cast<int>(Log2_64(Start)) : -1] += Count;
  }
  return Ranges;
}

/// A power of two, from 1,024 on with a unit of --if's numbers.
static std::string powerText(int Power) {
  static constexpr StringLiteral Units[] = {"", "K", "M", "G", "T", "P", "E"};
  auto Unit = static_cast<size_t>(Power / 10);
  return std::to_string(1 << Power % 10) + Units[Unit].str();
}

void ValueHistogram::writeOne(raw_ostream &OS, const AggregateSums &Of,
                              bool IsPart) const {
  auto known = [&](int64_t Value) {
    return Of.hasTrueValues() ? valueText(A, static_cast<double>(Value)) : "-";
  };
  std::optional<double> Sum;
  if (auto Exact = Of.sum())
    Sum = static_cast<double>(*Exact);
  OS << formatv("  {0}, total {1}, avg {2}", countText(Of.Hits, "call"),
                valueText(A, Sum), valueText(A, Of.average()));
  if (!IsPart)
    OS << ", min " << known(Of.Least);
  OS << formatv(", p50 {0}, p99 {1}", valueText(A, Of.quantile(0.5)),
                valueText(A, Of.quantile(0.99)));
  if (!IsPart)
    OS << ", max " << known(Of.Greatest);
  OS << '\n';
  std::vector<std::string> Odd;
  if (Of.Unknown)
    Odd.push_back(formatv("{0:n} with an unknown value", Of.Unknown));
  if (Of.Unplaced)
    Odd.push_back(formatv("{0:n} in no bar", Of.Unplaced));
  if (!Odd.empty())
    OS << "  " << join(Odd, ", ") << '\n';
  if (Of.Negative)
    OS << formatv("  {0,9}    {1,-9} {2,13:n}\n",
                  A.isUnsigned() ? "from 2^63" : "below 0", "", Of.Negative);
  writeBars(OS, rangesOf(Of), [&](int Power) {
    if (A.isTime())
      return timeText(Power < 0 ? 0 : std::ldexp(1, Power));
    return Power < 0 ? std::string("0") : powerText(Power);
  });
  OS << '\n';
}

void ValueHistogram::writeText(raw_ostream &OS, const Rows &Of,
                               const TableTime &At) const {
  At.writeText(OS);
  std::vector<const KeyValues *> Keys;
  for (const auto &Row : Of)
    Keys.push_back(&Row.first);
  const auto Columns = keyColumns(A, Keys, FullNames);
  for (const auto &[R, Row] : enumerate(Of)) {
    std::vector<std::string> Parts, Frames;
    for (const auto &[I, Column] : enumerate(Columns)) {
      const expressions::KeyFormat &F = A.keys()[I];
      // A function's name says what it is.
      const bool IsPlain = F.Kind == expressions::KeyFormat::Function ||
                           Aggregate::isOthers(Row.first);
      if (F.Kind == expressions::KeyFormat::Stack && HasKeys) {
        Parts.push_back(F.Heading);
        StringRef Lines = Column[R];
        for (; !Lines.empty(); Lines = Lines.split('\n').second)
          Frames.push_back(Lines.split('\n').first.str());
      } else if (!Column[R].empty())
        Parts.push_back(IsPlain ? Column[R] : F.Heading + " = " + Column[R]);
    }
    if (!Parts.empty() && HasKeys)
      OS << join(Parts, ", ") << '\n';
    for (const std::string &Frame : Frames)
      OS << "    " << Frame << '\n';
    writeOne(OS, Row.second, At.IsPart);
  }
}

void ValueHistogram::writeJson(raw_ostream &OS, const Rows &Of,
                               const TableTime &At) const {
  auto known = [](bool IsKnown, auto Value) {
    return IsKnown ? json::Value(Value) : json::Value(nullptr);
  };
  At.writeJson(OS, [&](json::OStream &J) {
    for (const auto &[Keys, Sums] : Of)
      J.object([&, &Keys = Keys, &Sums = Sums] {
        writeKeys(J, A, HasKeys ? Keys : KeyValues());
        J.attribute("calls", Sums.Hits);
        J.attribute("total", known(Sums.sum().has_value(), Sums.Sum));
        if (!At.IsPart) {
          J.attribute("min", known(Sums.hasTrueValues(), Sums.Least));
          J.attribute("max", known(Sums.hasTrueValues(), Sums.Greatest));
        }
        for (auto [Label, Share] :
             {std::pair("p50", 0.5), {"p90", 0.9}, {"p99", 0.99}}) {
          auto Value = Sums.quantile(Share);
          J.attribute(Label, known(Value.has_value(), Value.value_or(0)));
        }
        J.attribute("unknown", Sums.Unknown);
        J.attribute("negative", Sums.Negative);
        J.attribute("unplaced", Sums.Unplaced);
        J.attributeArray("buckets", [&] {
          for (auto [Bucket, Count] : Sums.Buckets)
            J.object([&, Bucket = Bucket, Count = Count] {
              J.attribute("from", tprt_control_bucket_start(Bucket));
              J.attribute("to", tprt_control_bucket_start(Bucket + 1));
              J.attribute("calls", Count);
            });
        });
      });
  });
}

/// A line for each bucket that has calls.
void ValueHistogram::writeCsv(raw_ostream &OS, const Rows &Of,
                              const TableTime &At) const {
  std::string Heading;
  const size_t Columns = HasKeys ? A.keys().size() : 0;
  for (size_t I = 0; I != Columns; ++I)
    Heading += csvField(A.keys()[I].Heading) + ',';
  At.writeCsv(OS, Heading + "from,to,calls");
  for (const auto &[Keys, Sums] : Of)
    for (auto [Bucket, Count] : Sums.Buckets) {
      At.beginRow(OS);
      for (size_t I = 0; I != Columns; ++I)
        OS << (I < Keys.size() ? keyField(A.keys()[I], Keys[I]) : "") << ',';
      OS << tprt_control_bucket_start(Bucket) << ','
         << tprt_control_bucket_start(Bucket + 1) << ',' << Count << '\n';
    }
}

} // namespace tpctl
