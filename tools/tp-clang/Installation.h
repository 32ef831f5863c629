// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the real clang, and this driver's own files. The files are located
// relative to the running program, so a build folder or an installation may be
// moved.
#ifndef TP_CLANG_INSTALLATION_H
#define TP_CLANG_INSTALLATION_H

#include <string>
#include <vector>

namespace tp {

/// Files of this program's build folder or installation.
struct Installation {
  std::string Root;      // holds bin and libexec
  std::string LibDir;    // holds the libraries
  std::string Plugin;    // libtp.so, empty if missing
  std::string LTOPlugin; // libtppass.so, empty if missing
  /// The folder that holds tprt/tprt.h and nothing else, empty if missing. The
  /// include folder of the prefix may hold headers of other packages, which the
  /// driver must not add to a command.
  std::string IncludeDir;
};

Installation findInstallation();

/// The compiler to run, and the arguments to put before all others.
struct RealClang {
  std::string Path;
  std::string Folder; // of the program itself, with links followed
  bool IsConfigured;  // not chosen by the environment
  std::vector<std::string> FirstArgs;
};

/// The compiler of TP_CLANG or TP_CLANGXX if one is set, otherwise the
/// configured compiler. It is never a copy of this program. If there is no
/// compiler, prints a message and ends the program.
RealClang findRealClang(const Installation &Own, bool CPlusPlus);

std::vector<std::string> splitPath(const std::string &Path);
bool isExecutable(const std::string &Path);
/// The absolute path with all links followed, or "" if there is no such file.
std::string realPath(const std::string &Path);
/// The first executable of that name in PATH, or "".
std::string findInPath(const std::string &Name);

} // namespace tp

#endif
