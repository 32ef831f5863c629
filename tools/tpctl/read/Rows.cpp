// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rows.h. Recordings may have been made with different counters, so ticks
// are converted to nanoseconds before they are added up.

#include "Rows.h"

#include "Readable.h"
#include "names/clones.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <map>
#include <set>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

/// Group, module, name, and the text that distinguishes functions of that name.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

struct Sum {
  std::string Linked;
  FunctionStats Stats;
  SourceFrame Source;
};
using Sums = std::map<Key, Sum>;

uint64_t scaled(uint64_t Ticks, double Rate) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(Ticks) * Rate));
}

void addScaled(FunctionStats &To, const FunctionStats &S, double Rate) {
  if (Rate == 1)
    return To.add(S);
  FunctionStats N;
  N.Calls = S.Calls;
  N.Whole = S.Whole;
  N.Untimed = S.Untimed;
  N.Total = scaled(S.Total, Rate);
  N.Self = scaled(S.Self, Rate);
  N.Sum = scaled(S.Sum, Rate);
  if (S.Whole)
    N.Min = scaled(S.Min, Rate);
  N.Max = scaled(S.Max, Rate);
  N.Squares = S.Squares * Rate * Rate;
  N.Times.addScaled(S.Times, Rate);
  To.add(N);
}

std::string threadLabel(const Recording &R, const ThreadInfo &T) {
  return (Twine(R.header().host) + " pid " + Twine(T.Pid) + " tid " +
          Twine(T.Tid) + (T.Name.empty() ? "" : " ") + T.Name)
      .str();
}

std::string processLabel(Recording &R, const ThreadInfo &T) {
  const Process *P = R.tables().process(T.Process);
  return (Twine(R.header().host) + " pid " + Twine(T.Pid) +
          (P ? " " + P->CommandLine : std::string()))
      .str();
}

/// Adds the rows of one file.
class Adder {
public:
  Adder(Sums &To, Recording &R, const Selection &Chosen, GroupBy By)
      : To(To), R(R), Chosen(Chosen), By(By), Where(Chosen.Code.tellApart(R)) {}

  void add(const std::vector<FunctionStats> &Stats, const ThreadInfo *T) {
    double Rate = R.clock().durationOf(1);
    for (FunctionId I = 0; I != Stats.size(); ++I) {
      if (!Stats[I].Calls)
        continue;
      const Function &F = R.tables().function(I);
      if (!Chosen.takes(F))
        continue;
      Sum &S = To[{group(F, T), F.ModulePath, F.Name, where(I)}];
      S.Linked = F.Linked;
      addScaled(S.Stats, Stats[I], Rate);
    }
  }
  /// Adds the files and lines of the functions that have been added.
  void addSources(const Profile &P) {
    std::vector<FunctionId> Called;
    for (FunctionId I = 0; I != R.tables().functionCount(); ++I)
      if (any_of(P.Stats,
                 [&](const auto &Stats) {
                   return I < Stats.size() && Stats[I].Calls;
                 }) &&
          Chosen.takes(R.tables().function(I)))
        Called.push_back(I);
    Chosen.Code.prepare(R, Called);
    std::map<std::tuple<StringRef, StringRef, StringRef>, const SourceFrame *>
        Known;
    for (FunctionId I : Called) {
      const Function &F = R.tables().function(I);
      auto At = Where.find(I);
      Known[{F.ModulePath, F.Name,
             At == Where.end() ? StringRef() : StringRef(At->second)}] =
          &Chosen.Code.lineOf(R, I);
    }
    for (auto &[K, S] : To) {
      auto At = Known.find({std::get<1>(K), std::get<2>(K), std::get<3>(K)});
      if (S.Source.File.empty() && At != Known.end())
        S.Source = *At->second;
    }
  }

private:
  std::string where(FunctionId I) const {
    auto At = Where.find(I);
    return At == Where.end() ? "" : At->second;
  }
  /// Pids are reused, so each of several files has its own processes.
  std::string file() const {
    return Chosen.Files.size() == 1 ? "" : (" [" + R.file().path() + "]").str();
  }
  std::string group(const Function &F, const ThreadInfo *T) {
    switch (By) {
    case GroupBy::Thread:
      return threadLabel(R, *T) + file();
    case GroupBy::Process:
      return processLabel(R, *T) + file();
    case GroupBy::Host:
      return R.header().host;
    case GroupBy::Module:
      return F.ModulePath.empty() ? "?" : F.ModulePath;
    case GroupBy::File:
      return R.file().path().str();
    default:
      return "";
    }
  }
  Sums &To;
  Recording &R;
  const Selection &Chosen;
  const GroupBy By;
  const std::map<FunctionId, std::string> Where;
};

Error addFile(StringRef Path, const Selection &Chosen, GroupBy By,
              unsigned Jobs, bool WithSource, Sums &To, Table &T,
              std::map<std::string, uint64_t> &Found) {
  auto R = Chosen.Code.open(Path);
  if (!R)
    return R.takeError();
  auto Filter = Chosen.filterFor(**R);
  if (!Filter)
    return Filter.takeError();
  bool ByThread = By == GroupBy::Thread || By == GroupBy::Process;
  auto P = readProfile(**R, *Filter, ByThread, Jobs);
  if (!P)
    return P.takeError();
  Adder Add(To, **R, Chosen, By);
  for (size_t I = 0; I != P->Stats.size(); ++I)
    Add.add(P->Stats[I], ByThread ? &P->Threads[I] : nullptr);
  if (WithSource)
    Add.addSources(*P);
  T.Events += P->Events;
  T.Lost += P->Lost + (*R)->header().lost;
  T.Threads += P->Threads.size();
  if (P->Events)
    T.Nanoseconds += (*R)->clock().durationOf(P->LastTime - P->FirstTime);
  for (size_t I = 0; I != FindingCount; ++I)
    if (uint64_t N = (*R)->findings().count(static_cast<Finding>(I)))
      Found[nameOf(static_cast<Finding>(I)).str()] += N;
  tellFindings(**R);
  if (To.empty())
    T.WhyEmpty = Chosen.explainNothing(**R, T.Events, T.Lost);
  return Error::success();
}

} // namespace

std::string nameInSource(const Row &R) {
  StringRef Linked = R.Linked.empty() ? R.Name : R.Linked;
  size_t Length = tprt::lengthWithoutClone(Linked.data(), Linked.size());
  std::string Name =
      Length < Linked.size() ? readableName(Linked.take_front(Length)) : R.Name;
  constexpr size_t HashDigits = 16;
  auto [Path, Hash] = StringRef(Name).rsplit("::h");
  bool IsHash = Hash.size() == HashDigits &&
                all_of(Hash, [](char C) { return isHexDigit(C); });
  return IsHash ? Path.str() : Name;
}

Expected<Table> readRows(const Selection &Chosen, GroupBy By, unsigned Jobs,
                         bool WithSource) {
  Table T;
  Sums All;
  std::map<std::string, uint64_t> Found;
  if (Error E = Chosen.learnNames(Chosen.Files))
    return E;
  for (const std::string &Path : Chosen.Files)
    if (Error E = addFile(Path, Chosen, By, Jobs, WithSource, All, T, Found))
      return E;
  for (auto &[K, S] : All)
    T.Rows.push_back({std::get<0>(K), std::get<1>(K), std::get<2>(K),
                      std::move(S.Linked), std::get<3>(K), std::move(S.Stats),
                      std::move(S.Source)});
  T.Findings.assign(Found.begin(), Found.end());
  return T;
}

} // namespace tpctl
