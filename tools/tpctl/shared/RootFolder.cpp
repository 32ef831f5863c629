// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RootFolder.h.

#include "RootFolder.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int tpctl::openFolderIn(const std::string &Root, const std::string &Folder) {
  int Top = open(Root.c_str(), O_PATH | O_CLOEXEC);
  if (Top < 0)
    return -1;
  open_how How{};
  How.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  How.resolve = RESOLVE_IN_ROOT;
  int Found = static_cast<int>(
      syscall(SYS_openat2, Top, Folder.c_str(), &How, sizeof How));
  int Code = errno;
  close(Top);
  errno = Code;
  return Found;
}
