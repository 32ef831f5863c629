// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Copies.h.

#include "Copies.h"

#include "Discovery.h"
#include "shared/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

/// The pid of the requesting tpctl follows this prefix. The name begins with a
/// dot, because a control that removes the sockets of dead processes does not
/// remove such files.
static constexpr StringLiteral Prefix = ".trace-";

Expected<Copies> Copies::openFor(pid_t Pid) {
  auto Socket = findSocket(Pid);
  if (!Socket)
    return Socket.takeError();
  if (!*Socket)
    return createStringError("process " + Twine(Pid) +
                             " no longer has a control");
  auto At = openFolder(**Socket);
  if (!At)
    return At.takeError();
  Copies Made(sys::path::parent_path((*Socket)->Path).str(), *At);
  Made.removeLeft();
  return Made;
}

Copies::~Copies() {
  if (At < 0)
    return;
  if (!Kept.empty())
    remove(Kept);
  close(At);
}

/// Removes the files of killed tpctl processes.
void Copies::removeLeft() const {
  std::error_code Code;
  std::string Here = "/proc/self/fd/" + std::to_string(At);
  for (sys::fs::directory_iterator It(Here, Code), End; It != End && !Code;
       It.increment(Code)) {
    StringRef Name = sys::path::filename(It->path());
    pid_t Pid;
    if (Name.consume_front(Prefix) &&
        to_integer(Name.split('-').first, Pid, 10) && !stateOf(Pid))
      remove(It->path());
  }
}

std::string Copies::newPath() {
  static unsigned Number;
  return (Folder + "/" + Prefix + Twine(getpid()) + "-" + Twine(++Number))
      .str();
}

std::string Copies::seen(StringRef Path) const {
  return ("/proc/self/fd/" + Twine(At) + "/" + sys::path::filename(Path)).str();
}

Error Copies::keep(StringRef Path) {
  Kept = seen(Path);
  if (access(Kept.c_str(), R_OK) == 0)
    return Error::success();
  return createStringError(
      "'" + Path +
      "', which the process has made, cannot be read: " + strerror(errno));
}

void Copies::remove(StringRef Path) const {
  unlinkat(At, sys::path::filename(Path).str().c_str(), 0);
}

} // namespace tpctl
