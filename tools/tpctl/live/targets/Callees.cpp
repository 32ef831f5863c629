// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Callees.h. All functions that the patterns select are timed for a while,
// by caller. If the return address of a call is in the function, the function
// made that call.

#include "Callees.h"

#include "CodeNames.h"
#include "Matches.h"
#include "live/requests/Readings.h"
#include "shared/CommandLine.h"
#include "shared/Selection.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace tpctl;
using Clock = Target::Clock;

namespace {

/// The findings about one process.
class Learner {
public:
  Learner(Connection &C, const Patterns &P) : C(C), P(P), Code(C.pid()) {}

  Error begin(const Patterns &Caller);
  /// Returns false if the process is about to end.
  Expected<bool> look();
  Error end();

  bool wasCalled() const { return Called; }
  bool isWhole() const { return Whole; }
  /// All sites of the function itself, and of the functions that it was seen to
  /// call.
  Patterns::SiteKinds sites() const;
  size_t callees() const { return Callees.size(); }
  Connection &C;

private:
  bool isInside(uint64_t ReturnAddress);
  Error list(const Patterns &Of, std::vector<LiveSite> &To) const;
  const Patterns &P;
  CodeNames Code;
  uint32_t Group = 0;
  std::vector<LiveSite> All;
  std::map<uint32_t, uint64_t> Entries; ///< a site's number and its function
  std::set<uint64_t> Own; ///< a pattern may select several functions
  std::set<uint64_t> Callees;
  std::set<std::string> Names; ///< of the function
  bool Called = false, Whole = true;
};

Error Learner::begin(const Patterns &Caller) {
  if (Error E = list(Caller, All))
    return createStringError("--callees-of: " + toString(std::move(E)));
  if (All.empty())
    return createStringError("--callees-of: no function of " + C.name() +
                             " matches " + Caller.text());
  SmallVector<uint32_t> Numbers;
  for (const LiveSite &S : All) {
    Own.insert(S.Function);
    Names.insert(S.readable());
    Numbers.push_back(S.Number);
  }
  if (Error E = list(P, All))
    return E;
  for (const LiveSite &S : All)
    if (S.Kind == TPRT_KIND_ENTRY)
      Entries[S.Number] = S.Function;
  auto Done = Following(C, P, TPRT_KIND_SET_ALL, TPRT_CONTROL_ACTION_TIME)
                  .attach(TPRT_CONTROL_PER_CALLER);
  if (!Done)
    return Done.takeError();
  Group = Done->Group;
  // The patterns may exclude the function itself.
  auto Itself = attachNumbers(C, P, Numbers, TPRT_KIND_SET_ALL,
                              TPRT_CONTROL_ACTION_TIME, Group);
  return Itself ? Error::success() : Itself.takeError();
}

Error Learner::list(const Patterns &Of, std::vector<LiveSite> &To) const {
  auto Found = listSites(C, Of, TPRT_KIND_SET_ALL);
  if (!Found)
    return Found.takeError();
  To.insert(To.end(), std::make_move_iterator(Found->begin()),
            std::make_move_iterator(Found->end()));
  return Error::success();
}

Patterns::SiteKinds Learner::sites() const {
  Patterns::SiteKinds Chosen;
  for (const LiveSite &S : All)
    if (Own.count(S.Function) || Callees.count(S.Function))
      Chosen[S.Number] = S.Kind;
  return Chosen;
}

bool Learner::isInside(uint64_t ReturnAddress) {
  return Names.count(Code.callerAt(ReturnAddress)) != 0;
}

Expected<bool> Learner::look() {
  auto Now = readTimes(C, Group, TPRT_CONTROL_DETAIL_CALLERS);
  if (!Now)
    return Now.takeError();
  for (const TimeRow &Row : Now->Rows) {
    if (!Row.Sums.calls && !Row.Sums.open)
      continue;
    uint64_t Function = Entries[Row.Sums.site];
    Called |= Own.count(Function) != 0;
    Whole &= Row.ReturnAddress != 0;
    if (Row.ReturnAddress && isInside(Row.ReturnAddress))
      Callees.insert(Function);
  }
  return !Now->Ending;
}

Error Learner::end() {
  auto Ended = detachGroups(C, Group, {});
  return Ended ? Error::success() : Ended.takeError();
}

using Learners = std::vector<std::unique_ptr<Learner>>;

/// Checks all processes once, except those that have ended.
Error lookAtAll(Target &At, Learners &All) {
  for (size_t I = 0; I != All.size();) {
    auto Goes = All[I]->look();
    if (Goes && *Goes) {
      ++I;
      continue;
    }
    Connection &Ended = All[I]->C;
    if (Goes)
      Ended.goOn();
    auto Index =
        find_if(At.Connections, [&](auto &C) { return C.get() == &Ended; });
    auto Place = static_cast<size_t>(Index - At.Connections.begin());
    All.erase(All.begin() + static_cast<ptrdiff_t>(I));
    if (Goes)
      At.Connections.erase(Index);
    else if (Error E = At.drop(Place, Goes.takeError()))
      return E;
  }
  return Error::success();
}

Error learnUntil(Target &At, Learners &All, Clock::time_point End) {
  using namespace std::chrono_literals;
  auto isCalled = [&] {
    return any_of(All, [](auto &Of) { return Of->wasCalled(); });
  };
  while (!All.empty() && (Clock::now() < End || !isCalled()))
    if (!At.sleepUntil(Clock::now() + 50ms))
      return lookAtAll(At, All);
    else if (Error E = lookAtAll(At, All))
      return E;
  return Error::success();
}

void tell(const Learner &Of, const std::string &Name) {
  if (!Of.wasCalled())
    note(Of.C.name() + ": " + Name + " was not called while tpctl watched");
  else
    note(formatv("{0}: {1} was seen to call {2} of the functions that can be "
                 "probed",
                 Of.C.name(), Name,
                 Of.callees() ? std::to_string(Of.callees()) : "none")
             .str());
  if (!Of.isWhole())
    note("more than 4,096 places in a thread call functions: some functions "
         "that " +
         Name + " calls may be missing; give patterns of what it may call");
}

} // namespace

Option CalleesOf::addOptions(VerbSyntax &Verb) {
  Option Of =
      Verb.addOption("--callees-of", Name, "FUNCTION",
                     "only this function, and those it is seen to call");
  Verb.addOption("--learn", Time, "TIME [1s]",
                 "how long --callees-of watches the process");
  return Of;
}

Error CalleesOf::learn(Target &At, Patterns &P) const {
  if (!isOn())
    return Error::success();
  auto Span = parseDuration(Time);
  if (!Span)
    return Span.takeError();
  Patterns Caller = P.only(Name);
  if (Error E = Caller.prepare())
    return E;
  Learners All;
  for (auto &C : At.Connections) {
    All.push_back(std::make_unique<Learner>(*C, P));
    if (Error E = All.back()->begin(Caller))
      return E;
  }
  At.restart(); // in case the function is never called
  At.release();
  auto End =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double, std::nano>(*Span));
  if (Error E = learnUntil(At, All, End))
    return E;
  if (All.empty())
    return createStringError(
        "the program ended while tpctl watched what " + Twine(Name) +
        " calls, so nothing was measured: name its callees in place of "
        "--callees-of, or give a shorter --learn");
  for (auto &Of : All) {
    if (Error E = Of->end())
      return E;
    tell(*Of, Name);
    P.takeOnly(Of->C.pid(), Of->sites());
  }
  At.beginTurningOn();
  return P.also(Name); // for names
}
