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
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

/// Whether the file is a recording that began in this run. A file that is none
/// is left to its reader to complain of, if it was written in this run.
bool beganSince(const std::string &Path, const RunBegin &Since) {
  auto R = Recording::open(Path);
  if (R)
    return (*R)->header().start.monotonic >= Since.Monotonic;
  consumeError(R.takeError());
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) &&
         Status.getLastModificationTime() >= Since.Time;
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
  for (sys::fs::directory_iterator It(sys::path::parent_path(Path), Code), End;
       It != End && !Code; It.increment(Code)) {
    StringRef Rest = sys::path::filename(It->path());
    if (!Rest.consume_front(Name))
      continue;
    bool OfProcess = Rest.consume_front(".") && !Rest.empty() &&
                     all_of(Rest, [](char C) { return isdigit(C); });
    if ((Rest.empty() || OfProcess) && beganSince(It->path(), Since))
      Files.push_back(It->path());
  }
  llvm::sort(Files);
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
  std::string Names = shellPath(Files.front());
  if (Files.size() > 1)
    Names += " " + Names + ".*";
  errs() << formatv("tpctl: {0}, {1}, {2} in {3}; next: tpctl report ",
                    countText(Events, "event"),
                    Lost ? formatv("{0:n} lost", Lost).str() : "none lost",
                    sizeText(Bytes), timeText(Nanoseconds))
         << Names << '\n';
}

void Outcome::tellCopy() const {
  errs() << formatv("tpctl: {0}, {1:n} lost; next: tpctl report {2}\n",
                    countText(Events, "event"), Lost, shellPath(Files.front()));
}

void tellElsewhere(const Connection &C, StringRef Path) {
  note(C.name() + " has files of its own, and has written there: '" + Path +
       "' (while it runs: " + procPath(C.pid(), "root" + Path) + ")");
}

Error checkFolder(StringRef Path) {
  if (std::error_code Code = sys::fs::access(sys::path::parent_path(Path),
                                             sys::fs::AccessMode::Exist))
    return createStringError("cannot record to '" + Path +
                             "': " + Code.message());
  return Error::success();
}

Error checkPlace(const std::string &Path) {
  if (Error E = checkFolder(Path))
    return E;
  std::string Folder = sys::path::parent_path(Path).str();
  if (access(Folder.c_str(), W_OK) != 0)
    return createStringError("nothing was recorded: cannot write in '" +
                             Folder + "': " + strerror(errno));
  // As large as the recorder makes a file at first.
  constexpr uint64_t Least = 1 << 20;
  if (rlimit Most; getrlimit(RLIMIT_FSIZE, &Most) == 0 && Most.rlim_cur < Least)
    return createStringError(
        "nothing was recorded: files may have " + Twine(Most.rlim_cur / 1024) +
        " kB here, which is too little: raise the limit (ulimit -f)");
  auto Space = sys::fs::disk_space(Folder);
  if (Space && Space->available < Least)
    return createStringError("nothing was recorded: no space is left in '" +
                             Folder + "'");
  return Error::success();
}

} // namespace tpctl
