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
  std::string Root;   // holds bin and libexec
  std::string LibDir; // holds the libraries
  /// The majors of clang for which there is a libtp.so, from the newest.
  std::vector<unsigned> Majors;
  std::string Plugin;     // libtp.so, empty if there is none for any major
  std::string PassPlugin; // libtppass.so, empty if missing
  /// The folder that holds tprt/tprt.h and nothing else, empty if missing. The
  /// include folder of the prefix may hold headers of other packages, which the
  /// driver must not add to a command.
  std::string IncludeDir;
};

/// The plugins are those of the newest major.
Installation findInstallation();

/// The libtppass.so for LLVM \p Major, empty if missing.
std::string passPluginFor(const Installation &Own, unsigned Major);

/// "clang 22, 19 and 16".
std::string namesOfMajors(const Installation &Own);

/// The compiler to run, and the arguments to put before all others.
struct RealClang {
  std::string Path;
  std::string Folder; // of the program itself, with links followed
  bool IsConfigured;  // not chosen by the user
  std::vector<std::string> FirstArgs;
};

/// The compiler to run if this program's name is \p Name. The first of these
/// that is given: \p Chosen, the value of --tp-clang; the version in a name
/// such as tp-clang-19; that of TP_CLANG or TP_CLANGXX; the configured
/// compiler, if it is installed and has a plugin; the newest one that has a
/// plugin. It is never a copy of this program. If there is no compiler, prints
/// a message and ends the program.
RealClang findRealClang(const Installation &Own, const std::string &Name,
                        const std::string &Chosen);

/// The path of LLVM's tool \p Name, such as llvm-ar, of the version of \p
/// Clang: beside it, or in PATH. If there is none, prints a message and ends
/// the program.
std::string findLLVMTool(const RealClang &Clang, const std::string &Name);

/// Makes \p Own's plugins those for the major version of \p Clang. If the
/// version is unknown, they stay those of the newest major. If there are none
/// for the version, prints a message and ends the program.
void choosePlugins(Installation &Own, const RealClang &Clang);

/// The major version of a clang or lld: that of its folder, such as
/// /usr/lib/llvm-19/bin, with links followed. In other folders, the version
/// that the program prints for \p Option, after \p Before. 0 if it prints none.
unsigned majorOf(const std::string &Path, const char *Option,
                 const char *Before);

std::vector<std::string> splitPath(const std::string &Path);
bool isExecutable(const std::string &Path);
/// The absolute path with all links followed, or "" if there is no such file.
std::string realPath(const std::string &Path);
/// The first executable of that name in PATH, or "".
std::string findInPath(const std::string &Name);

} // namespace tp

#endif
