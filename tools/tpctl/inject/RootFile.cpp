// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RootFile.h. Symbolic links in the process's root are followed only inside
// that root. The process may have made such a link, and tpctl may run as root.

#include "RootFile.h"

#include "shared/Processes.h"
#include "shared/RootFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

bool writeAll(int File, StringRef Left) {
  ssize_t Written = 1;
  while (!Left.empty() && (Written = write(File, Left.data(), Left.size())) > 0)
    Left = Left.drop_front(static_cast<size_t>(Written));
  return Left.empty();
}

/// Whether code may be mapped from the folder's files.
bool mayExecute(int File) {
  struct statvfs Status;
  return fstatvfs(File, &Status) == 0 && !(Status.f_flag & ST_NOEXEC);
}

bool fill(int Folder, const std::string &Name, StringRef Contents) {
  int File = openat(Folder, Name.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (File < 0)
    return false;
  bool Done = mayExecute(File)
                  ? writeAll(File, Contents) && fchmod(File, 0444) == 0
                  : (errno = EACCES, false);
  int Code = errno;
  close(File);
  if (!Done)
    unlinkat(Folder, Name.c_str(), 0);
  errno = Code;
  return Done;
}

std::string rootOf(pid_t Pid) { return procPath(Pid, "root"); }

} // namespace

bool hasProc(pid_t Pid) {
  struct statfs Status;
  return statfs((rootOf(Pid) + "/proc").c_str(), &Status) == 0 &&
         Status.f_type == PROC_SUPER_MAGIC;
}

Expected<std::unique_ptr<RootFile>> RootFile::make(pid_t Pid,
                                                   StringRef Contents) {
  uint64_t Random = 0;
  getrandom(&Random, sizeof Random, 0);
  std::string Name = ".tprt-" + utohexstr(Random) + ".so";
  int Code = ENOENT;
  for (const char *Where : {"/tmp", "/dev/shm", "/run", "/var/tmp", "/"}) {
    int Folder = openFolderIn(rootOf(Pid), Where);
    if (Folder >= 0 && fill(Folder, Name, Contents)) {
      SmallString<64> Path(Where);
      sys::path::append(Path, Name);
      return std::unique_ptr<RootFile>(new RootFile(Folder, std::string(Path)));
    }
    Code = Folder < 0 && errno == ENOENT ? Code : errno;
    if (Folder >= 0)
      close(Folder);
  }
  return createStringError(
      "process " + Twine(Pid) +
      " has no /proc in its root, and no folder of that root can hold a file "
      "for "
      "libtprt: " +
      strerror(Code) +
      ": mount /proc there, or start the program by tpctl VERB ... -- COMMAND");
}

RootFile::~RootFile() {
  unlinkat(Folder, sys::path::filename(Path).str().c_str(), 0);
  close(Folder);
}

} // namespace tpctl
