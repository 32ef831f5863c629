// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Measurement.h.

#include "Measurement.h"

#include "Budget.h"
#include "live/targets/Callees.h"
#include "live/targets/Unmatched.h"
#include "shared/Output.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

Error prepareToMeasure(Target &At, Patterns &P, uint32_t Kinds,
                       const CalleesOf &Callees, Budget &Limits,
                       StringRef Result) {
  if (Error E = Limits.prepare())
    return E;
  if (Error E = Output::check(Result))
    return E;
  if (Error E = At.prepare(/*AwaitAtEnd=*/true))
    return E;
  if (Error E = checkMatches(At, P, Kinds))
    return E;
  if (Error E = Callees.learn(At, P))
    return E;
  if (!Callees.isOn())
    At.followExec();
  return Error::success();
}

std::string describeLeft(uint64_t Calls) {
  return countText(Calls, "call was", "calls were") +
         " left by exceptions or longjmp: " + (Calls == 1 ? "its" : "their") +
         (Calls == 1 ? " duration is" : " durations are") + " not known";
}

Error Measurement::attachTo(Connection &C) {
  if (Error E = beforeAttach(C))
    return E;
  std::unique_ptr<Process> Of = make(C);
  if (Error E = attachFirst(*Of))
    return E;
  auto Done = Of->On.attach(attachFlags());
  if (!Done)
    return Done.takeError();
  if (Done->Matched)
    At.tellRefused(C, P, *Done);
  if (AsksForSeveral && Done->Matched && !Several) {
    auto Now = Of->On.selectsSeveral();
    if (!Now)
      return Now.takeError();
    Several = *Now;
  }
  bool Waits = !Done->Matched && !Done->FitsNone && !At.hasCommand();
  if (Waits)
    note(nothingYet(C, P, Done->Why));
  Of->Group = Done->Group;
  Of->Sites = Done->Enabled;
  Of->Matched = Done->Matched;
  if (!Waits) // the verb does not repeat it
    Of->Why = Done->Why;
  attached(*Of);
  Processes.push_back(std::move(Of));
  return Error::success();
}

Error Measurement::attach() {
  if (Error E = checkFirst())
    return E;
  for (auto &C : At.Connections)
    if (Error E = attachTo(*C))
      return E;
  // The next reading drops a process that has ended already, and reports one
  // that is stopped.
  for (auto &Of : Processes)
    if (Error E = handleErrors(
            beginWindow(*Of), [](const ProcessEnded &) {},
            [](const ProcessStopped &) {}))
      return E;
  Looked = Clock::now();
  return Error::success();
}

/// An ending process waits until tpctl has read its values. If a process is
/// killed, its hits since the last reading are lost. So the next reading is
/// soon, but tpctl itself uses at most half of a processor.
Measurement::Clock::time_point
Measurement::nextReading(Clock::time_point Looked, Clock::duration Took) const {
  constexpr Clock::duration Usual = std::chrono::milliseconds(100);
  return Looked + std::max(Usual - Took, Took);
}

/// An error of the processes' clocks must not make a time negative.
double Measurement::begun() const {
  double First = Processes.empty() ? 0 : Processes.front()->Begin;
  for (const auto &Of : Processes)
    First = std::min(First, Of->Begin);
  return First;
}

double Measurement::latest() const {
  double Last = begun();
  for (const auto &Of : Processes)
    Last = std::max(Last, Of->Latest);
  return Last;
}

std::optional<Measurement::Clock::duration> Measurement::age() const {
  std::optional<Clock::duration> Oldest;
  for (const auto &Of : Processes)
    Oldest = std::max(Oldest, Of->Age);
  return Oldest;
}

Measurement::Sums Measurement::sums() const {
  Sums All;
  for (const auto &Of : Processes) {
    All.Sites += Of->Sites, All.Missed += Of->Missed;
    All.Matched |= Of->Matched;
    if (!Of->Why.empty())
      All.Why = Of->Why;
  }
  return All;
}

/// A process may be killed at any time, so the names of new functions are
/// requested soon. If there are many, that takes seconds, and must not delay
/// the next reading. If the process has ended, the next reading notices it.
Error Measurement::learnAllNames(Clock::time_point Until) {
  for (auto &Of : Processes)
    if (Of->C)
      if (Error E = learnNames(*Of, Until))
        return E;
  return Error::success();
}

Error Measurement::readOne(Process &Of) {
  if (Error E = At.checkRuns(*Of.C))
    return E;
  auto Later = Of.On.attachLater();
  if (!Later)
    return Later.takeError();
  Of.Sites += *Later;
  auto Asked = Clock::now();
  auto Ending = readProcess(Of);
  if (!Ending)
    return Ending.takeError();
  if (Of.IsWhole)
    Of.Read = Asked;
  // The program may continue after all, if its exec fails.
  Of.Told = *Ending;
  if (!Of.Told)
    return Error::success();
  if (Error E = learnNames(Of, Clock::time_point::max()))
    return E;
  Of.C->goOn();
  return Error::success();
}

Error Measurement::read(bool IsForTable) {
  const Clock::time_point Asked = Clock::now();
  ForTable = IsForTable;
  for (size_t I = 0; I != Processes.size(); ++I) {
    Process &Of = *Processes[I];
    if (!Of.C)
      continue;
    Error E = readOne(Of);
    if (!E)
      continue;
    if (E.isA<ProcessStopped>()) {
      At.tellStopped(std::move(E), Clock::now() - Of.Read);
      continue;
    }
    auto Where =
        find_if(At.Connections, [&](auto &C) { return C.get() == Of.C; });
    Of.C = nullptr;
    if (!Of.Told)
      Of.Age = Clock::now() - Of.Read;
    if (Error Other = At.drop(
            static_cast<size_t>(Where - At.Connections.begin()), std::move(E)))
      return Other;
    ended(Of);
    if (!At.hasFollowed() && !At.watchesChildren())
      Ended.push_back(Of.Name);
  }
  Looked = Clock::now();
  Took = Looked - Asked;
  beginNext();
  haveRead();
  if (At.watchesChildren() && Ended.empty() && allEnded())
    Ended.push_back("the command");
  return Error::success();
}

/// The programs that wait until they are attached to.
void Measurement::beginNext() {
  while (Connection *Next = At.takeNext()) {
    Error Attached = attachTo(*Next);
    if (!Attached && (Attached = beginWindow(*Processes.back())))
      Processes.pop_back();
    At.begin(*Next, std::move(Attached));
  }
}

Error Measurement::watch(function_ref<Error(bool Last)> Show) {
  auto ReadAndShow = [&](bool Last) -> Error {
    if (Error E = read(/*IsForTable=*/true))
      return E;
    if (Error E = learnAllNames(Clock::time_point::max()))
      return E;
    Error E = Show(Last);
    Looked = Clock::now();
    return E;
  };
  auto Next = At.interval().count() ? Clock::now() + At.interval()
                                    : Clock::time_point::max();
  while (At.isWatching()) {
    auto Due = std::min(Next, due());
    if (Error E = learnAllNames(At.clampToEnd(Due)))
      return E;
    if (!At.sleepUntil(Due))
      break;
    if (At.hasOnlyNext()) {
      beginNext();
      continue;
    }
    const bool Shows = Clock::now() >= Next;
    if (Error E = Shows ? ReadAndShow(false) : read(/*IsForTable=*/false))
      return E;
    // If a table takes longer than the interval, the next ones are not in a
    // hurry.
    if (Shows)
      Next = std::max(Next + At.interval(), Clock::now());
  }
  return ReadAndShow(true);
}

} // namespace tpctl
