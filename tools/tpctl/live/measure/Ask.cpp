// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ask.h.

#include "Ask.h"

#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

void Ask::addOptions(VerbSyntax &Verb, StringRef Words, StringRef Of) {
  Verb.addOption("--if", IfText, "EXPR",
                 "only calls for which this is true, such as 'arg0 > 4K'");
  Verb.addOption("--by", ByText, "WHAT", (Words + "; or expressions").str());
  Verb.addOption("--of", OfText, "EXPR", Of);
}

/// Whether this is true of one of the expressions.
static bool anyOf(const expressions::Asked &All,
                  function_ref<bool(const expressions::Parsed &)> Is) {
  return (All.If && Is(*All.If)) || (All.Of && Is(*All.Of)) ||
         any_of(All.By, Is);
}

Error Ask::prepare(StringRef By, bool Histogram) {
  using namespace expressions;
  auto read = [](StringRef Option, StringRef Text,
                 std::optional<Parsed> &To) -> Error {
    if (Text.empty())
      return Error::success();
    auto Done = parse(Option, Text);
    if (!Done)
      return Done.takeError();
    To = std::move(*Done);
    return Error::success();
  };
  if (Error E = read("--if", IfText, Asked.If))
    return E;
  StringRef Value = OfText;
  if (Histogram && Value.empty())
    Value = "duration";
  if (Error E = read("--of", Value, Asked.Of))
    return E;
  if (StringRef Keys = ByText.empty() ? By : ByText; !Keys.empty()) {
    auto Done = parseList("--by", Keys);
    if (!Done)
      return Done.takeError();
    Asked.By = std::move(*Done);
  }
  Asked.Histogram = Histogram;
  Typed = anyOf(Asked, [](const Parsed &Of) { return Of.needsTypes(); });
  AtEnd = anyOf(Asked, [](const Parsed &Of) { return Of.needsEnd(); });
  if (Typed)
    return Error::success();
  auto Done = compile(Asked, nullptr);
  if (!Done)
    return Done.takeError();
  Common = Done->Bytes;
  learnFormats(std::move(*Done));
  return Error::success();
}

Error Ask::check(const Patterns &P) const {
  for (StringRef Given : P.given()) {
    StringRef Pattern = Given;
    Pattern.consume_front("!");
    if (Pattern.starts_with("point:"))
      return wrongUsage("'" + Given +
                        "' selects points, and expressions are computed at "
                        "calls of functions: leave out --if, --by and --of");
  }
  return Error::success();
}

uint32_t Ask::kinds() const {
  return AtEnd ? uint32_t{TPRT_KIND_SET_ALL} : uint32_t{TPRT_KIND_SET_ENTRY};
}

/// The keys are the same for all functions, except types of arguments. Those of
/// the first function count.
void Ask::learnFormats(expressions::Program Of) {
  if (!Keys.empty() || Fitting)
    return;
  Keys = std::move(Of.Keys);
  Value = Of.Value;
}

/// The values of all functions are added up together, so they are all doubles,
/// or none is.
static bool isSameKind(expressions::ValueFormat A, expressions::ValueFormat B) {
  return (A == expressions::ValueFormat::Floating) ==
         (B == expressions::ValueFormat::Floating);
}

std::string Ask::programOf(pid_t Pid, const LiveSite &S) {
  auto [At, New] = ByFunction.try_emplace({S.Module, S.Function, S.Base});
  if (!New)
    return At->second;
  expressions::Signature Of = Types.signatureOf(procPath(Pid, "root"), S);
  auto Done = expressions::compile(Asked, &Of);
  if (Done && Fitting && !isSameKind(Done->Value, Value))
    Done = createStringError(
        "--of is a floating-point number here, and a whole number in other "
        "functions, or the reverse; cast it to one type");
  if (Done) {
    At->second = Done->Bytes;
    learnFormats(std::move(*Done));
    ++Fitting;
  } else {
    std::string Why = toString(Done.takeError());
    if (!LeftOut++) {
      WhyLeftOut = std::move(Why);
      FirstLeftOut = S.readable();
    }
  }
  return At->second;
}

Following Ask::follow(Connection &C, const Patterns &P) {
  if (!Common.empty())
    return Following(C, P, kinds(),
                     GroupAction(TPRT_CONTROL_ACTION_AGGREGATE, Common));
  return Following(C, P, kinds(), [this, Pid = C.pid()](const LiveSite &S) {
    return programOf(Pid, S);
  });
}

Error Ask::tellLeftOut() {
  if (!LeftOut)
    return Error::success();
  if (!Fitting)
    return wrongUsage(*WhyLeftOut);
  if (std::exchange(ToldOf, LeftOut) != LeftOut)
    note(std::to_string(LeftOut) + " of " +
         countText(LeftOut + Fitting, "function") +
         " left out, because the expressions do not fit; the first is " +
         FirstLeftOut + ": " + StringRef(*WhyLeftOut).split('\n').first.str());
  return Error::success();
}

} // namespace tpctl
