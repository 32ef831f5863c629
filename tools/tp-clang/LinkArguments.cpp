// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LinkArguments.h.

#include "LinkArguments.h"

#include "Command.h"
#include "Config.h"
#include "Diagnostics.h"
#include "Installation.h"
#include "Linker.h"

#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

using namespace tp;

using Strings = std::vector<std::string>;

static std::string targetArch(const Command &C) {
  if (C.ThirtyTwoBit)
    return "a 32-bit target";
  if (C.Target.empty())
    return TP_HOST_ARCH;
  std::string Arch = C.Target.substr(0, C.Target.find('-'));
  if (Arch == "amd64")
    Arch = "x86_64";
  if (Arch == "arm64")
    Arch = "aarch64";
  return C.Target.find("linux") == std::string::npos ||
                 C.Target.find("android") != std::string::npos
             ? C.Target
             : Arch;
}

static bool isSystemFolder(const std::string &Folder) {
  return Folder == "/lib" || Folder == "/usr/lib" ||
         startsWith(Folder, "/usr/lib/") || startsWith(Folder, "/lib/");
}

/// The folder of the runtime for the command's target. Empty if there is none.
static std::string runtimeFolder(const Command &C, const Installation &Own) {
  std::string Arch = targetArch(C);
  if (Arch == TP_HOST_ARCH)
    return Own.LibDir;
  // Runtimes for other processors are in folders named after them.
  std::string Folder = Own.LibDir + "/tp/" + Arch;
  struct stat Status;
  if (stat(Folder.c_str(), &Status) == 0)
    return Folder;
  if (C.NamesRuntime)
    warn("there is no libtprt for " + Arch + " in this installation");
  return "";
}

/// The linker options before -ltprt. A program is linked to libtprt even if it
/// calls no function of libtprt, so that TPRT_OPTIONS works. From libtprt.a, a
/// program gets every object, because nothing refers to the object that reads
/// TPRT_OPTIONS. A shared library is linked to libtprt only if it calls a
/// function of libtprt.
static const char *optionsForRuntime(const Command &C) {
  if (C.Static)
    return "-Wl,--push-state,--whole-archive";
  return C.Shared ? "-Wl,--push-state,--as-needed"
                  : "-Wl,--push-state,--no-as-needed";
}

static void addRuntime(const Command &C, const Installation &Own,
                       Strings &Args) {
  if (C.Relocatable || C.NoDefaultLibs)
    return;
  std::string LibDir = runtimeFolder(C, Own);
  if (LibDir.empty())
    return;
  Args.push_back("-L" + LibDir);
  if (!C.Static && !isSystemFolder(LibDir))
    Args.push_back("-Wl,-rpath," + LibDir);
  // An executable gets its own copy of the trampolines, within reach of its
  // stubs. If libtprt is an archive, the archive contains trampolines already,
  // perhaps of another version. The trampolines' file is passed by -Xlinker.
  // Otherwise, an option -x would apply to the file.
  if (std::string Near = LibDir + "/tprt_near.o";
      !C.Static && !C.Shared && !C.NamesArchive &&
      access(Near.c_str(), F_OK) == 0)
    Args.insert(Args.end(), {"-Xlinker", Near});
  if (C.NamesRuntime)
    return;
  // --push-state and --pop-state keep the user's state of --as-needed and
  // --whole-archive.
  Args.insert(Args.end(), {optionsForRuntime(C), "-ltprt", "-Wl,--pop-state"});
}

/// The pass plugin that the lld at \p Path can load. lld may be of another
/// major than clang. If lld's is unknown, it is taken for clang's.
static std::string passForLLD(const Installation &Own,
                              const std::string &Path) {
  unsigned Major = Path.empty() ? 0 : majorOf(Path, "--version", "LLD ");
  if (!Major || Own.Majors.empty())
    return Own.PassPlugin;
  std::string Pass = passPluginFor(Own, Major);
  if (Pass.empty())
    fail("'" + Path + "' is lld " + std::to_string(Major) + ", but tp in '" +
         Own.LibDir + "' has passes for " + namesOfMajors(Own) +
         ": --ld-path=PATH chooses the lld for link-time optimisation");
  return Pass;
}

static void addLTO(const Command &C, const Installation &Own,
                   const RealClang &Clang, Linker L, Strings &Args) {
  if (L != Linker::LLD)
    fail("link-time optimisation needs lld, the only linker that can load the "
         "pass that places sleds, but this command runs " +
         std::string(linkerName(L)) + ": add -fuse-ld=lld, or leave out -flto");
  const std::string Path = findLLD(C, Clang.Folder);
  const std::string Pass = passForLLD(Own, Path);
  if (Pass.empty())
    fail("cannot find libtppass.so in '" + Own.LibDir +
         "': link-time optimisation needs it");
  Args.push_back("-Wl,--load-pass-plugin=" + Pass);
  // Before 18, clang searches the folder of the link by which it was called
  // (/usr/bin) before its own, and may find the lld of another version there.
  bool IsNamed = !C.LdPath.empty() || C.UseLd.find('/') != std::string::npos;
  if (!Clang.IsConfigured && !IsNamed && !Path.empty())
    Args.push_back("--ld-path=" + Path);
}

Strings tp::linkArguments(const Command &C, const Installation &Own,
                          const RealClang &Clang) {
  if (!C.links())
    return {};
  std::string DefaultName = "ld";
  if (Clang.IsConfigured && TP_CONFIGURED_LINKER[0])
    DefaultName = TP_CONFIGURED_LINKER;
  Linker L = findLinker(C, Clang.Folder, DefaultName);

  Strings Args = {"--start-no-unused-arguments"};
  // If a command asks for link-time optimisation and names no linker, it gets
  // the linker that can do it. CMake runs such a command as a test. If the
  // command fails, CMake turns off link-time optimisation.
  if (C.LTO && L != Linker::LLD && C.UseLd.empty() && C.LdPath.empty() &&
      !findLLD(C, Clang.Folder).empty()) {
    Args.push_back("-fuse-ld=lld");
    L = Linker::LLD;
  }
  if (C.LTO)
    addLTO(C, Own, Clang, L, Args);
  if (C.Relocatable && (L == Linker::Gold || L == Linker::Mold))
    warn(std::string(linkerName(L)) +
         " -r merges sled tables of different functions, which the final link "
         "then keeps or drops together: use GNU ld or lld");
  if (L == Linker::GNU)
    Args.push_back(C.Relocatable ? "-Wl,--unique=tp_sleds,--unique=tp_names"
                                 : "-Wl,-z,start-stop-gc");
  addRuntime(C, Own, Args);
  Args.push_back("--end-no-unused-arguments");
  return Args.size() > 2 ? Args : Strings();
}

/// A short text that differs between builds of the pass.
static std::string passIdentity(const Installation &Own) {
  struct stat Status;
  char Text[64] = "none";
  if (stat(Own.PassPlugin.c_str(), &Status) == 0)
    std::snprintf(Text, sizeof(Text), "%llx-%llx",
                  static_cast<unsigned long long>(Status.st_mtime),
                  static_cast<unsigned long long>(Status.st_size));
  return Text;
}

std::string tp::separateCacheFolder(const std::string &Arg,
                                    const Installation &Own) {
  static const char Name[] = "-thinlto-cache-dir=";
  size_t Begin = Arg.find(Name);
  if (Begin == std::string::npos)
    return Arg;
  size_t End = Arg.find(',', Begin);
  if (End == std::string::npos || !startsWith(Arg, "-Wl,"))
    End = Arg.size();
  return Arg.substr(0, End) + "/tp-" TP_VERSION "-" + passIdentity(Own) +
         Arg.substr(End);
}
