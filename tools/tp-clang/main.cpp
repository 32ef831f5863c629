// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tp-clang and tp-clang++: clang with the tp plugin. The driver rewrites the
// command line and then becomes the real clang; no other process remains. The
// driver is also installed in two folders that users can put first in PATH. In
// one folder, its names are clang and clang++. In the other, its names are also
// gcc, g++, cc and c++. As with clang, the driver's name decides whether it
// compiles C or C++, and tp-clang-19 runs clang 19.

#include "Command.h"
#include "Config.h"
#include "Diagnostics.h"
#include "Execute.h"
#include "Installation.h"
#include "ResponseFile.h"
#include "Rewrite.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace tp;

// docs/reference/flags.md explains the keys; lit-tests/Tool/help.test compares
// them with the plugin's own list.
static const char Help[] = R"(tp-clang, tp-clang++ (tp )" TP_VERSION R"()
Run clang with patchable sleds. All arguments are clang's, and these:

  -ftp-entry=N[,M]        N nops at function entry, M of them before its label;
                          2,0 is what most programs want
  -ftp-exit               a sled before each return and tail call
  -ftp-slot=auto|none     auto: sleds of 2 to 4 bytes get room for a jump before
                          the label (the default); none: they do not
  -ftp-filter=FILE        a list of functions and files with the sections
                          [always] and [never]
  -ftp-instruction-threshold=K
                          no sled in loop-free functions with fewer machine
                          instructions
  -ftp-opaque             hide functions with sleds from their callers'
                          optimisation, so that handlers may change arguments
                          and results, and see all of them
  -ftp-names              keep the names of functions with sleds in stripped
                          files
  -ftp-help               the plugin's own list of these keys
  -fplugin-arg-tp-KEY[=VALUE]
                          the same as -ftp-KEY[=VALUE]; clang's spelling
  -fplugin=libtp.so       found next to this driver; added if it is not given
  --tp-clang=PATH         the clang to run, instead of that of TP_CLANG;
                          tp-clang-19 runs clang 19
  --tp-help               this text
  --help                  this text, then clang's options

The folder of tprt/tprt.h is searched after the folders that you name. A link gets
libtprt with its folder as search and run path (an executable also tprt_near.o, so
that it calls handlers directly), -z start-stop-gc for GNU ld, and the pass plugin
for link-time optimisation. Add -### to see what is run.

Environment:
  TP_CLANG, TP_CLANGXX    the clang and clang++ to run, instead of
                          )" TP_CONFIGURED_CLANG R"(
)";

/// Takes --tp-clang=PATH out of \p Args. Returns PATH, or "".
static std::string takeChosenClang(std::vector<std::string> &Args) {
  static const char Option[] = "--tp-clang=";
  std::string Path;
  for (auto A = Args.begin(); A != Args.end() && *A != "--";)
    if (startsWith(*A, Option)) {
      Path = A->substr(sizeof(Option) - 1);
      if (Path.empty())
        fail("no path in '--tp-clang=': expected that of a clang");
      A = Args.erase(A);
    } else {
      ++A;
    }
  return Path;
}

static bool contains(const std::vector<std::string> &Args, const char *Arg) {
  return std::find(Args.begin(), Args.end(), Arg) != Args.end();
}

int main(int Argc, char **Argv) {
  std::string Name = baseName(Argc > 0 ? Argv[0] : "tp-clang");
  setProgramName(Name);
  std::vector<std::string> UserArgs(Argv + (Argc > 0), Argv + Argc);
  // CMake takes "tp-" for the prefix of a whole set of tools. Without these
  // two, it offers no link-time optimisation.
  if (Name == "tp-llvm-ar" || Name == "tp-llvm-ranlib")
    execute(findLLVMTool(findRealClang(findInstallation(), "", ""),
                         Name.substr(sizeof("tp-") - 1)),
            UserArgs);
  if (UserArgs.size() == 1 && UserArgs[0] == "--tp-help") {
    std::fputs(Help, stdout);
    return 0;
  }

  if (contains(UserArgs, "--help") || contains(UserArgs, "-help")) {
    std::printf("%s\nclang's own:\n\n", Help);
    std::fflush(stdout);
  }

  // The plugin prints the output. clang loads plugins only if there is a file
  // to compile.
  if (contains(UserArgs, "-ftp-help"))
    UserArgs = {"-ftp-help", "-fsyntax-only", "-x", "c", "/dev/null"};

  std::string Chosen = takeChosenClang(UserArgs);
  Installation Own = findInstallation();
  RealClang Clang = findRealClang(Own, Name, Chosen);

  std::vector<Argument> Args = readArguments(UserArgs);
  std::vector<std::string> Scanned;
  for (const Argument &A : Args) {
    if (A.Contents.empty())
      Scanned.push_back(A.Text);
    else
      Scanned.insert(Scanned.end(), A.Contents.begin(), A.Contents.end());
  }
  Command C = readCommand(Scanned);
  if (C.IsInternal)
    execute(Clang.Path, UserArgs);
  if (C.HasInput)
    choosePlugins(Own, Clang);
  execute(Clang.Path, rewriteArguments(Args, C, Own, Clang));
}
