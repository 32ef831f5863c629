// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Outcome.h.

#include "Outcome.h"

#include "Cuts.h"
#include "shared/Output.h"
#include "shared/Pack.h"
#include "shared/Processes.h"
#include "shared/Verb.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

/// Whether the file is a recording that began in this run. Also true if a file
/// of this run is not a recording. The reader of the file will report the
/// fault.
bool beganSince(const std::string &Path, const RunBegin &Since) {
  auto R = Recording::open(Path);
  if (R)
    return (*R)->header().start.monotonic >= Since.Monotonic;
  consumeError(R.takeError());
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) &&
         Status.getLastModificationTime() >= Since.Time;
}

/// Removes a dot and a number from the front, and returns the number.
std::optional<uint64_t> takeNumber(StringRef &Text) {
  StringRef Rest = Text;
  uint64_t Number;
  if (!Rest.consume_front(".") || Rest.empty() || !isDigit(Rest.front()) ||
      Rest.consumeInteger(10, Number))
    return std::nullopt;
  Text = Rest;
  return Number;
}

/// Whether this is the file of a process of an earlier command: a recording
/// that the process of this number made, and that nobody is writing.
bool isOfEarlierProcess(const std::string &Path, uint64_t Pid) {
  auto R = Recording::open(Path);
  if (!R)
    return consumeError(R.takeError()), false;
  int File = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (File < 0)
    return false;
  bool Ended = flock(File, LOCK_SH | LOCK_NB) == 0;
  close(File);
  return Ended && (*R)->header().pid == Pid &&
         (*R)->header().end_reason != TPRT_TRACE_END_SNAPSHOT;
}

/// If the file exists already, it must be a recording. It is then replaced.
Error checkOldFile(StringRef Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status))
    return Error::success(); // usually there is no such file
  if (!sys::fs::is_regular_file(Status))
    return createStringError("cannot record to '" + Path +
                             "': it is not a regular file, and a recording is "
                             "written in any order; name another file by -o");
  if (!Status.getSize())
    return Error::success();
  auto Content = MemoryBuffer::getFileSlice(
      Path, std::min<uint64_t>(Status.getSize(), sizeof TPRT_TRACE_MAGIC), 0);
  if (!Content)
    return createStringError("cannot record to '" + Path +
                             "': " + Content.getError().message());
  if (!(*Content)->getBuffer().starts_with(
          StringRef(TPRT_TRACE_MAGIC, sizeof tprt_trace_header{}.magic)))
    return createStringError("cannot record to '" + Path +
                             "': a file of this name is there already and is "
                             "not a recording; name another file by -o");
  return Error::success();
}

std::string sizeText(uint64_t Bytes) {
  return Bytes < 1'000'000
             ? formatv("{0} kB", (Bytes + 999) / 1000).str()
             : formatv("{0:f1} MB", static_cast<double>(Bytes) / 1e6).str();
}

} // namespace

RunBegin RunBegin::now() {
  timespec Now{};
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return {static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000 +
              static_cast<uint64_t>(Now.tv_nsec),
          std::chrono::system_clock::now()};
}

Outcome::Outcome(const std::string &Path, const RunBegin &Since) {
  std::error_code Code;
  std::string Name = sys::path::filename(Path).str();
  std::vector<std::string> Earlier;
  for (sys::fs::directory_iterator It(sys::path::parent_path(Path), Code), End;
       It != End && !Code; It.increment(Code)) {
    StringRef Rest = sys::path::filename(It->path());
    if (!Rest.consume_front(Name))
      continue;
    // The end of the name: nothing, a process, or a process and the number of
    // its program. Only the second and later programs have a number.
    bool InGlob = Rest.size() > 1 && Rest[0] == '.' && isDigit(Rest[1]);
    auto Pid = takeNumber(Rest);
    if (Pid)
      takeNumber(Rest);
    bool Fits = Rest.empty() && sys::fs::is_regular_file(It->path());
    if (Fits && beganSince(It->path(), Since))
      Files.push_back(It->path());
    else if (Fits && Pid && isOfEarlierProcess(It->path(), *Pid))
      Earlier.push_back(It->path());
    else
      Others |= InGlob;
  }
  llvm::sort(Files);
  // An earlier command's recording has been replaced, so the files of its other
  // processes go, too.
  if (!hasFiles() || sys::path::filename(Files.front()) != Name)
    Others = true;
  else
    for (const std::string &File : Earlier)
      Others |= bool(sys::fs::remove(File));
}

/// The files as arguments for a shell: a few names, or a glob if it matches
/// only these files.
std::string Outcome::names() const {
  constexpr size_t Few = 3;
  std::string First = shellPath(Files.front());
  if (Files.size() > Few && !Others)
    return First + " " + First + ".[0-9]*";
  return join(map_range(Files, shellPath), " ");
}

Error Outcome::pack() const {
  for (const std::string &File : Files)
    if (auto Sizes = packRecording(File, File, PackLevel); !Sizes)
      return Sizes.takeError();
  return Error::success();
}

Error Outcome::count() {
  for (const std::string &File : Files) {
    auto R = Recording::open(File);
    if (!R)
      return R.takeError();
    auto Sum = countEvents(**R);
    if (!Sum)
      return Sum.takeError();
    Events += Sum->Events;
    Lost += Sum->Lost;
    Bytes += (*R)->file().bytes();
  }
  return Error::success();
}

void Outcome::tell(double Nanoseconds) const {
  errs() << formatv("tpctl: {0}, {1}, {2} in {3}; next: tpctl report ",
                    countText(Events, "event"),
                    Lost ? formatv("{0:n} lost", Lost).str() : "none lost",
                    sizeText(Bytes), timeText(Nanoseconds))
         << names() << '\n';
}

void Outcome::tellCopy() const {
  errs() << formatv("tpctl: {0}, {1:n} lost; next: tpctl report {2}\n",
                    countText(Events, "event"), Lost, shellPath(Files.front()));
}

void tellElsewhere(const Connection &C, StringRef Path) {
  note(C.name() + " sees other files than tpctl, and has written '" + Path +
       "' (while it runs: " + procPath(C.pid(), "root" + Path) + ")");
}

/// An earlier recording of this name is replaced, so its space counts as free.
static uint64_t bytesOnDisk(const std::string &Path) {
  struct stat File;
  constexpr uint64_t Unit = 512; // stat(2)
  return stat(Path.c_str(), &File) == 0
             ? static_cast<uint64_t>(File.st_blocks) * Unit
             : 0;
}

Error checkPlace(const std::string &Path, uint64_t Bytes) {
  std::string Folder = sys::path::parent_path(Path).str();
  if (access(Folder.c_str(), W_OK) != 0)
    return createStringError("cannot record to '" + Path + "': the folder '" +
                             Folder + "': " + strerror(errno));
  if (Error E = checkOldFile(Path))
    return E;
  constexpr uint64_t Mebibyte = 1 << 20;
  if (rlimit Most; getrlimit(RLIMIT_FSIZE, &Most) == 0 && Most.rlim_cur < Bytes)
    return createStringError(
        "cannot record to '" + Path + "': files may have " +
        Twine(Most.rlim_cur / 1024) + " kB here, and the recording needs " +
        formatv("{0:n}", Bytes / 1024).str() + ": raise the limit (ulimit -f)" +
        (Bytes > Mebibyte ? ", or give a smaller --size" : ""));
  auto Space = sys::fs::disk_space(Folder);
  if (!Space)
    return Error::success();
  uint64_t Free = Space->available + bytesOnDisk(Path);
  if (Free < Mebibyte)
    return createStringError("cannot record to '" + Path +
                             "': no space is left in '" + Folder + "'");
  if (Free < Bytes)
    return createStringError("cannot record to '" + Path +
                             "': " + sizeText(Free) + " are free in '" +
                             Folder + "', and the recording needs " +
                             sizeText(Bytes) + ": give a smaller --size");
  return Error::success();
}

} // namespace tpctl
