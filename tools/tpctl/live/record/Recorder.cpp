// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recorder.h.

#include "Recorder.h"

#include "Readable.h"
#include "live/requests/NoMatch.h"
#include "live/requests/Readings.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/UsageError.h"
#include "shared/Verb.h"
#include "tprt/record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tpctl {
namespace {

/// 0 if the text is not a size.
uint64_t sizeOf(StringRef Text) {
  uint64_t Value;
  StringRef Digits = Text.rtrim("KMG");
  uint64_t Factor = StringSwitch<uint64_t>(Text.substr(Digits.size()))
                        .Case("", 1)
                        .Case("K", 1024)
                        .Case("M", 1024 * 1024)
                        .Case("G", 1024 * 1024 * 1024)
                        .Default(0);
  if (!Factor || Digits.getAsInteger(10, Value) || Value > UINT64_MAX / Factor)
    return 0;
  return Value * Factor;
}

/// A bit for each argument of a list such as 1+3.
Expected<uint32_t> stringsOf(StringRef Text) {
  uint32_t Bits = 0;
  SmallVector<StringRef> Parts;
  Text.split(Parts, '+', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    unsigned Number;
    if (Part.getAsInteger(10, Number) || !Number || Number > 8)
      return wrongUsage("'" + Text +
                        "' is not a list of arguments: write "
                        "it as in 1+3");
    Bits |= 1u << (Number - 1);
  }
  return Bits;
}

Expected<tprt_control_record> numbersOf(const RecorderOptions &O) {
  tprt_control_record Asked{};
  Asked.mode = StringSwitch<uint32_t>(O.Mode)
                   .Case("newest", TPRT_RECORDING_MODE_NEWEST)
                   .Case("full", TPRT_RECORDING_MODE_UNTIL_FULL)
                   .Default(TPRT_RECORDING_MODE_ALL);
  Asked.size = sizeOf(O.Size);
  auto Strings = stringsOf(O.Strings);
  if (!Strings)
    return Strings.takeError();
  Asked.strings = *Strings;
  Asked.arguments = O.Arguments;
  Asked.results = O.Results;
  return Asked;
}

/// Whether the file that a process reports may be the requested one: FILE, or
/// FILE.PID if another process has FILE. The check is needed because tpctl,
/// perhaps run as root, will remove or replace the reported file.
bool isFor(StringRef Asked, StringRef Made) {
  std::string Plain;
  for (size_t I = 0; I != Asked.size(); ++I) {
    Plain += Asked[I];
    I += Asked.substr(I).starts_with("%%"); // a percent sign is written twice
  }
  return Made.consume_front(Plain) &&
         (Made.empty() ||
          (Made.consume_front(".") && !Made.empty() && all_of(Made, isDigit)));
}

} // namespace

Error checkSize(StringRef Option, StringRef Size) {
  if (Size.empty() || sizeOf(Size))
    return Error::success();
  return wrongUsage(Option + " takes a size as in 64M or 2G, not '" + Size +
                    "'; a recording has at least 1M");
}

uint64_t bytesAtStart(const RecorderOptions &O) {
  constexpr uint64_t Mebibyte = 1 << 20, Usual = 64 * Mebibyte; // as in libtprt
  if (O.Mode == "all")
    return Mebibyte;
  return O.Size.empty() ? Usual : std::max(sizeOf(O.Size), Mebibyte);
}

Error checkValues(const RecorderOptions &O) { return numbersOf(O).takeError(); }

uint32_t Recorder::kinds() const {
  if (O.Expressions && O.Expressions->takesNoCalls())
    return TPRT_KIND_SET_INSTRUCTION | TPRT_KIND_SET_POINT;
  if (O.Chosen.hasProbes())
    return TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT | TPRT_KIND_SET_INSTRUCTION;
  // At the end of calls, points have no values.
  return O.Expressions && O.Expressions->isAtEnd()
             ? uint32_t{TPRT_KIND_SET_ALL}
             : TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
}

/// The kinds of a request whose sites have a program. A program has one meaning
/// at calls, one at points, and one at single instructions.
static uint32_t kindsAround(const LiveSite &S) {
  if (S.Kind == TPRT_KIND_POINT)
    return TPRT_KIND_SET_POINT;
  return S.Of || S.Kind == TPRT_KIND_INSTRUCTION ? TPRT_KIND_SET_INSTRUCTION
                                                 : TPRT_KIND_SET_ALL;
}

const uint32_t RecordedKinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;

Error Recorder::attachAround() {
  if (!O.Expressions)
    return Error::success();
  auto Made = O.Expressions->Around.attach(C, O.Chosen);
  if (!Made)
    return Made.takeError();
  Around = std::move(*Made);
  return Error::success();
}

Expected<bool> Recorder::hasStopped() {
  if (!O.Expressions || !O.Expressions->mayStop())
    return false;
  auto Figures = readFigures(C);
  if (!Figures)
    return Figures.takeError();
  return Figures->recording == TPRT_CONTROL_RECORDING_STOPPED;
}

Error Recorder::addGlobs() {
  if (Error E = attachAround())
    return E;
  ArrayRef<std::string> Globs = O.Chosen.globs();
  Asked.selection = {static_cast<uint32_t>(Globs.size()), 0,
                     O.Expressions ? uint32_t{TPRT_KIND_SET_ALL} : kinds(),
                     TPRT_SELECT_AWAIT | flagsOf(O.Chosen)};
  Body B;
  B.put(Asked);
  for (const std::string &Glob : Globs)
    B.text(Glob);
  if (O.Expressions)
    B.Bytes += O.Expressions->common();
  auto Answer = C.ask(TPRT_CONTROL_RECORD, B);
  if (!Answer && O.Chosen.awaits())
    return handleErrors(Answer.takeError(), [&](const NoMatch &None) {
      note(nothingYet(C, O.Chosen, None.text()));
    });
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  R.take<tprt_control_attach_answer>();
  if (std::string Why = R.text(); !Why.empty())
    note(inWordsOfTpctl(Why));
  return Error::success();
}

/// Points of libraries that are loaded later are found by tpctl, because a
/// program has another meaning there. None is loaded now.
Error Recorder::followPoints() {
  if (!O.Expressions || O.Expressions->isAtEnd())
    return Error::success();
  Found.emplace(C, O.Chosen, TPRT_KIND_SET_POINT);
  return Found->find().takeError();
}

/// Adds the sites that were found, with the programs for their functions.
Expected<uint32_t> Recorder::addSites(ArrayRef<LiveSite> Sites) {
  auto Done = addAll(Sites);
  tellRefused();
  if (Done && O.Chosen.hasProbes())
    if (Error E = Raised.raise(C, /*Group=*/0, Sites))
      return std::move(E);
  return Done;
}

Expected<uint32_t> Recorder::addAll(ArrayRef<LiveSite> Sites) {
  uint32_t Enabled = 0;
  if (!O.Expressions) {
    std::vector<uint32_t> Numbers;
    for (const LiveSite &S : Sites) {
      if (!isAtEntry(S)) {
        Numbers.push_back(S.Number);
        continue;
      }
      auto Done = addAddress(S.Sled);
      if (!Done)
        return Done;
      Enabled += *Done;
    }
    auto Done = addNumbers(Numbers, kinds());
    return Done ? Expected<uint32_t>(Enabled + *Done) : std::move(Done);
  }
  std::map<std::pair<std::string, uint32_t>, std::vector<uint32_t>> ByProgram;
  for (const LiveSite &S : Sites) {
    bool IsCommon =
        !O.Expressions->common().empty() && kindsAround(S) == TPRT_KIND_SET_ALL;
    std::string Program = IsCommon ? O.Expressions->common().str()
                                   : O.Expressions->programOf(C, S);
    if (Program.empty())
      continue;
    if (!isAtEntry(S)) {
      ByProgram[{std::move(Program), kindsAround(S)}].push_back(S.Number);
      continue;
    }
    auto Done = addAddress(S.Sled, Program);
    if (!Done)
      return Done;
    Enabled += *Done;
  }
  if (Error E = O.Expressions->tellLeftOut())
    return E;
  for (const auto &[Doing, Numbers] : ByProgram) {
    auto Done = addNumbers(Numbers, Doing.second, Doing.first);
    if (!Done)
      return Done;
    Enabled += *Done;
  }
  return Enabled;
}

/// Adds the instruction at an address.
Expected<uint32_t> Recorder::addAddress(uint64_t Address, StringRef Program) {
  Asked.selection = {1, 0, TPRT_KIND_SET_INSTRUCTION,
                     flagsOf(O.Chosen) | TPRT_SELECT_CODE};
  Body B;
  B.put(Asked).text("0x" + utohexstr(Address, /*LowerCase=*/true));
  B.Bytes += Program;
  return send(B);
}

Expected<uint32_t> Recorder::addNumbers(ArrayRef<uint32_t> Sites,
                                        uint32_t Kinds, StringRef Program) {
  uint32_t Enabled = 0;
  for (size_t At = 0; At < Sites.size(); At += MostSites) {
    ArrayRef<uint32_t> Part =
        Sites.slice(At, std::min(MostSites, Sites.size() - At));
    Asked.selection = {0, static_cast<uint32_t>(Part.size()), Kinds,
                       flagsOf(O.Chosen) & TPRT_SELECT_TRAPS};
    Body B;
    B.put(Asked);
    for (uint32_t Number : Part)
      B.put(Number);
    B.Bytes += Program;
    auto Done = send(B);
    if (!Done)
      return Done;
    Enabled += *Done;
  }
  return Enabled;
}

/// Returns the number of sites that are now on.
Expected<uint32_t> Recorder::send(const Body &Request) {
  auto Answer = C.ask(TPRT_CONTROL_RECORD, Request);
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  auto Sums = R.take<tprt_control_attach_answer>();
  std::string Why = R.text();
  if (WhyRefused.empty())
    WhyRefused = std::move(Why);
  else if (Sums)
    RefusedMore += Sums->refused;
  return Sums ? Sums->enabled : 0;
}

/// The first request's text says how many of its sites were refused. One note
/// is for all requests.
void Recorder::tellRefused() {
  std::string Text = std::exchange(WhyRefused, "");
  const uint64_t More = std::exchange(RefusedMore, 0);
  if (Text.empty())
    return;
  note(inWordsOfTpctl(Text) +
       (More ? "; " + countText(More, "more site was", "more sites were") +
                   " refused"
             : ""));
}

Expected<uint32_t> Recorder::join() {
  auto Values = numbersOf(O);
  if (!Values)
    return Values.takeError();
  Asked = *Values;
  Asked.what =
      O.Expressions ? TPRT_CONTROL_RECORD_ADD_PROGRAM : TPRT_CONTROL_RECORD_ADD;
  if (Error E = attachAround())
    return E;
  Found.emplace(C, O.Chosen, kinds());
  auto Sites = Found->find();
  if (!Sites)
    return Sites.takeError();
  return addSites(*Sites);
}

Error Recorder::add() {
  if (!O.Chosen.appliesHere() && O.Chosen.codeGlobs().empty() &&
      (!O.Expressions || (!O.Expressions->common().empty() &&
                          !O.Expressions->takesPoints(C, O.Chosen)))) {
    Error E = addGlobs();
    return E ? std::move(E) : followPoints();
  }
  auto Taken = join();
  if (Taken && !*Taken)
    note(nothingYet(C, O.Chosen, /*Why=*/""));
  return Taken.takeError();
}

Expected<uint32_t> Recorder::addLater() {
  if (Error E = Scopes::followLater(Around))
    return E;
  if (!Found)
    return 0;
  auto Sites = Found->findLater();
  if (!Sites)
    return Sites.takeError();
  return addSites(*Sites);
}

Expected<std::string> Recorder::start() {
  auto Values = numbersOf(O);
  if (!Values)
    return Values.takeError();
  Asked = *Values;
  Asked.what = TPRT_CONTROL_RECORD_START;
  auto Answer = C.ask(TPRT_CONTROL_RECORD, Body().put(Asked).text(O.Path));
  if (!Answer)
    return createStringError(
        toString(Answer.takeError()) + " (process " + Twine(C.pid()) +
        " creates the file, with its own rights" +
        (seesSameFiles(C.pid()) ? ")" : ", and sees other files than tpctl)"));
  std::string Made = Reader(*Answer).bytes().str();
  if (!isFor(O.Path, Made)) {
    consumeError(stopRecording(C));
    return createStringError(C.name() + " has created a different file than '" +
                             O.Path + "': '" + tp::trace::printable(Made) +
                             "'");
  }
  Asked.what =
      O.Expressions ? TPRT_CONTROL_RECORD_ADD_PROGRAM : TPRT_CONTROL_RECORD_ADD;
  Error E = add();
  if (!E)
    return Made;
  consumeError(stopRecording(C));
  if (seesSameFiles(C.pid()))
    sys::fs::remove(Made); // it is empty
  return E;
}

Error stopRecording(Connection &C) {
  tprt_control_record Asked{};
  Asked.what = TPRT_CONTROL_RECORD_STOP;
  return C.ask(TPRT_CONTROL_RECORD, Body().put(Asked)).takeError();
}

Error takeSnapshot(Connection &C, StringRef Path) {
  return C.ask(TPRT_CONTROL_SNAPSHOT, Body().text(Path)).takeError();
}

} // namespace tpctl
