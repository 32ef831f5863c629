// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Installation.h.

#include "Installation.h"

#include "Command.h"
#include "Config.h"
#include "Diagnostics.h"

#include <climits>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace tp;

std::vector<std::string> tp::splitPath(const std::string &Path) {
  std::vector<std::string> Folders;
  for (size_t Begin = 0; Begin <= Path.size();) {
    size_t End = std::min(Path.find(':', Begin), Path.size());
    Folders.push_back(End == Begin ? "." : Path.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  return Folders;
}

bool tp::isExecutable(const std::string &Path) {
  struct stat Status;
  return stat(Path.c_str(), &Status) == 0 && S_ISREG(Status.st_mode) &&
         access(Path.c_str(), X_OK) == 0;
}

std::string tp::realPath(const std::string &Path) {
  char Buffer[PATH_MAX];
  return realpath(Path.c_str(), Buffer) ? Buffer : "";
}

static std::string folderOf(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Path.substr(0, Slash);
}

static std::string ifExists(const std::string &Path) {
  return access(Path.c_str(), R_OK) == 0 ? Path : "";
}

Installation tp::findInstallation() {
  std::string Self = realPath("/proc/self/exe");
  if (Self.empty())
    fail("cannot find the path of this program: /proc is not mounted");
  Installation I;
  I.Root = folderOf(folderOf(Self));
  // If a shim folder holds a copy of the program instead of a link, the copy is
  // in a deeper folder.
  if (baseName(folderOf(Self)) == "as-gcc")
    I.Root = folderOf(I.Root);
  if (baseName(I.Root) == "libexec")
    I.Root = folderOf(I.Root);
  I.LibDir = I.Root + "/lib";
  for (const char *Folder : {"lib", TP_INSTALL_LIBDIR, "lib64"}) {
    std::string LibDir = I.Root + "/" + Folder;
    I.Plugin = ifExists(LibDir + "/libtp.so");
    if (I.Plugin.empty())
      continue;
    I.LibDir = LibDir;
    I.LTOPlugin = ifExists(LibDir + "/libtppass.so");
    if (!ifExists(LibDir + "/tp/include/tprt/tprt.h").empty())
      I.IncludeDir = LibDir + "/tp/include";
    break;
  }
  return I;
}

/// True for this program and for its other names in the same installation.
static bool isOurs(const std::string &Path, const Installation &Own) {
  struct stat Self, Other;
  if (stat("/proc/self/exe", &Self) || stat(Path.c_str(), &Other))
    return false;
  if (Self.st_dev == Other.st_dev && Self.st_ino == Other.st_ino)
    return true;
  std::string Folder = folderOf(realPath(Path));
  return Folder == Own.Root + "/bin" || Folder == Own.Root + "/libexec/tp" ||
         Folder == Own.Root + "/libexec/tp/as-gcc";
}

static std::string findInPath(const std::string &Name,
                              const Installation *NotOf) {
  const char *Path = std::getenv("PATH");
  for (const std::string &Folder : splitPath(Path ? Path : "/usr/bin:/bin")) {
    std::string File = Folder + "/" + Name;
    if (isExecutable(File) && !(NotOf && isOurs(File, *NotOf)))
      return File;
  }
  return "";
}

std::string tp::findInPath(const std::string &Name) {
  return ::findInPath(Name, nullptr);
}

/// \p Origin says in messages where \p Name came from.
static std::string checkClang(const std::string &Name, const char *Origin,
                              const Installation &Own) {
  if (Name.find('/') == std::string::npos) {
    std::string Path = findInPath(Name, &Own);
    if (Path.empty())
      fail("cannot find '" + Name + "' of " + Origin + " in PATH");
    return Path;
  }
  if (!isExecutable(Name))
    fail("cannot run '" + Name + "' of " + Origin +
         ": no such program; set TP_CLANG and TP_CLANGXX to a clang and "
         "clang++");
  if (isOurs(Name, Own))
    fail("'" + Name + "' of " + Origin +
         " is this driver itself; it must name the real clang");
  return Name;
}

static const char *getenvNotEmpty(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value && *Value ? Value : nullptr;
}

RealClang tp::findRealClang(const Installation &Own, bool CPlusPlus) {
  RealClang R;
  R.IsConfigured = false;
  const char *C = getenvNotEmpty("TP_CLANG");
  const char *CXX = getenvNotEmpty("TP_CLANGXX");
  if (CPlusPlus && CXX) {
    R.Path = checkClang(CXX, "TP_CLANGXX", Own);
  } else if (CPlusPlus && C) {
    R.Path = checkClang(C, "TP_CLANG", Own);
    R.FirstArgs.push_back("--driver-mode=g++");
  } else if (!CPlusPlus && C) {
    R.Path = checkClang(C, "TP_CLANG", Own);
  } else {
    R.IsConfigured = true;
    R.Path = checkClang(CPlusPlus ? TP_CONFIGURED_CLANGXX : TP_CONFIGURED_CLANG,
                        "the configuration", Own);
  }
  R.Folder = folderOf(realPath(R.Path));
  return R;
}
