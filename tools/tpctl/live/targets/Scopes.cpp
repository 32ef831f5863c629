// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Scopes.h.

#include "Scopes.h"

#include "Target.h"
#include "Unmatched.h"
#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"

using namespace llvm;

namespace tpctl {

void Scopes::addOption(VerbSyntax &Verb) {
  Verb.addOption("--in", Given, "FUNCTION",
                 "only calls made inside a call of FUNCTION, a pattern");
}

/// The same error, with the option before it.
static Error ofIn(Error E) {
  if (!E)
    return E;
  const bool IsUsage = E.isA<UsageError>();
  const std::string All = toString(std::move(E));
  StringRef Text = All;
  if (Text.consume_back("--await waits for libraries that are loaded later"))
    Text = Text.rtrim("; ");
  const std::string Message = ("--in: " + Text).str();
  return IsUsage ? wrongUsage(Message) : createStringError(Message);
}

Error Scopes::prepare(const Patterns &Chosen) {
  if (!isInside())
    return Error::success();
  In = Chosen.only(Given.front());
  for (const std::string &More : drop_begin(Given))
    In.give(More);
  if (Error E = In.prepare())
    return ofIn(std::move(E));
  for (StringRef Pattern : Given)
    if (Pattern.ltrim('!').starts_with("point:"))
      return wrongUsage("--in: '" + Pattern +
                        "' selects points, and calls are inside of calls of "
                        "functions");
  if (!In.takesSome())
    return wrongUsage("--in: all patterns only exclude functions: give one "
                      "that selects some, as in --in parse");
  return Error::success();
}

Error Scopes::check(Target &At) {
  return isInside() ? ofIn(checkMatches(At, In, TPRT_KIND_SET_ENTRY))
                    : Error::success();
}

/// Makes one group. If a call of a function of --in cannot be seen to begin or
/// to end, calls inside of it would be missing, or others would seem to be
/// inside.
Error Scopes::attachOne(Connection &C, const Patterns &P, bool IsIn,
                        std::vector<Following> &To) {
  To.push_back(Following(C, P, TPRT_KIND_SET_ALL, TPRT_CONTROL_ACTION_SCOPE));
  auto Done = To.back().attach(/*Flags=*/0);
  if (!Done)
    return IsIn ? ofIn(Done.takeError()) : Done.takeError();
  if (!Done->Matched) {
    if (IsIn)
      note("--in: " + nothingYet(C, P, Done->Why));
    return Error::success();
  }
  if (Done->Why.empty())
    return Error::success();
  if (IsIn)
    return createStringError("--in: not all calls of " + P.text() +
                             " can be followed: " + Done->Why +
                             "; give other functions, or leave these out by "
                             "--in '!NAME'");
  if (!std::exchange(ToldDepth, true))
    note("depth: not all calls are followed, and calls of these functions are "
         "not counted in the depth of others: " +
         Done->Why);
  return Error::success();
}

// The order is that of TPRT_PROGRAM_DEPTH and TPRT_PROGRAM_INSIDE in
// Compile.cpp.
Expected<std::vector<Following>> Scopes::attach(Connection &C,
                                                const Patterns &Chosen) {
  std::vector<Following> All;
  All.reserve(2);
  if (HasDepth)
    if (Error E = attachOne(C, Chosen, /*IsIn=*/false, All))
      return E;
  if (isInside())
    if (Error E = attachOne(C, In, /*IsIn=*/true, All))
      return E;
  return All;
}

Error Scopes::followLater(std::vector<Following> &Of) {
  for (Following &F : Of)
    if (auto Later = F.attachLater(); !Later)
      return Later.takeError();
  return Error::success();
}

} // namespace tpctl
