// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Limiter.h.

#include "Limiter.h"

#include "live/requests/Readings.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <ctime>

using namespace llvm;
using std::chrono::milliseconds;

namespace tpctl {
namespace {
constexpr milliseconds Soon(10), Usual(100);
} // namespace

Limiter::Clock::duration pauseAfter(Limiter::Clock::duration Took,
                                    Limiter::Clock::duration Least) {
  constexpr milliseconds Most(500);
  return std::max<Limiter::Clock::duration>(
      Least, std::min<Limiter::Clock::duration>(Most, 100 * Took));
}

Limiter::Limiter(Connection &C, const Patterns &P, const Budget &B,
                 uint32_t Group, Level First)
    : C(C), P(P), B(B), Group(Group), First(First),
      Allowed(B.share(), B.costs()), Reading(now()), Last(Reading), Wait(Soon) {
}

/// The CPU time of all threads of the process is 0 if the process has ended.
Limiter::Moment Limiter::now() const {
  clockid_t Id = 0;
  timespec Time = {};
  if (clock_getcpuclockid(C.pid(), &Id) || clock_gettime(Id, &Time))
    return {Clock::now(), 0};
  return {Clock::now(), static_cast<double>(Time.tv_sec) * 1e9 +
                            static_cast<double>(Time.tv_nsec)};
}

Limiter::Moment Limiter::middleOfReading() const {
  Moment End = now();
  return {Reading.Time + (End.Time - Reading.Time) / 2,
          (Reading.Cpu + End.Cpu) / 2};
}

Limiter::Clock::time_point Limiter::next(Clock::duration Took) const {
  return Looked + pauseAfter(Took, Wait);
}

void Limiter::begin(std::map<uint32_t, uint64_t> Hits) {
  Before = std::move(Hits);
  Last = middleOfReading();
  Looked = Clock::now();
}

std::vector<StepDown> Limiter::takeSteps() { return std::exchange(Steps, {}); }

/// The functions that are now only counted.
Error Limiter::addCounted(std::vector<Load> &To) {
  if (!Counting)
    return Error::success();
  auto Now = readCounts(C, Counting);
  if (!Now)
    return Now.takeError();
  for (const tprt_control_count &Row : Now->Rows) {
    auto At = Gone.find(Row.site);
    if (At == Gone.end() || At->second.Now != Level::Counted)
      continue;
    To.push_back({Row.site, Level::Counted, Row.count - At->second.Counted,
                  At->second.SelfPerHit});
    At->second.Counted = Row.count;
  }
  return Error::success();
}

Error Limiter::look(const std::map<uint32_t, uint64_t> &Hits,
                    const std::map<uint32_t, double> &SelfPerHit) {
  const Moment Read = middleOfReading();
  std::vector<Load> Loads;
  for (auto [Site, Sum] : Hits) {
    uint64_t &Last = Before[Site];
    if (!Gone.count(Site)) {
      auto Self = SelfPerHit.find(Site);
      Loads.push_back({Site, First, Sum - std::min(Sum, Last),
                       Self == SelfPerHit.end() ? 0 : Self->second});
    }
    Last = Sum;
  }
  if (Error E = addCounted(Loads))
    return E;
  double Seconds = std::chrono::duration<double>(Read.Time - Last.Time).count();
  std::vector<Load> Down = Allowed.judge(std::max(0.0, Read.Cpu - Last.Cpu),
                                         Seconds * 1e9, std::move(Loads));
  Last = Read;
  Looked = Clock::now();
  Wait = Down.empty() ? std::min<Clock::duration>(2 * Wait, Usual) : Soon;
  for (const Load &L : Down)
    Steps.push_back({L.Site,
                     L.Now == Level::Timed ? Level::Counted : Level::Off,
                     static_cast<double>(L.Hits) / std::max(Seconds, 1e-3)});
  return Down.empty() ? Error::success() : lower(Down);
}

Error Limiter::count(ArrayRef<uint32_t> Sites) {
  auto Done = attachNumbers(C, P, Sites, TPRT_KIND_SET_ENTRY,
                            TPRT_CONTROL_ACTION_COUNT, Counting);
  if (!Done)
    return Done.takeError();
  Counting = Done->Group;
  return Error::success();
}

/// Detaches the functions first: a function is never timed and counted at the
/// same time, so no hit is in both sums. A hit between the two steps is in
/// neither sum.
Error Limiter::lower(ArrayRef<Load> Down) {
  std::vector<uint32_t> Timed, Counted;
  for (const Load &L : Down)
    (L.Now == Level::Timed ? Timed : Counted).push_back(L.Site);
  uint32_t From = First == Level::Timed ? Counting : Group;
  if (!Counted.empty())
    if (Error E = detachSites(C, From, Counted))
      return E;
  if (!Timed.empty()) {
    if (Error E = detachSites(C, Group, Timed))
      return E;
    if (Error E = count(Timed))
      return E;
  }
  for (const Load &L : Down) {
    Reduced &Of = Gone[L.Site];
    Of.Now = L.Now == Level::Timed ? Level::Counted : Level::Off;
    Of.SelfPerHit = L.SelfPerHit;
    if (First == Level::Counted)
      Of.Counted = Before[L.Site];
  }
  return Error::success();
}

std::vector<std::string>
describeSteps(ArrayRef<StepDown> Steps, const Budget &B,
              function_ref<std::string(uint32_t)> NameOf) {
  constexpr size_t Single = 3;
  std::vector<std::string> Lines;
  for (Level To : {Level::Counted, Level::Off}) {
    std::vector<StepDown> Of;
    copy_if(Steps, std::back_inserter(Of),
            [&](const StepDown &S) { return S.To == To; });
    const char *What = To == Level::Counted ? "only counted" : "off";
    for (const StepDown &S : ArrayRef(Of).take_front(Single))
      Lines.push_back(formatv(
          "{0} is {1} from now on: it had {2} a second "
          "(--budget {3})",
          shortName(NameOf(S.Site)), What,
          countText(static_cast<uint64_t>(S.PerSecond), "call"), B.text()));
    if (Of.size() > Single)
      Lines.push_back(formatv("{0} {1} from now on (--budget {2})",
                              countText(Of.size() - Single, "more function is",
                                        "more functions are"),
                              What, B.text()));
  }
  return Lines;
}

} // namespace tpctl
