// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that a process writes for tpctl, in the folder that holds the socket of
// the process's control. tpctl finds them even if the process has other mount
// points, or has ended. Once tpctl has read a file, the file is removed.

#ifndef TPCTL_LIVE_REQUESTS_COPIES_H
#define TPCTL_LIVE_REQUESTS_COPIES_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <utility>

namespace tpctl {

class Copies {
public:
  static llvm::Expected<Copies> openFor(pid_t Pid);
  Copies(Copies &&From)
      : Folder(std::move(From.Folder)), At(std::exchange(From.At, -1)),
        Kept(std::move(From.Kept)) {}
  ~Copies();

  /// An unused path that the process can write to.
  std::string newPath();
  /// The same file, as tpctl sees it.
  std::string seen(llvm::StringRef Path) const;
  /// Keeps the file until this object is destroyed. `Path` is as the process
  /// sees it.
  llvm::Error keep(llvm::StringRef Path);
  const std::string &kept() const { return Kept; }
  /// Removes a file; `Path` is as tpctl sees it.
  void remove(llvm::StringRef Path) const;

private:
  Copies(std::string Folder, int At) : Folder(std::move(Folder)), At(At) {}
  void removeLeft() const;
  std::string Folder; ///< as the process sees it
  int At;
  std::string Kept; ///< as tpctl sees it
};

} // namespace tpctl

#endif
