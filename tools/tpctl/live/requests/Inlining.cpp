// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inlining.h.

#include "Inlining.h"

#include "Inlined.h"
#include "NameGlob.h"
#include "names/match.h"
#include "names/path_glob.h"
#include "shared/Processes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <vector>

using namespace llvm;

namespace tpctl {
namespace {

/// The files with code that the process has mapped, each once.
std::vector<std::string> filesWithCode(pid_t Pid) {
  std::vector<std::string> Files;
  auto Maps = MemoryBuffer::getFileAsStream(procPath(Pid, "maps"));
  if (!Maps)
    return Files;
  SmallVector<StringRef> Lines;
  (*Maps)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    // address rights offset device inode path (proc_pid_maps(5))
    StringRef Rights = Line.split(' ').second.take_front(4);
    size_t Path = Line.find('/');
    if (Rights.contains('x') && Path != StringRef::npos &&
        !is_contained(Files, Line.drop_front(Path)))
      Files.push_back(Line.drop_front(Path).str());
  }
  return Files;
}

/// The first call that is found, for one pattern.
std::optional<tp::trace::InlinedCall>
findCall(pid_t Pid, ArrayRef<std::string> Files, const std::string &Pattern,
         std::chrono::steady_clock::time_point Until) {
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
      if (auto Call = tp::trace::findInlined(procPath(Pid, "root" + File),
                                             *Name, Until))
        return Call;
  return std::nullopt;
}

} // namespace

std::string withInlining(pid_t Pid, ArrayRef<std::string> Patterns,
                         std::string Why) {
  constexpr StringLiteral Begin = " (names are those that nm shows",
                          End = "IFUNC?)";
  size_t At = Why.find(Begin.str()), Last = Why.find(End.str(), At);
  if (At == std::string::npos || Last == std::string::npos)
    return Why;
  // Debug information is parsed at some 50 MB a second.
  constexpr std::chrono::seconds Limit(3);
  const auto Until = std::chrono::steady_clock::now() + Limit;
  const std::vector<std::string> Files = filesWithCode(Pid);
  for (const std::string &Pattern : Patterns) {
    if (Pattern.empty() || Pattern[0] == '!' || Pattern == "*")
      continue;
    auto Call = findCall(Pid, Files, Pattern, Until);
    if (!Call)
      continue;
    std::string Text = ": " + Call->Function + " is inlined into " +
                       (Call->Caller.empty() ? "a function" : Call->Caller);
    if (Call->Line && !Call->File.empty())
      Text += " at " + sys::path::filename(Call->File).str() + ":" +
              utostr(Call->Line);
    if (Call->Others)
      Text += Call->Others == 1
                  ? ", and at another place"
                  : ", and at " + utostr(Call->Others) + " other places";
    Text += "; the attribute noinline keeps it a function";
    return Why.replace(At, Last + End.size() - At, Text);
  }
  return Why;
}

} // namespace tpctl
