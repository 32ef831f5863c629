// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recorder.h.

#include "Recorder.h"

#include "shared/Processes.h"
#include "shared/Verb.h"
#include "tprt/record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tpctl {
namespace {

Expected<uint64_t> sizeOf(StringRef Text) {
  uint64_t Value;
  StringRef Digits = Text.rtrim("KMG");
  uint64_t Factor = StringSwitch<uint64_t>(Text.substr(Digits.size()))
                        .Case("", 1)
                        .Case("K", 1024)
                        .Case("M", 1024 * 1024)
                        .Case("G", 1024 * 1024 * 1024)
                        .Default(0);
  if (!Factor || Digits.getAsInteger(10, Value) || Value > UINT64_MAX / Factor)
    return createStringError("'" + Text +
                             "' is no size: write it as in 64M, 2G");
  return Value * Factor;
}

/// A bit for each argument of a list as in 1+3.
Expected<uint32_t> stringsOf(StringRef Text) {
  uint32_t Bits = 0;
  SmallVector<StringRef> Parts;
  Text.split(Parts, '+', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    unsigned Number;
    if (Part.getAsInteger(10, Number) || !Number || Number > 8)
      return createStringError("'" + Text +
                               "' is no list of arguments: write "
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
  if (!O.Size.empty()) {
    auto Size = sizeOf(O.Size);
    if (!Size)
      return Size.takeError();
    Asked.size = *Size;
  }
  auto Strings = stringsOf(O.Strings);
  if (!Strings)
    return Strings.takeError();
  Asked.strings = *Strings;
  Asked.arguments = O.Arguments;
  Asked.results = O.Results;
  return Asked;
}

Error add(Connection &C, tprt_control_record Asked,
          std::vector<std::string> Patterns, bool Code) {
  if (none_of(Patterns, [](StringRef P) { return !P.starts_with("!"); }))
    Patterns.push_back("*");
  Asked.what = TPRT_CONTROL_RECORD_ADD;
  uint32_t Flags = TPRT_SELECT_AWAIT;
  if (Code)
    Flags |= TPRT_SELECT_CODE;
  Asked.selection = {static_cast<uint32_t>(Patterns.size()), 0,
                     TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT, Flags};
  Body B;
  B.put(Asked);
  for (const std::string &Pattern : Patterns)
    B.text(Pattern);
  auto Answer = C.ask(TPRT_CONTROL_RECORD, B);
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  R.take<tprt_control_attach_answer>();
  if (std::string Why = R.text(); !Why.empty())
    note(Why);
  return Error::success();
}

/// Whether the file that a process says it has made may be the one that was
/// asked for: FILE, or FILE.PID where another process has FILE. tpctl, perhaps
/// run by root, will remove or replace what the process names.
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

bool seesSameFiles(pid_t Pid) {
  std::string Folder = procPath(Pid, "");
  auto same = [&](const char *What) {
    sys::fs::UniqueID Here, There;
    return !sys::fs::getUniqueID(Twine("/proc/self/") + What, Here) &&
           !sys::fs::getUniqueID(Folder + What, There) && Here == There;
  };
  return same("ns/mnt") && same("root");
}

Expected<std::string> startRecording(Connection &C, const RecorderOptions &O) {
  auto Asked = numbersOf(O);
  if (!Asked)
    return Asked.takeError();
  Asked->what = TPRT_CONTROL_RECORD_START;
  auto Answer = C.ask(TPRT_CONTROL_RECORD, Body().put(*Asked).text(O.Path));
  if (!Answer)
    return createStringError(toString(Answer.takeError()) + " (process " +
                             Twine(C.pid()) +
                             " makes the file, with its own rights)");
  std::string Made = Reader(*Answer).bytes().str();
  if (!isFor(O.Path, Made)) {
    consumeError(stopRecording(C));
    return createStringError(C.name() + " has made another file than '" +
                             O.Path + "': '" + printable(Made) + "'");
  }
  Error E = add(C, *Asked, O.Patterns, O.Code);
  if (!E)
    return Made;
  consumeError(stopRecording(C));
  if (seesSameFiles(C.pid()))
    sys::fs::remove(Made); // it has nothing
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
