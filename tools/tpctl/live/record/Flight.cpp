// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Flight.h.

#include "Flight.h"

#include "Trigger.h"
#include "live/requests/Copies.h"
#include "live/targets/RefusedSites.h"
#include "live/targets/Unmatched.h"
#include "shared/Output.h"
#include "shared/Pack.h"
#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace tp::trace;
using Steady = tpctl::Target::Clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace tpctl {
namespace {

class Flight {
public:
  Flight(const FlightOptions &F, const RecorderOptions &O, Target &At,
         bool Packed)
      : F(F), O(O), At(At), Packed(Packed) {}
  /// The checks before anything is started.
  Error parse();
  Error start(Connection &Of);
  Expected<ExitCode> run();

private:
  Error watch();
  Error keepEvent();
  Error keep(const std::string &From, const std::string &To) const;
  Expected<bool> keepLast();
  std::string nextPath() const;
  Error tellReach(Recording &R, double At) const;
  Error tell(Recording &R, const Trigger::Event &Of,
             const std::string &Path) const;

  const FlightOptions &F;
  RecorderOptions O, Asked;
  std::optional<Recorder> Taken;
  Target &At;
  Connection *C = nullptr;
  const bool Packed;
  std::unique_ptr<Trigger> When;
  std::optional<Copies> Files;
  nanoseconds After{0};
  double BeforeNs = 0;
  unsigned Kept = 0;
};

Error Flight::parse() {
  auto Condition = Trigger::parse(F.When);
  if (!Condition)
    return Condition.takeError();
  When = std::move(*Condition);
  auto Span = parseDuration(F.After);
  if (!Span)
    return Span.takeError();
  After = nanoseconds(static_cast<int64_t>(*Span));
  auto InFront = parseDuration(F.Before);
  if (!InFront)
    return InFront.takeError();
  BeforeNs = *InFront;
  Asked = O;
  Asked.Size = F.Size;
  return checkValues(Asked);
}

Error Flight::start(Connection &Of) {
  C = &Of;
  if (O.Path.empty())
    O.Path = StringRef(Of.name()).split(" (").first.str() + ".tp";
  auto Folder = Copies::openFor(C->pid());
  if (!Folder)
    return Folder.takeError();
  Files.emplace(std::move(*Folder));
  Asked.Path = Files->newPath();
  Asked.Mode = "newest";
  // If no pattern selects anything, everything is recorded.
  if (Asked.Chosen.takesSome() &&
      !is_contained(Asked.Chosen.given(), When->pattern().str()))
    if (Error E = Asked.Chosen.also(When->pattern()))
      return E;
  if (Error E = checkMatches(At, Asked.Chosen, RecordedKinds))
    return E;
  if (Asked.Expressions)
    if (Error E = Asked.Expressions->Around.check(At))
      return E;
  auto Made = Taken.emplace(*C, Asked).start();
  if (!Made)
    return Made.takeError();
  if (Error E = Files->keep(*Made))
    return E;
  return When->attach(*C, Asked.Chosen);
}

/// app.tp, app.2.tp, app.3.tp.
std::string Flight::nextPath() const {
  if (!Kept)
    return O.Path;
  SmallString<128> Path(O.Path);
  std::string Ending =
      ("." + Twine(Kept + 1) + sys::path::extension(O.Path)).str();
  sys::path::replace_extension(Path, Ending);
  return std::string(Path);
}

Error Flight::keep(const std::string &From, const std::string &To) const {
  // As the recorder makes its files: only for the owner.
  const auto Mode = sys::fs::owner_read | sys::fs::owner_write;
  int File = -1;
  std::error_code Code = sys::fs::openFileForWrite(
      To, File, sys::fs::CD_CreateAlways, sys::fs::OF_None, Mode);
  if (!Code) {
    Code = sys::fs::setPermissions(File, Mode);
    if (!Code)
      Code = sys::fs::copy_file(From, File);
    sys::fs::file_t Handle = sys::fs::convertFDToNativeFile(File);
    std::error_code Closed = sys::fs::closeFile(Handle);
    Code = Code ? Code : Closed;
  }
  if (Code)
    return createStringError(To + ": " + Code.message());
  if (!Packed)
    return Error::success();
  return packRecording(To, To, PackLevel).takeError();
}

/// Reports if less than --before is kept. The blocks of a thread are numbered
/// from 0. If the ring still has the first blocks of every thread, it has been
/// large enough so far: nothing was recorded earlier.
Error Flight::tellReach(Recording &R, double At) const {
  uint64_t Oldest = UINT64_MAX;
  std::map<uint64_t, uint32_t> First; // numbers, by thread
  if (Error E = R.visit([&](const Segment &S) {
        Oldest = std::min(Oldest, S.Counter);
        auto Of = First.try_emplace(S.key(), S.Order).first;
        Of->second = std::min(Of->second, S.Order);
        return true;
      }))
    return E;
  double Reach = std::max(At - R.clock().sinceStart(Oldest), 0.0);
  bool IsWhole = all_of(First, [](auto &Of) { return Of.second == 0; });
  if (Reach < BeforeNs)
    note("the recording begins only " + timeText(Reach) + " before" +
         (IsWhole ? ": the chosen functions have no earlier events"
                  : ": give --flight more than " + F.Size +
                        ", or choose fewer functions"));
  return Error::success();
}

/// The value of --around for the calls of an event, with round numbers. The
/// range is a little larger than the event.
std::string aroundText(double Start, double Duration) {
  constexpr double Millisecond = 1e6, Microsecond = 1e3;
  double Span = Duration > 0 ? Duration : Millisecond;
  double Step =
      std::max(std::pow(10, std::floor(std::log10(Span)) - 1), Microsecond);
  double Middle = std::round(Start / Step) * Step;
  double Reach = std::ceil(Span / Step + 1) * Step;
  return durationText(Middle) + "," + durationText(Reach);
}

Error Flight::tell(Recording &R, const Trigger::Event &Of,
                   const std::string &Path) const {
  double At = R.clock().sinceStart(Of.Start);
  errs() << formatv("tpctl: {0}{1} in thread {2}; next: tpctl trace --around "
                    "{3} {4}\n",
                    Of.Name,
                    Of.Duration > 0 ? " took " + timeText(Of.Duration)
                                    : std::string(" was called"),
                    Of.Tid, aroundText(At, Of.Duration), shellPath(Path));
  return BeforeNs > 0 ? tellReach(R, At) : Error::success();
}

/// The condition may have been met. The recording shows whether it was.
Error Flight::keepEvent() {
  At.sleepUntil(Steady::now() + After);
  std::string Copy = Files->newPath(), Path = Files->seen(Copy);
  if (Error E = takeSnapshot(*C, Copy))
    return E;
  auto R = Recording::open(Path);
  if (!R) {
    Files->remove(Path);
    return R.takeError();
  }
  auto Event = When->find(**R);
  Error E = Event ? Error::success() : Event.takeError();
  if (!E && *Event) {
    std::string To = nextPath();
    E = keep(Path, To);
    if (!E)
      E = tell(**R, **Event, To);
    ++Kept;
  }
  Files->remove(Path);
  return E;
}

Error Flight::watch() {
  At.beginWindow();
  while (Kept < F.Count && !C->hasEnded() &&
         At.sleepUntil(Steady::now() + milliseconds(10))) {
    if (auto Later = Taken->addLater(); !Later)
      return Later.takeError();
    auto Holds = When->mayHold(*C);
    if (!Holds)
      return Holds.takeError();
    if (*Holds)
      if (Error E = keepEvent())
        return E;
  }
  return Error::success();
}

/// The process has ended too early, or runs another program. Its last events
/// may show why. Returns whether the condition was met.
Expected<bool> Flight::keepLast() {
  auto R = Recording::open(Files->kept());
  if (!R)
    return R.takeError();
  auto Event = When->find(**R);
  if (!Event)
    return Event.takeError();
  std::string To = nextPath();
  if (Error E = keep(Files->kept(), To))
    return E;
  if (*Event) {
    if (Error E = tell(**R, **Event, To))
      return E;
    return true;
  }
  note(std::string(C->hasEnded() ? "the process has ended"
                                 : "the process runs another program now, or "
                                   "has ended its control") +
       ", and '" + F.When + "' was not met; what it did last is in " + To);
  return false;
}

Expected<ExitCode> Flight::run() {
  Error E = watch();
  bool Ended = C->hasEnded() || E.isA<ProcessEnded>();
  if (E && !Ended)
    return E;
  consumeError(std::move(E));
  if (!Ended)
    consumeError(stopRecording(*C)); // it may be ending
  if (Kept < F.Count && Ended) {
    auto Met = keepLast();
    if (!Met)
      return Met.takeError();
    Kept += *Met;
  } else if (!Kept) {
    note("'" + F.When + "' was not met, so nothing was kept");
  }
  Files.reset();
  if (!Kept && !When->untimed().empty()) {
    std::string Why = describeUntimed(When->untimed(), O.Chosen);
    if (!When->hasTimes())
      return createStringError("'" + F.When + "' cannot be met: " + Why);
    note(Why);
  }
  return At.finish();
}

} // namespace

Expected<ExitCode> recordFlight(const FlightOptions &F, RecorderOptions O,
                                Target &At, bool Packed) {
  Flight Of(F, O, At, Packed);
  if (Error E = Of.parse())
    return E;
  At.takeOne("--when is for one process: give one -p PID");
  if (Error E = At.prepare(/*AwaitAtEnd=*/false))
    return E;
  if (Error E = Of.start(*At.Connections[0]))
    return E;
  return Of.run();
}

} // namespace tpctl
