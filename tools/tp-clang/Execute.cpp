// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Execute.h.

#include "Execute.h"

#include "Diagnostics.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tp;

/// Ends this program if it starts itself again and again. A wrapper such as
/// ccache may look up clang in PATH and find the shim, and the shim runs the
/// wrapper again. Each level adds one to a counter in the environment. The
/// wrapper passes the environment on. A few levels are normal, for example if a
/// user's script calls the driver.
static void checkDepth(const std::string &Path) {
  static const char Variable[] = "TP_CLANG_DEPTH";
  static constexpr int MaxDepth = 8;
  const char *Text = std::getenv(Variable);
  int Depth = Text ? std::atoi(Text) : 0;
  if (Depth >= MaxDepth)
    fail("'" + Path +
         "' keeps calling this driver: it finds the shim folder in PATH; set "
         "TP_CLANG and TP_CLANGXX to the real compilers");
  setenv(Variable, std::to_string(Depth + 1).c_str(), 1);
}

static void run(const std::string &Path, const std::vector<std::string> &Args) {
  std::vector<char *> Argv = {const_cast<char *>(Path.c_str())};
  for (const std::string &A : Args)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  execv(Path.c_str(), Argv.data());
}

/// Makes a response file in memory. The file exists as long as the process,
/// even after the process has become clang.
static std::string makeResponseFile(const std::vector<std::string> &Args) {
  std::string Text;
  for (const std::string &A : Args) {
    Text += '"';
    for (char C : A) {
      if (C == '"' || C == '\\')
        Text += '\\';
      Text += C;
    }
    Text += "\"\n";
  }
  int File = memfd_create("tp-clang-arguments", 0);
  if (File < 0)
    return "";
  for (size_t Done = 0; Done < Text.size();) {
    ssize_t N = write(File, Text.data() + Done, Text.size() - Done);
    if (N <= 0)
      return "";
    Done += static_cast<size_t>(N);
  }
  return "@/proc/self/fd/" + std::to_string(File);
}

void tp::execute(const std::string &Path,
                 const std::vector<std::string> &Args) {
  checkDepth(Path);
  run(Path, Args);
  if (errno == E2BIG) // after an expanded response file
    if (std::string File = makeResponseFile(Args); !File.empty())
      run(Path, {File});
  fail("cannot run '" + Path + "': " + std::strerror(errno));
}
