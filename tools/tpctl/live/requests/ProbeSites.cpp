// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProbeSites.h.

#include "ProbeSites.h"

#include "NoMatch.h"
#include "Requests.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/Progress.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <filesystem>

using namespace llvm;

namespace tpctl {

constexpr StringLiteral Deleted = " (deleted)";

std::shared_ptr<const usdt::FileNotes> ProbeTable::notesOf(pid_t Pid,
                                                           const Mapping &M) {
  auto [At, New] = Files.try_emplace(M.File + " " + M.Path);
  if (!New)
    return At->second;
  StringRef Path = M.Path;
  std::string Seen = procPath(Pid, "root" + Path);
  const bool IsGone = Path.consume_back(Deleted);
  std::error_code Code;
  if (IsGone)
    Seen = std::filesystem::read_symlink(procPath(Pid, "exe"), Code) == M.Path
               ? procPath(Pid, "exe")
               : procPath(Pid, "map_files/" + utohexstr(M.Begin, true) + "-" +
                                   utohexstr(M.End, true));
  auto Read = usdt::readNotes(Seen);
  if (IsGone && !Read.Fault.empty())
    Read.Fault = "it was removed or replaced after it was loaded; restart the "
                 "program";
  if (!Read.Fault.empty())
    tell("not all USDT probes of " + Path.str() + " are known: " + Read.Fault);
  return At->second = std::make_shared<const usdt::FileNotes>(std::move(Read));
}

void ProbeTable::tell(const std::string &Text) {
  if (Told.insert(Text).second)
    note(Text);
}

void ProbeTable::add(const Mapping &M, const std::vector<Mapping> &All,
                     const std::shared_ptr<const usdt::FileNotes> &File) {
  auto Address = File->addressOf(M.Offset);
  if (!Address)
    return;
  const uint64_t Base = M.Begin - *Address;
  for (const usdt::Note &N : File->All) {
    const uint64_t At = N.Address + Base;
    if (At < M.Begin || At >= M.End)
      continue;
    auto Made = std::make_shared<Probe>();
    static_cast<usdt::Note &>(*Made) = N;
    Made->Address = At;
    Made->Base = Base;
    Made->Path = StringRef(M.Path).rtrim(Deleted).str();
    Made->File = File;
    if (N.Semaphore) {
      Made->Semaphore += Base;
      Made->HasSemaphore = any_of(All, [&](const Mapping &Of) {
        return Of.IsWritable && Of.Begin <= Made->Semaphore &&
               Made->Semaphore < Of.End;
      });
    }
    ByAddress.try_emplace(At, std::move(Made));
  }
}

void ProbeTable::read(pid_t Pid) {
  ByAddress.clear();
  const std::vector<Mapping> All = mappingsOf(Pid);
  for (const Mapping &M : All)
    if (M.IsCode && !M.Path.empty())
      add(M, All, notesOf(Pid, M));
}

namespace {

using Addresses = ArrayRef<uint64_t>;

/// Adds the instructions at these addresses, which fit into one request. None
/// found: `Why` says why.
Error addSitesAt(Connection &C, const Patterns &P, Addresses At,
                 std::map<uint64_t, LiveSite> &To, std::string &Why) {
  auto textOf = [](uint64_t Address) {
    return "0x" + utohexstr(Address, /*LowerCase=*/true);
  };
  Patterns Only = P.only(textOf(At.front()));
  for (uint64_t Address : At.drop_front())
    Only.give(textOf(Address));
  Only.takeCode();
  if (Error E = Only.prepare())
    return E;
  auto Sites = listSites(C, Only, TPRT_KIND_SET_INSTRUCTION);
  if (!Sites) {
    Error E = Sites.takeError();
    if (E.isA<ProcessEnded>() || E.isA<ProcessStopped>())
      return E;
    Why = toString(std::move(E));
    return Error::success();
  }
  for (LiveSite &S : *Sites)
    To.try_emplace(S.Sled, std::move(S));
  return Error::success();
}

/// The instructions at all these addresses.
Expected<std::map<uint64_t, LiveSite>> sitesAt(Connection &C, const Patterns &P,
                                               Addresses At) {
  std::map<uint64_t, LiveSite> All;
  std::string Why;
  for (size_t I = 0; I < At.size(); I += TPRT_CONTROL_MOST_PATTERNS)
    if (Error E = addSitesAt(
            C, P, At.slice(I).take_front(TPRT_CONTROL_MOST_PATTERNS), All, Why))
      return E;
  return All;
}

/// Points that are USDT probes, by the addresses of their sleds.
class PointsOfProbes {
public:
  PointsOfProbes(Connection &C, const Patterns &P) : C(C), P(P) {}
  std::optional<LiveSite> at(uint64_t Address) {
    if (!Read)
      read();
    auto Found = Points.find(Address);
    return Found == Points.end() ? std::nullopt : std::optional(Found->second);
  }

private:
  void read() {
    Read = true;
    Patterns All = P.only("point:*");
    if (Error E = All.prepare())
      return consumeError(std::move(E));
    auto Sites = listSites(C, All, TPRT_KIND_SET_POINT);
    if (!Sites)
      return consumeError(Sites.takeError());
    for (LiveSite &S : *Sites)
      Points.emplace(S.Sled, std::move(S));
  }
  Connection &C;
  const Patterns &P;
  bool Read = false;
  std::map<uint64_t, LiveSite> Points;
};

/// The probe whose text is nearly a pattern, or an empty text.
std::string nearestProbe(const std::set<std::string> &Probes,
                         const Patterns &P) {
  std::string Best;
  size_t Least = ~size_t{0};
  for (StringRef Pattern : P.positives())
    for (const std::string &Probe : Probes) {
      size_t Most = Pattern.size() / 6;
      size_t Distance = Pattern.edit_distance(Probe, /*AllowReplacements=*/true,
                                              static_cast<unsigned>(Most));
      if (Distance <= Most && Distance < Least)
        Best = Probe, Least = Distance;
    }
  return Best;
}

/// Why no probe is selected, with the providers that there are.
std::string whyNone(const ProbeTable &Of, const Patterns &P) {
  std::set<std::string> Names, Probes;
  for (const auto &[Address, N] : Of.all()) {
    Names.insert(N->Provider);
    Probes.insert(N->text());
  }
  if (Names.empty())
    return "its files have no USDT probes";
  constexpr size_t Most = 8;
  const std::string Nearest = nearestProbe(Probes, P);
  std::string Text;
  size_t Count = 0;
  for (const std::string &Name : Names)
    if (Count++ < Most)
      Text += (Text.empty() ? "" : ", ") + Name;
  return "its USDT probes have the " +
         std::string(Count == 1 ? "provider " : "providers ") + Text +
         (Count > Most ? " and others" : "") +
         (Nearest.empty() ? "" : "; did you mean " + Nearest + "?");
}

} // namespace

Error addProbes(Connection &C, const Patterns &P, uint32_t Kinds,
                std::vector<LiveSite> &To) {
  if (Kinds == TPRT_KIND_SET_ALL)
    return wrongUsage("USDT probes are single instructions, which have no "
                      "duration: count them, or give an expression of their "
                      "arguments, as in hist --of arg0");
  C.Probes.read(C.pid());
  PointsOfProbes Points(C, P);
  std::vector<uint64_t> Wanted;
  for (const auto &[Address, N] : C.Probes.all())
    if (P.takesProbe(N->Path, *N))
      Wanted.push_back(Address);
  auto Sites = sitesAt(C, P, Wanted);
  if (!Sites)
    return Sites.takeError();
  size_t Found = 0, Missed = 0;
  std::string First;
  for (uint64_t Address : Wanted) {
    auto Of = Sites->find(Address);
    std::optional<LiveSite> Site = Of == Sites->end()
                                       ? Points.at(Address)
                                       : std::optional(std::move(Of->second));
    if (Site) {
      ++Found;
      To.push_back(std::move(*Site));
    } else if (!Missed++) {
      std::map<uint64_t, LiveSite> None;
      if (Error E = addSitesAt(C, P, Address, None, First))
        return E;
      First = C.Probes.at(Address)->text() + ": " + First;
    }
  }
  if (!Found)
    return make_error<NoMatch>(Missed ? First : whyNone(C.Probes, P));
  if (Missed)
    C.Probes.tell(std::to_string(Missed) + " of " +
                  countText(Missed + Found, "place") +
                  " of USDT probes cannot be watched, the first " + First);
  return Error::success();
}

Error addProbesOfFile(StringRef Path, const Patterns &P,
                      std::vector<LiveSite> &To) {
  auto File = std::make_shared<usdt::FileNotes>(usdt::readNotes(Path));
  if (!File->Fault.empty())
    note("not all USDT probes of " + Path + " are known: " + File->Fault);
  for (const usdt::Note &N : File->All) {
    if (!P.takesProbe(Path, N))
      continue;
    auto Made = std::make_shared<Probe>();
    static_cast<usdt::Note &>(*Made) = N;
    Made->Path = Path.str();
    Made->File = File;
    LiveSite S;
    S.Sled = S.Function = N.Address;
    S.Kind = TPRT_KIND_INSTRUCTION;
    S.Shape = 6; // "code", as in the lists of processes
    S.Module = Path.str();
    S.Of = std::move(Made);
    To.push_back(std::move(S));
  }
  return Error::success();
}

Error Semaphores::raise(Connection &C, uint32_t Group,
                        ArrayRef<LiveSite> Sites) {
  std::vector<uint64_t> Addresses;
  for (const LiveSite &S : Sites) {
    // libtprt itself raises what a point has.
    if (!S.Of || !S.Of->Semaphore || S.Kind == TPRT_KIND_POINT || S.Refusal)
      continue;
    if (!S.Of->HasSemaphore)
      C.Probes.tell("the semaphore of " + S.Of->text() +
                    " is not in writable memory, so the probe may be silent: "
                    "its note in " +
                    S.Of->Path + " is damaged");
    else if (Raised.insert(S.Of->Semaphore).second)
      Addresses.push_back(S.Of->Semaphore);
  }
  auto raisePart = [&](ArrayRef<uint64_t> Part) -> Error {
    const auto Size = static_cast<uint32_t>(Part.size());
    Body B;
    B.put(tprt_control_semaphores{Group, Size}).all(Part);
    auto Answer = C.ask(TPRT_CONTROL_SEMAPHORES, B);
    if (!Answer)
      return Answer.takeError();
    auto Done = Reader(*Answer).take<tprt_control_semaphores_answer>();
    if (Done && Done->refused)
      C.Probes.tell(countText(Done->refused, "semaphore") +
                    " of USDT probes could not be raised, so these probes may "
                    "be silent");
    return Error::success();
  };
  return inParts(ArrayRef(Addresses), TPRT_CONTROL_MOST_SEMAPHORES, raisePart);
}

} // namespace tpctl
