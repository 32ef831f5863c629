// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inlining.h.

#include "Inlining.h"

#include "Inlined.h"
#include "NameGlob.h"
#include "names/match.h"
#include "names/path_glob.h"
#include "shared/Mappings.h"
#include "shared/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace tpctl {
namespace {

/// The files with code that the process has mapped, each once.
std::vector<std::string> filesWithCode(pid_t Pid) {
  std::vector<std::string> Files;
  for (const Mapping &M : mappingsOf(Pid))
    if (M.IsCode && !M.Path.empty() && !is_contained(Files, M.Path))
      Files.push_back(M.Path);
  return Files;
}

/// The first call that is found, for one pattern.
std::optional<tp::trace::InlinedCall>
findCall(pid_t Pid, ArrayRef<std::string> Files, const std::string &Pattern) {
  std::string Module, Function = Pattern;
  if (const char *Bang = tprt::splitAtModule(Pattern.c_str())) {
    Module = Pattern.substr(0, Bang - Pattern.c_str());
    Function = Bang + 1;
  }
  auto Name = tp::trace::NameGlob::create(Function);
  if (!Name) {
    consumeError(Name.takeError());
    return std::nullopt;
  }
  for (const std::string &File : Files)
    if (Module.empty() || tprt::globMatchesPath(Module.c_str(), File.c_str()))
      if (auto Call =
              tp::trace::findInlined(procPath(Pid, "root" + File), *Name))
        return Call;
  return std::nullopt;
}

std::string sentence(const tp::trace::InlinedCall &Call) {
  std::string Text = ": " + Call.Function + " is inlined into " +
                     (Call.Caller.empty() ? "a function" : Call.Caller);
  if (Call.Line && !Call.File.empty())
    Text +=
        " at " + sys::path::filename(Call.File).str() + ":" + utostr(Call.Line);
  if (Call.Others)
    Text += Call.Others == 1
                ? ", and at another place"
                : ", and at " + utostr(Call.Others) + " other places";
  return Text + "; the attribute noinline keeps it a function";
}

std::string search(pid_t Pid, ArrayRef<std::string> Patterns) {
  const std::vector<std::string> Files = filesWithCode(Pid);
  for (const std::string &Pattern : Patterns)
    if (!Pattern.empty() && Pattern[0] != '!' && Pattern != "*")
      if (auto Call = findCall(Pid, Files, Pattern))
        return sentence(*Call);
  return "";
}

/// The child of searchApart(). LLVM's parser of debug information trusts a
/// damaged file in places, and parses some 50 MB a second.
[[noreturn]] void searchInChild(pid_t Pid, ArrayRef<std::string> Patterns,
                                int To) {
  constexpr unsigned Seconds = 3;
  constexpr rlimit NoDump = {0, 0}, Memory = {rlim_t(4) << 30, rlim_t(4) << 30};
  setrlimit(RLIMIT_CORE, &NoDump);
  setrlimit(RLIMIT_AS, &Memory);
  for (int Signal : {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE,
                     SIGINT, SIGTERM, SIGHUP})
    signal(Signal, SIG_DFL);
  alarm(Seconds);
  if (int Null = open("/dev/null", O_WRONLY); Null >= 0)
    dup2(Null, STDERR_FILENO);
  const std::string Text = search(Pid, Patterns);
  const bool Written =
      write(To, Text.data(), Text.size()) == static_cast<ssize_t>(Text.size());
  _exit(!Written);
}

/// The search in a process of its own, which ends after some seconds. Returns
/// the sentence, or "" if nothing was found.
std::string searchApart(pid_t Pid, ArrayRef<std::string> Patterns) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return "";
  const pid_t Child = fork();
  if (Child == 0)
    searchInChild(Pid, Patterns, Ends[1]);
  close(Ends[1]);
  std::string Text;
  char Buffer[1024];
  while (Child > 0) {
    ssize_t Got = read(Ends[0], Buffer, sizeof(Buffer));
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      break;
    Text.append(Buffer, static_cast<size_t>(Got));
  }
  close(Ends[0]);
  int Status = -1;
  while (Child > 0 && waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
  }
  return Status == 0 ? Text : "";
}

} // namespace

std::string withInlining(pid_t Pid, ArrayRef<std::string> Patterns,
                         std::string Why) {
  constexpr StringLiteral Begin = " (names are those that nm shows",
                          End = "IFUNC?)";
  size_t At = Why.find(Begin.str()), Last = Why.find(End.str(), At);
  if (At == std::string::npos || Last == std::string::npos)
    return Why;
  const std::string Found = searchApart(Pid, Patterns);
  return Found.empty() ? Why : Why.replace(At, Last + End.size() - At, Found);
}

} // namespace tpctl
