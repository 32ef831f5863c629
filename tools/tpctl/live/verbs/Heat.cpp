// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Heat.h.

#include "Heat.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tpctl {
namespace {

/// A shade for each power of ten: 0, from 1, from 10, and so on.
constexpr StringRef Shades = " .:-=+*#%@";

char shadeOf(uint64_t Calls) {
  size_t Digits = 0;
  for (; Calls; Calls /= 10)
    ++Digits;
  return Shades[std::min(Digits, Shades.size() - 1)];
}

} // namespace

/// Rows without new calls are left out, but at least one row is kept.
HeatLines::Rows HeatLines::since(const Rows &Now) {
  Rows Fresh;
  for (const auto &[Name, Of] : Now) {
    CallTimes More = Of.since(Before[Name]);
    if (More.Calls || Now.size() == 1)
      Fresh[Name] = std::move(More);
  }
  Before = Now;
  return Fresh;
}

/// If durations do not fit, makes the scale wider. An extra octave on each side
/// keeps the scale from changing often.
void HeatLines::fit(const Rows &Fresh) {
  constexpr uint32_t Margin = 16;
  uint32_t Low = PerColumn ? First : UINT32_MAX,
           High = PerColumn ? First + Columns * PerColumn : 0;
  const CallTimes *Any = nullptr;
  for (const auto &[Name, Of] : Fresh) {
    if (Of.Buckets.empty())
      continue;
    Any = &Of;
    uint32_t Least = Of.Buckets.begin()->first,
             Most = Of.Buckets.rbegin()->first;
    if (Least < Low)
      Low = Least - std::min(Least, Margin);
    if (Most >= High)
      High = Most + Margin;
  }
  if (!Any ||
      (PerColumn && Low == First && High == First + Columns * PerColumn))
    return;
  PerColumn = std::max(PerColumn, 1u);
  for (First = Low; First + Columns * PerColumn < High;) {
    PerColumn *= 2;
    First = Low - Low % PerColumn;
  }
  writeScale(To->stream(), *Any);
}

void HeatLines::writeShades(raw_ostream &OS) const {
  OS << "calls:";
  uint64_t Least = 1;
  for (char Shade : Shades.drop_front()) {
    OS << ' ' << Shade << ' '
       << (Least < 1000      ? std::to_string(Least)
           : Least < 1000000 ? std::to_string(Least / 1000) + "k"
                             : std::to_string(Least / 1000000) + "M");
    Least *= 10;
  }
  OS << " and more\n";
}

void HeatLines::writeScale(raw_ostream &OS, const CallTimes &Of) {
  constexpr uint32_t Step = 8;
  if (!std::exchange(Explained, true))
    writeShades(OS);
  OS << "    time  ";
  for (uint32_t Column = 0; Column < Columns; Column += Step)
    OS << formatv("{0,-8}", timeText(Of.startOf(First + Column * PerColumn)));
  OS << "       calls\n";
}

void HeatLines::writeLine(raw_ostream &OS, const std::string &Name,
                          const CallTimes &Of, double Seconds) const {
  std::vector<uint64_t> Sums(Columns);
  for (auto [Bucket, Count] : Of.Buckets)
    Sums[(Bucket - First) / PerColumn] += Count;
  OS << formatv("{0,7:f1}s |", Seconds);
  for (uint64_t Sum : Sums)
    OS << shadeOf(Sum);
  OS << formatv("|{0,12:n}", Of.Calls);
  if (!Name.empty())
    OS << ' ' << Names.shown(Name);
  OS << '\n';
}

void HeatLines::writeObject(raw_ostream &OS, const Rows &Fresh,
                            double Seconds) const {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("seconds", Seconds);
    J.attributeArray("rows", [&] {
      for (const auto &[Name, Of] : Fresh)
        J.object([&] {
          J.attribute("name", jsonText(Name));
          J.attribute("calls", Of.Calls);
          J.attribute("unplaced", Of.Unplaced);
          J.attributeArray("buckets", [&] {
            for (auto [Bucket, Count] : Of.Buckets)
              J.object([&] {
                J.attribute("from_ns", Of.startOf(Bucket));
                J.attribute("to_ns", Of.startOf(Bucket + 1));
                J.attribute("calls", Count);
              });
          });
        });
    });
  });
  OS << '\n';
}

Error HeatLines::open(StringRef Path) {
  auto Opened = Output::open(Path);
  if (!Opened)
    return Opened.takeError();
  To = std::move(*Opened);
  Begin = Target::Clock::now();
  return Error::success();
}

Error HeatLines::add(const Rows &Now) {
  raw_ostream &OS = To->stream();
  double Seconds =
      std::chrono::duration<double>(Target::Clock::now() - Begin).count();
  Rows Fresh = since(Now);
  if (As == Format::Json) {
    writeObject(OS, Fresh, Seconds);
  } else {
    fit(Fresh);
    for (const auto &[Name, Of] : Fresh)
      if (PerColumn) // 0 means no call has ended yet
        writeLine(OS, Name, Of, Seconds);
  }
  OS.flush();
  return To->hasFailed() ? close() : Error::success();
}

Error HeatLines::close() {
  auto Done = std::exchange(To, nullptr);
  return Done ? Done->close() : Error::success();
}

} // namespace tpctl
