// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DryRun.h.

#include "DryRun.h"

#include "Unmatched.h"
#include "expressions/Cost.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tpctl {
namespace {

/// Functions with the same program.
struct Functions {
  size_t Count = 0;
  std::vector<std::string> First;

  void add(const LiveSite &S) {
    constexpr size_t Most = 3;
    if (++Count <= Most)
      First.push_back(S.readable());
  }
  std::string text() const {
    return countText(Count, "function") + ": " + join(First, ", ") +
           (Count > First.size() ? ", ..." : "");
  }
};

void print(const Ask &A, const expressions::Program &Of, StringRef Functions) {
  const expressions::Cost Cost = expressions::costOf(Of, A.isRecording());
  outs() << Functions << "\n  at the " << (Of.AtEnd ? "end" : "beginning")
         << " of each call, about " << formatv("{0:F0}", Cost.Usual) << " ns";
  if (Cost.Most > Cost.Usual)
    outs() << formatv(
        ", or up to {0:F0} ns if memory has to be read by system calls",
        Cost.Most);
  outs() << '\n';
  expressions::describe(outs(), Of);
}

/// The programs by their requests.
using Programs = std::map<std::string, Functions>;

Error collect(Connection &C, const Patterns &P, Ask &A, Programs &To) {
  auto Sites = listSites(C, P, TPRT_KIND_SET_ENTRY);
  if (!Sites)
    return Sites.takeError();
  for (const LiveSite &S : *Sites) {
    std::string Request =
        A.common().empty() ? A.programOf(C, S) : A.common().str();
    if (!Request.empty())
      To[Request].add(S);
  }
  return A.tellLeftOut();
}

} // namespace

Expected<ExitCode> dryRun(Target &At, Patterns &P, Ask &A) {
  if (!At.isGiven()) {
    if (A.common().empty())
      return wrongUsage("--dry-run: the expressions use names or types of "
                        "functions, so the program differs by function: give "
                        "-p PID or -- COMMAND...");
    print(A, A.programIn(A.common()), "all functions");
    return Done;
  }
  if (Error E = At.prepare(/*AwaitAtEnd=*/false))
    return E;
  if (Error E = checkMatches(At, P, A.kinds()))
    return E;
  if (Error E = A.Around.check(At))
    return E;
  Programs Found;
  for (auto &C : At.Connections)
    if (Error E = collect(*C, P, A, Found))
      return E;
  std::vector<std::pair<std::string, Functions>> Sorted(Found.begin(),
                                                        Found.end());
  stable_sort(Sorted, [](const auto &X, const auto &Y) {
    return X.second.Count > Y.second.Count;
  });
  for (const auto &[Request, Of] : Sorted)
    print(A, A.programIn(Request), Of.text());
  return At.finishUnrun();
}

} // namespace tpctl
