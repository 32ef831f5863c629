// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Installation.h.

#include "Installation.h"

#include "Command.h"
#include "Config.h"
#include "Diagnostics.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <sys/wait.h>
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

/// The number that \p Text begins with, or 0.
static unsigned numberAt(const char *Text) {
  unsigned Number = 0;
  for (; std::isdigit(static_cast<unsigned char>(*Text)); ++Text)
    Number = Number * 10 + static_cast<unsigned>(*Text - '0');
  return Number;
}

static std::string pluginFolder(const std::string &LibDir, unsigned Major) {
  return LibDir + "/tp/llvm-" + std::to_string(Major);
}

static std::vector<unsigned> findMajors(const std::string &LibDir) {
  std::vector<unsigned> Majors;
  static const char Prefix[] = "llvm-";
  if (DIR *Folder = opendir((LibDir + "/tp").c_str())) {
    while (const dirent *Entry = readdir(Folder))
      if (startsWith(Entry->d_name, Prefix)) {
        unsigned Major = numberAt(Entry->d_name + std::strlen(Prefix));
        if (!ifExists(pluginFolder(LibDir, Major) + "/libtp.so").empty())
          Majors.push_back(Major);
      }
    closedir(Folder);
  }
  std::sort(Majors.begin(), Majors.end(), std::greater<unsigned>());
  return Majors;
}

std::string tp::passPluginFor(const Installation &Own, unsigned Major) {
  return ifExists(pluginFolder(Own.LibDir, Major) + "/libtppass.so");
}

std::string tp::namesOfMajors(const Installation &Own) {
  std::string Names = "clang ";
  for (size_t I = 0; I != Own.Majors.size(); ++I) {
    if (I)
      Names += I + 1 == Own.Majors.size() ? " and " : ", ";
    Names += std::to_string(Own.Majors[I]);
  }
  return Names;
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
    I.Majors = findMajors(LibDir);
    if (I.Majors.empty())
      continue;
    I.LibDir = LibDir;
    I.Plugin = pluginFolder(LibDir, I.Majors[0]) + "/libtp.so";
    I.PassPlugin = passPluginFor(I, I.Majors[0]);
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

/// The clang, or clang++, of that version. Empty if it is not installed.
static std::string findClangOf(unsigned Major, const Installation &Own,
                               bool CPlusPlus) {
  const char *Name = CPlusPlus ? "clang++" : "clang";
  const std::string Number = std::to_string(Major);
  std::string Path = "/usr/lib/llvm-" + Number + "/bin/" + Name;
  return isExecutable(Path) ? Path : findInPath(Name + ("-" + Number), &Own);
}

/// The newest clang, or clang++, for which there is a plugin. Empty if there is
/// none.
static std::string findNewestClang(const Installation &Own, bool CPlusPlus) {
  for (unsigned Major : Own.Majors)
    if (std::string Path = findClangOf(Major, Own, CPlusPlus); !Path.empty())
      return Path;
  return "";
}

/// Sets the compiler to the configured one, if there is a plugin for it, or to
/// the newest one that has a plugin.
static void takeConfigured(RealClang &R, const Installation &Own,
                           bool CPlusPlus) {
  const char *Path = CPlusPlus ? TP_CONFIGURED_CLANGXX : TP_CONFIGURED_CLANG;
  const bool HasPlugin =
      Own.Majors.empty() || std::count(Own.Majors.begin(), Own.Majors.end(),
                                       unsigned(TP_CONFIGURED_MAJOR));
  R.IsConfigured = HasPlugin && isExecutable(Path);
  R.Path = R.IsConfigured ? "" : findNewestClang(Own, CPlusPlus);
  if (R.Path.empty())
    R.Path = checkClang(Path, "the configuration", Own);
}

/// The 19 of tp-clang-19, or 0.
static unsigned majorOfName(const std::string &Name) {
  size_t At = Name.rfind('-');
  return At == std::string::npos ? 0 : numberAt(Name.c_str() + At + 1);
}

std::string tp::findLLVMTool(const RealClang &Clang, const std::string &Name) {
  std::string Path = Clang.Folder + "/" + Name;
  if (isExecutable(Path))
    return Path;
  const std::string Major = std::to_string(
      Clang.IsConfigured ? TP_CONFIGURED_MAJOR
                         : majorOf(Clang.Path, "-dumpversion", ""));
  for (const std::string &Known : {Name + "-" + Major, Name})
    if (Path = findInPath(Known); !Path.empty())
      return Path;
  fail("there is no '" + Name + "' in '" + Clang.Folder + "', and neither '" +
       Name + "-" + Major + "' nor '" + Name +
       "' in PATH: install LLVM's tools (Debian: llvm-" + Major + ")");
}

RealClang tp::findRealClang(const Installation &Own, const std::string &Name,
                            const std::string &Chosen) {
  RealClang R;
  R.IsConfigured = false;
  const bool CPlusPlus = Name.find("++") != std::string::npos;
  const char *C = getenvNotEmpty("TP_CLANG");
  const char *CXX = getenvNotEmpty("TP_CLANGXX");
  bool IsC = false; // the program compiles C unless it is told otherwise
  if (!Chosen.empty()) {
    R.Path = checkClang(Chosen, "--tp-clang", Own);
    IsC = baseName(Chosen).find("++") == std::string::npos;
  } else if (unsigned Major = majorOfName(Name)) {
    R.Path = findClangOf(Major, Own, CPlusPlus);
    if (R.Path.empty())
      fail("clang " + std::to_string(Major) +
           " is not installed: there is no '" +
           (CPlusPlus ? "clang++-" : "clang-") + std::to_string(Major) +
           "' in PATH; --tp-clang names it elsewhere");
  } else if (CPlusPlus && CXX) {
    R.Path = checkClang(CXX, "TP_CLANGXX", Own);
  } else if (C) {
    R.Path = checkClang(C, "TP_CLANG", Own);
    IsC = true;
  } else {
    takeConfigured(R, Own, CPlusPlus);
  }
  if (CPlusPlus && IsC)
    R.FirstArgs.push_back("--driver-mode=g++");
  R.Folder = folderOf(realPath(R.Path));
  return R;
}

/// The first kilobytes that the program prints, without its complaints.
static std::string outputOf(const std::string &Path, const char *Option) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC))
    return "";
  pid_t Child = fork();
  if (Child == 0) {
    dup2(Ends[1], STDOUT_FILENO);
    if (int Null = open("/dev/null", O_WRONLY); Null >= 0)
      dup2(Null, STDERR_FILENO);
    execl(Path.c_str(), Path.c_str(), Option, static_cast<char *>(nullptr));
    _exit(127);
  }
  close(Ends[1]);
  std::string Text;
  char Buffer[4096];
  ssize_t N;
  while (Child > 0 && (N = read(Ends[0], Buffer, sizeof(Buffer))) > 0)
    Text.append(Buffer, static_cast<size_t>(N));
  close(Ends[0]);
  int Status = -1;
  if (Child > 0)
    waitpid(Child, &Status, 0);
  return Status == 0 ? Text : "";
}

/// The N of .../llvm-N/bin/NAME, where distributions have each version.
static unsigned majorOfFolder(const std::string &Real) {
  static const char Prefix[] = "/llvm-";
  size_t At = Real.rfind(Prefix);
  if (At == std::string::npos)
    return 0;
  unsigned Major = numberAt(Real.c_str() + At + std::strlen(Prefix));
  std::string Folder = Real.substr(0, At) + Prefix + std::to_string(Major);
  return startsWith(Real, (Folder + "/bin/").c_str()) ? Major : 0;
}

unsigned tp::majorOf(const std::string &Path, const char *Option,
                     const char *Before) {
  const std::string Real = realPath(Path);
  if (unsigned Major = majorOfFolder(Real))
    return Major;
  const std::string Text = outputOf(Path, Option);
  size_t At = Text.find(Before);
  if (At == std::string::npos)
    return 0;
  const char *Version = Text.c_str() + At + std::strlen(Before);
  unsigned Major = numberAt(Version);
  // Not the version of GCC, which prints only the major.
  return startsWith(Version, (std::to_string(Major) + ".").c_str()) ? Major : 0;
}

void tp::choosePlugins(Installation &Own, const RealClang &Clang) {
  unsigned Major = Clang.IsConfigured ? TP_CONFIGURED_MAJOR
                                      : majorOf(Clang.Path, "-dumpversion", "");
  if (!Major || Own.Majors.empty())
    return;
  std::string Folder = pluginFolder(Own.LibDir, Major);
  if (ifExists(Folder + "/libtp.so").empty())
    fail("'" + Clang.Path + "' is clang " + std::to_string(Major) +
         ", but tp in '" + Own.LibDir + "' is for " + namesOfMajors(Own) +
         ": set TP_CLANG and TP_CLANGXX to one of these, or give --tp-clang");
  Own.Plugin = Folder + "/libtp.so";
  Own.PassPlugin = ifExists(Folder + "/libtppass.so");
}
