// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Output.h.

#include "Output.h"

#include "Readable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <charconv>
#include <cmath>
#include <iterator>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

/// Whether the path means standard output or standard error.
static bool isStandard(StringRef Path) { return Path == "-" || Path.empty(); }

/// Whether the path is there, and is not a regular file: a pipe or a device.
static bool isSpecial(StringRef Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) && !sys::fs::is_regular_file(Status);
}

Expected<std::unique_ptr<Output>> Output::open(StringRef Path) {
  return open(Path, /*Appends=*/false);
}

Expected<std::unique_ptr<Output>> Output::open(StringRef Path, bool Appends) {
  std::unique_ptr<Output> Result(new Output);
  Result->Path = Path;
  if (isStandard(Path)) {
    Result->Stream = std::make_unique<raw_fd_ostream>(
        Path.empty() ? STDERR_FILENO : STDOUT_FILENO, /*shouldClose=*/false);
    return Result;
  }
  const bool Directly = Appends || isSpecial(Path);
  Result->Temporary = Directly ? std::string() : (Path + ".part").str();
  std::error_code Code;
  Result->Stream = std::make_unique<raw_fd_ostream>(
      Directly ? Path : StringRef(Result->Temporary), Code,
      Appends ? sys::fs::OF_Append : sys::fs::OF_None);
  if (Code) {
    Result->Temporary.clear();
    return createStringError("cannot write '" + Path + "': " + Code.message());
  }
  return Result;
}

Error Output::check(StringRef Path) {
  // Opening a pipe would disturb its reader.
  if (isSpecial(Path))
    return Error::success();
  // Another tpctl may be writing the temporary file, which open() would empty.
  if (!isStandard(Path) && sys::fs::exists(Path + ".part") &&
      sys::fs::can_write(Path + ".part"))
    return Error::success();
  return open(Path).takeError();
}

Error Output::write(StringRef Path, function_ref<void(raw_ostream &)> Write,
                    bool Appends) {
  std::string Text;
  raw_string_ostream Into(Text);
  Write(Into);
  auto To = open(Path, Appends);
  Error E = To.takeError();
  if (!E) {
    (*To)->stream() << Text;
    E = (*To)->close();
  }
  if (E && !isStandard(Path))
    errs() << Text;
  return E;
}

ResultTables::ResultTables(std::string Path, bool Replaces)
    : Path(std::move(Path)),
      Replaces(Replaces && !isStandard(this->Path) && !isSpecial(this->Path)) {}

Error ResultTables::write(
    function_ref<void(raw_ostream &, bool IsFirst)> Write) {
  const bool IsFirst = Replaces || !Any;
  Any = true;
  return Output::write(
      Path, [&](raw_ostream &OS) { Write(OS, IsFirst); },
      /*Appends=*/!IsFirst && !isSpecial(Path));
}

Output::~Output() {
  if (Stream)
    Stream->clear_error(); // otherwise its destructor ends the process
  Stream.reset();
  if (!Temporary.empty())
    sys::fs::remove(Temporary);
}

Error Output::close() {
  Stream->flush();
  std::error_code Code = Stream->error();
  Stream->clear_error();
  Stream.reset();
  // The reader has closed the pipe, as in `tpctl report FILE | head`.
  if (isStandard(Path) && Code == std::errc::broken_pipe)
    return Error::success();
  if (!Code && !Temporary.empty())
    Code = sys::fs::rename(Temporary, Path);
  if (Code)
    return createStringError("cannot write " +
                             (Path == "-"    ? Twine("standard output")
                              : Path.empty() ? Twine("standard error")
                                             : "'" + Twine(Path) + "'") +
                             ": " + Code.message());
  Temporary.clear();
  return Error::success();
}

std::string intervalText(double Seconds, bool IsPart) {
  return formatv("after {0:f2} s, {1}\n", Seconds,
                 IsPart ? "of the last interval" : "sums since the start");
}

std::string timeText(double Nanoseconds) {
  static constexpr const char *Units[] = {"ns", "us", "ms", "s"};
  double Value = Nanoseconds;
  unsigned Unit = 0;
  while (Unit != 3 && std::fabs(Value) >= 999.5) {
    Value /= 1000;
    ++Unit;
  }
  int Decimals = !Unit && Value == std::floor(Value) ? 0
                 : std::fabs(Value) < 9.995          ? 2
                 : std::fabs(Value) < 99.95          ? 1
                                                     : 0;
  std::string Text;
  raw_string_ostream(Text) << format("%.*f %s", Decimals, Value, Units[Unit]);
  return Text;
}

std::string plainNumber(double Value) {
  std::string Text;
  raw_string_ostream(Text) << format("%.3f", Value);
  Text.erase(Text.find_last_not_of('0') + 1);
  if (Text.back() == '.')
    Text.pop_back();
  return Text;
}

std::string exactNumber(double Value, bool IsFloat) {
  if (std::isnan(Value))
    return "nan";
  char Text[32];
  auto Written = IsFloat
                     ? std::to_chars(std::begin(Text), std::end(Text),
                                     static_cast<float>(Value))
                     : std::to_chars(std::begin(Text), std::end(Text), Value);
  return {Text, Written.ptr};
}

std::string countText(uint64_t Number, StringRef One, StringRef Many) {
  std::string Text = formatv("{0:n} ", Number);
  if (Number == 1 || Many.empty())
    return Text + One.str() + (Number == 1 ? "" : "s");
  return Text + Many.str();
}

std::string shellWord(StringRef Text) {
  auto isPlain = [](char C) {
    return isAlnum(C) || !isASCII(C) || StringRef("/._-+,:@%=").contains(C);
  };
  if (!Text.empty() && all_of(Text, isPlain))
    return Text.str();
  std::string Quoted = "'";
  for (char C : Text)
    Quoted += C == '\'' ? "'\\''" : std::string(1, C);
  return Quoted + "'";
}

std::string shellPath(StringRef Path) {
  SmallString<128> Here;
  if (!sys::fs::current_path(Here) && Path.starts_with((Here + "/").str()))
    Path = Path.drop_front(Here.size() + 1);
  return shellWord(Path);
}

std::string absolutePath(StringRef Path) {
  SmallString<128> Whole(Path);
  sys::fs::make_absolute(Whole);
  return std::string(Whole);
}

std::string csvField(StringRef Name) {
  std::string Text = tp::trace::printable(Name);
  if (StringRef(Text).find_first_of(",\"") == StringRef::npos)
    return Text;
  std::string Quoted = "\"";
  for (char C : Text)
    Quoted += C == '"' ? "\"\"" : std::string(1, C);
  return Quoted + '"';
}

std::string printableLines(StringRef Text) {
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  return join(map_range(Lines, tp::trace::printable), "\n");
}

std::string jsonText(StringRef Text) {
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}

} // namespace tpctl
