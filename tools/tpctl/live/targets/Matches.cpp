// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Matches.h.

#include "Matches.h"

#include "live/requests/NoMatch.h"
#include "live/requests/Readings.h"
#include "shared/Mappings.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tpctl {

/// A value that changes when a library is loaded or unloaded: the mapped files
/// of code, and the number of modules that libtprt knows.
Expected<std::string> Matches::modules() {
  auto Figures = readFigures(C);
  if (!Figures)
    return Figures.takeError();
  std::string Text = std::to_string(Figures->modules) + '\n';
  for (const Mapping &M : mappingsOf(C.pid()))
    if (M.IsCode && !M.File.empty())
      Text += utohexstr(M.Begin) + "-" + utohexstr(M.End) + " " + M.File + "\n";
  return Text;
}

Expected<std::vector<LiveSite>> Matches::find() {
  std::vector<LiveSite> Sites, Fresh;
  auto Listed = listSites(C, P, Kinds);
  if (Listed)
    Sites = std::move(*Listed);
  // A library that matches may be loaded later, or again.
  else if (Error E = handleErrors(Listed.takeError(), [&](const NoMatch &None) {
             Why = None.text();
           }))
    return E;
  std::set<std::pair<uint32_t, uint64_t>> Now;
  for (LiveSite &S : Sites) {
    Now.insert({S.Number, S.Sled});
    if (!Known.count({S.Number, S.Sled}))
      Fresh.push_back(std::move(S));
  }
  Known = std::move(Now);
  return Fresh;
}

Expected<std::vector<LiveSite>> Matches::findLater() {
  using namespace std::chrono_literals;
  auto Begin = Clock::now();
  if (Begin < Next)
    return std::vector<LiveSite>();
  auto Now = modules();
  if (!Now)
    return Now.takeError();
  // While a library is being opened, it is mapped before it is in the loader's
  // list. So the sites are requested once more a moment later.
  if (*Now != Before)
    Again = 2;
  Before = std::move(*Now);
  Expected<std::vector<LiveSite>> Fresh = std::vector<LiveSite>();
  if (Again) {
    --Again;
    Fresh = find();
  }
  // Large processes are queried less often.
  auto End = Clock::now();
  Next = End + std::max<Clock::duration>(100ms, 20 * (End - Begin));
  return Fresh;
}

std::string nothingYet(const Connection &C, const Patterns &P,
                       const std::string &Why) {
  return "nothing of " + C.name() + " matches " + P.text() + " so far" +
         (Why.empty() ? "" : ": " + Why) +
         "; libraries that are loaded later are searched as well";
}

std::vector<uint32_t> numbersOf(ArrayRef<LiveSite> Sites) {
  std::vector<uint32_t> Numbers;
  for (const LiveSite &S : Sites)
    Numbers.push_back(S.Number);
  return Numbers;
}

/// Whether tpctl itself has to find the sites. Two patterns of which one names
/// a source file may select a function twice, which a program would count
/// twice.
bool Following::mustSearch() const {
  return Programs || !Others.empty() || Group || P.appliesHere() ||
         !P.codeGlobs().empty() ||
         (!Does.Program.empty() && P.globs().size() > 1 &&
          any_of(P.globs(), [](StringRef G) { return G[0] == '@'; }));
}

uint32_t kindsFor(const LiveSite &S, uint32_t Kinds) {
  constexpr uint32_t Others = TPRT_KIND_SET_POINT | TPRT_KIND_SET_INSTRUCTION;
  uint32_t Own = uint32_t{1} << S.Kind;
  return Own & Others ? Own : Kinds & ~Others;
}

bool isAtEntry(const LiveSite &S) { return S.Of && S.Kind == TPRT_KIND_ENTRY; }

/// Adds sites to the group.
Expected<Attached> Following::attachSites(ArrayRef<LiveSite> Sites) {
  auto Sum = attachAll(Sites);
  if (Sum && P.hasProbes())
    if (Error E = Raised.raise(C, Group, Sites))
      return std::move(E);
  return Sum;
}

Expected<Attached> Following::attachAll(ArrayRef<LiveSite> Sites) {
  std::map<std::pair<uint32_t, std::string>, std::vector<uint32_t>> ByProgram;
  Attached Sum;
  Sum.Group = Group;
  bool Fits = false;
  for (const LiveSite &S : Sites) {
    std::string Program = Programs ? Programs(S) : Does.Program;
    if (Programs && Program.empty())
      continue;
    Fits = true;
    if (!Programs || !isAtEntry(S)) {
      ByProgram[{kindsFor(S, Kinds), std::move(Program)}].push_back(S.Number);
      continue;
    }
    auto Done =
        attachAddress(C, P, S.Sled, {Does.What, std::move(Program)}, Group);
    if (!Done)
      return Done;
    Sum.add(*Done);
  }
  if (Sites.empty() && !Programs)
    return attachNumbers(C, P, {}, Kinds, Does, Group);
  Sum.FitsNone = !Fits && !Sites.empty();
  for (auto &[Of, Numbers] : ByProgram) {
    auto Done =
        attachNumbers(C, P, Numbers, Of.first, {Does.What, Of.second}, Group);
    if (!Done)
      return Done;
    Sum.add(*Done);
  }
  return Sum;
}

Expected<Attached> Following::attach(uint32_t Flags) {
  auto Sum = attachFirst(Flags);
  for (Following &Each : Others) {
    if (!Sum)
      break;
    Each.Group = Group;
    auto More = Each.attachFirst(Flags);
    if (!More)
      return More;
    Sum->add(*More);
    Sum->FitsNone |= More->FitsNone;
    Sum->Group = Group;
  }
  return Sum;
}

Expected<Attached> Following::attachFirst(uint32_t Flags) {
  const Patterns::SiteKinds *Taken = P.takenOf(C.pid());
  if (!Taken && !mustSearch()) {
    auto Done = attachPatterns(C, P, P.globs(), Kinds, Does, Flags);
    if (Done)
      Group = Done->Group;
    return Done;
  }
  std::vector<LiveSite> Sites;
  if (Taken) {
    std::vector<uint32_t> Numbers;
    for (auto [Number, Kind] : *Taken)
      if (Kinds >> Kind & 1)
        Numbers.push_back(Number);
    auto Listed = listNumbered(C, Numbers);
    if (!Listed)
      return Listed.takeError();
    Sites = std::move(*Listed);
  } else {
    Found.emplace(C, P, Kinds);
    auto Now = Found->find();
    if (!Now)
      return Now.takeError();
    Sites = std::move(*Now);
  }
  for (const LiveSite &S : Sites)
    Functions.insert(S.Function);
  if (!Group) {
    auto Named = attachPatterns(C, P, P.names(), Kinds, Does,
                                Flags | TPRT_CONTROL_NAMES_ONLY);
    if (!Named)
      return Named.takeError();
    Group = Named->Group;
  }
  auto Done = attachSites(Sites);
  if (Done && !Done->Matched && Found)
    Done->Why = Found->why();
  return Done;
}

Expected<bool> Following::selectsSeveral() const {
  if (!Functions.empty())
    return Functions.size() > 1;
  auto Sites = listFirst(C, P, Kinds & TPRT_KIND_SET_ENTRY);
  bool HasNone = false;
  Error E =
      handleErrors(Sites.takeError(), [&](const NoMatch &) { HasNone = true; });
  if (E || HasNone)
    return E ? Expected<bool>(std::move(E)) : false;
  return any_of(*Sites, [&](const LiveSite &S) {
    return S.Function != Sites->front().Function;
  });
}

Expected<uint32_t> Following::attachLater() {
  uint32_t Enabled = 0;
  if (Found) {
    auto Sites = Found->findLater();
    if (!Sites)
      return Sites.takeError();
    auto Done = attachSites(*Sites);
    if (!Done)
      return Done.takeError();
    Enabled = Done->Enabled;
  }
  for (Following &Each : Others) {
    auto More = Each.attachLater();
    if (!More)
      return More;
    Enabled += *More;
  }
  return Enabled;
}

} // namespace tpctl
