// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GroupResults.h.

#include "GroupResults.h"

#include "live/requests/Readings.h"
#include "shared/CommandLine.h"
#include "shared/UsageError.h"
#include "tprt/control_program.h"
#include "tprt/control_wire.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;

namespace tpctl {

void addGroup(VerbSyntax &Verb, uint32_t &Group) {
  Verb.addOption("--group", Group, "N",
                 "what a group of tpctl on has seen (tpctl status)");
}

Error checkForGroup(const Patterns &P, const Ask &Question) {
  if (P.given().empty() && !Question.isGiven())
    return Error::success();
  return wrongUsage("--group shows what its own patterns and expressions have "
                    "selected: leave the others out");
}

/// Calls read(Connection, group) for each process.
static Error
readGroups(Target &At, uint32_t Group, double &Seconds,
           function_ref<Error(Connection &, const tprt_control_group &)> Read) {
  if (Error E = At.prepareControlled())
    return E;
  for (auto &C : At.Connections) {
    auto Groups = listGroups(*C);
    if (!Groups)
      return Groups.takeError();
    auto Found = find_if(
        *Groups, [&](const LiveGroup &G) { return G.Numbers.group == Group; });
    if (Found == Groups->end())
      return createStringError(C->name() + " has no group " + Twine(Group) +
                               ": tpctl status shows the groups");
    Seconds = std::max(Seconds, static_cast<double>(Found->Numbers.age) / 1e9);
    if (Error E = Read(*C, Found->Numbers))
      return E;
  }
  return Error::success();
}

/// A row's function, if that is its only key.
static std::optional<uint32_t> functionOf(const KeyedRow &Row) {
  uint64_t Number;
  if (Row.Keys.size() != 1 + sizeof Number ||
      Row.Keys[0] != TPRT_PROGRAM_KEY_NUMBER)
    return std::nullopt;
  memcpy(&Number, Row.Keys.data() + 1, sizeof Number);
  return static_cast<uint32_t>(Number);
}

/// The names of the sites that are the keys of `By`.
template <class T>
static Expected<std::map<uint32_t, LiveSite>>
sitesOf(Connection &C, const std::map<uint32_t, T> &By) {
  std::vector<uint32_t> Numbers;
  for (const auto &[Number, Of] : By)
    Numbers.push_back(Number);
  std::map<uint32_t, LiveSite> Named;
  if (Numbers.empty())
    return Named;
  auto Sites = listNumbered(C, Numbers);
  if (!Sites)
    return Sites.takeError();
  for (LiveSite &S : *Sites)
    Named.emplace(S.Number, std::move(S));
  for (uint32_t Number : Numbers) // its library was unloaded
    if (auto [At, New] = Named.try_emplace(Number); New)
      At->second.Name = "site " + std::to_string(Number);
  return Named;
}

/// The hits by site, of a group that counts or runs programs.
static Expected<std::map<uint32_t, uint64_t>>
hitsOf(Connection &C, const tprt_control_group &G) {
  std::map<uint32_t, uint64_t> Hits;
  if (G.action == TPRT_CONTROL_ACTION_COUNT) {
    auto Now = readCounts(C, G.group);
    if (!Now)
      return Now.takeError();
    // Patterns by file and by name may have found a site twice.
    for (const tprt_control_count &Row : Now->Rows)
      Hits[Row.site] = Row.count;
    return Hits;
  }
  // Other tools' groups of programs have keys that only these tools know.
  if (G.action != TPRT_CONTROL_ACTION_AGGREGATE ||
      !(G.flags & TPRT_CONTROL_KEEP))
    return wrongUsage("group " + Twine(G.group) + " of " + C.name() +
                      (G.action == TPRT_CONTROL_ACTION_TIME
                           ? " times calls: tpctl hist --group " +
                                 Twine(G.group) + " shows them"
                           : " has no counts that tpctl can show"));
  auto Now = readRows(C, G.group, /*OfPairs=*/false);
  if (!Now)
    return Now.takeError();
  for (const KeyedRow &Row : Now->Rows)
    if (auto Number = functionOf(Row))
      Hits[*Number] += Row.Sums.hits;
  return Hits;
}

Expected<GroupResults<CountSums>> countsOfGroup(Target &At, uint32_t Group) {
  GroupResults<CountSums> Result;
  Error E =
      readGroups(At, Group, Result.Seconds,
                 [&](Connection &C, const tprt_control_group &G) -> Error {
                   auto Hits = hitsOf(C, G);
                   if (!Hits)
                     return Hits.takeError();
                   auto Sites = sitesOf(C, *Hits);
                   if (!Sites)
                     return Sites.takeError();
                   for (auto [Number, Count] : *Hits)
                     if (const LiveSite &S = (*Sites)[Number]; Count)
                       Result.Of[{0, 0, S.place(), S.Module}] += Count;
                   return Error::success();
                 });
  if (E)
    return E;
  return Result;
}

Expected<GroupResults<std::map<std::string, CallTimes>>>
timesOfGroup(Target &At, uint32_t Group) {
  GroupResults<std::map<std::string, CallTimes>> Result;
  Error E = readGroups(
      At, Group, Result.Seconds,
      [&](Connection &C, const tprt_control_group &G) -> Error {
        if (G.action != TPRT_CONTROL_ACTION_TIME)
          return wrongUsage("group " + Twine(Group) + " of " + C.name() +
                            " times no calls: tpctl count --group " +
                            Twine(Group) + " shows its hits");
        auto Now = readTimes(C, Group, TPRT_CONTROL_DETAIL_HISTOGRAMS);
        if (!Now)
          return Now.takeError();
        std::map<uint32_t, std::vector<const TimeRow *>> BySite;
        for (const TimeRow &Row : Now->Rows)
          if (Row.Sums.calls || Row.Sums.open)
            BySite[Row.Sums.site].push_back(&Row);
        auto Sites = sitesOf(C, BySite);
        if (!Sites)
          return Sites.takeError();
        for (const auto &[Number, Rows] : BySite)
          for (const TimeRow *Row : Rows)
            Result.Of[(*Sites)[Number].readable()].add(*Row,
                                                       C.nanosecondsPerTick());
        return Error::success();
      });
  if (E)
    return E;
  return Result;
}

} // namespace tpctl
