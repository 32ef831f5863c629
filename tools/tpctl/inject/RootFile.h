// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that tpctl makes in the root folder of another process. The file is
// needed if /proc is not mounted there, because a memory file then has no path.
// The destructor removes the file.

#ifndef TPCTL_INJECT_ROOTFILE_H
#define TPCTL_INJECT_ROOTFILE_H

#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <sys/types.h>

namespace tpctl {

/// Whether /proc is mounted in the process's root.
bool hasProc(pid_t Pid);

class RootFile {
public:
  /// Makes a file with these contents, readable by everybody. The error says
  /// why no folder is suitable.
  static llvm::Expected<std::unique_ptr<RootFile>>
  make(pid_t Pid, llvm::StringRef Contents);
  ~RootFile();
  RootFile(const RootFile &) = delete;

  /// The path as the process sees it.
  const std::string &path() const { return Path; }

private:
  RootFile(int Folder, std::string Path)
      : Folder(Folder), Path(std::move(Path)) {}
  int Folder;
  std::string Path;
};

} // namespace tpctl

#endif
