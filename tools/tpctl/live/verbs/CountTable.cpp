// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CountTable.h.

#include "CountTable.h"

#include "shared/CommandLine.h"
#include "shared/DistinctNames.h"
#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tpctl {

bool CountKey::operator<(const CountKey &Other) const {
  return std::tie(Pid, Thread, Name, Module) <
         std::tie(Other.Pid, Other.Thread, Other.Name, Other.Module);
}

void CountTable::addOptions(VerbSyntax &Verb) {
  Names.addNames(Verb);
  Verb.addOption("-n", Limit, "N", "only the first N rows");
  Verb.addChoice(
      "--format", As,
      {{"text", Format::Text}, {"json", Format::Json}, {"csv", Format::Csv}},
      "FORMAT", "text, json or csv");
}

/// The function, and the offset of the instruction in it.
static std::pair<StringRef, uint64_t> placeOf(StringRef Name) {
  auto [Function, Digits] = Name.rsplit("+0x");
  uint64_t Offset = 0;
  Digits.getAsInteger(16, Offset);
  return {Function, Offset};
}

/// Sorts by process, then by hits, the most first. Instructions of a function
/// with equal counts keep their order.
CountTable::Rows CountTable::sorted(const CountSums &Of) const {
  Rows All(Of.begin(), Of.end());
  stable_sort(All, [](const auto &A, const auto &B) {
    if (A.first.Pid != B.first.Pid || A.second != B.second)
      return std::pair(A.first.Pid, B.second) <
             std::pair(B.first.Pid, A.second);
    return placeOf(A.first.Name) < placeOf(B.first.Name);
  });
  if (Limit && All.size() > Limit)
    All.resize(Limit);
  return All;
}

/// A process may state any times and counts.
uint64_t perSecond(uint64_t Count, uint64_t Earlier, double Seconds) {
  double Rate = static_cast<double>(Count - std::min(Count, Earlier)) /
                std::max(Seconds, 1e-9);
  return Rate < 1e18 ? static_cast<uint64_t>(Rate) : UINT64_MAX;
}

void CountTable::writeText(raw_ostream &OS, const Rows &Of,
                           const CountSums &Earlier, double Seconds) const {
  if (Of.empty())
    return;
  bool Threads = By == CountBy::Thread;
  OS << "          hits     per second  " << (Threads ? "  thread  " : "")
     << "function\n";
  const std::vector<std::string> Shown = namesOfRows(
      Of, [](auto &Row) { return Row.first.Name; }, Names.fullNames());
  for (const auto &[I, Row] : enumerate(Of)) {
    const auto &[K, Count] = Row;
    auto Before = Earlier.find(K);
    OS << formatv("{0,14:n} {1,14:n}  ", Count,
                  perSecond(Count, Before == Earlier.end() ? 0 : Before->second,
                            Seconds));
    if (By == CountBy::Process)
      OS << K.Pid << ' ';
    if (Threads)
      OS << formatv("{0,8}  ", K.Thread ? std::to_string(K.Thread) : "several");
    OS << Shown[I] << '\n';
  }
}

void CountTable::writeJson(raw_ostream &OS, const Rows &Of,
                           double Seconds) const {
  json::OStream J(OS);
  J.object([&] {
    J.attribute("seconds", Seconds);
    J.attributeArray("functions", [&] {
      for (const auto &[K, Count] : Of)
        J.object([&] {
          if (By != CountBy::Function)
            J.attribute("pid", K.Pid);
          if (By == CountBy::Thread)
            J.attribute("thread", K.Thread);
          J.attribute("function", jsonText(K.Name));
          J.attribute("module", jsonText(K.Module));
          J.attribute("hits", Count);
        });
    });
  });
  OS << '\n';
}

void CountTable::writeCsv(raw_ostream &OS, const Rows &Of, double Seconds,
                          bool IsFirst) const {
  bool Threads = By == CountBy::Thread;
  if (IsFirst)
    OS << "seconds,pid," << (Threads ? "thread," : "")
       << "function,module,hits\n";
  for (const auto &[K, Count] : Of) {
    OS << plainNumber(Seconds) << ','
       << (By != CountBy::Function ? std::to_string(K.Pid) : "") << ',';
    if (Threads)
      OS << K.Thread << ',';
    OS << csvField(K.Name) << ',' << csvField(K.Module) << ',' << Count << '\n';
  }
}

void CountTable::write(raw_ostream &OS, const CountSums &Of,
                       const CountSums &Earlier, double Seconds,
                       bool IsFirst) const {
  Rows All = sorted(Of);
  switch (As) {
  case Format::Text:
    return writeText(OS, All, Earlier, Seconds);
  case Format::Json:
    return writeJson(OS, All, Seconds);
  case Format::Csv:
    return writeCsv(OS, All, Seconds, IsFirst);
  }
}

} // namespace tpctl
