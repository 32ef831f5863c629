// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RegexPattern.h.

#include "RegexPattern.h"

#include "Requests.h"
#include "tprt/tprt.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tpctl {
namespace {

bool isRegex(StringRef Text) {
  return Text.size() >= 3 && Text.starts_with("/") && Text.ends_with("/");
}

} // namespace

Expected<std::optional<RegexPattern>> RegexPattern::parse(StringRef Text) {
  StringRef Whole = Text, Module;
  bool PointsOnly = Text.consume_front("point:");
  // A module may be a path, which begins with a slash, too.
  if (size_t Bang = Text.find("!/"); !PointsOnly && Bang != StringRef::npos &&
                                     Bang && isRegex(Text.substr(Bang + 1))) {
    Module = Text.take_front(Bang);
    Text = Text.substr(Bang + 1);
  }
  if (Text == "//" || (!PointsOnly && Text.ends_with("!//")))
    return createStringError("'" + Whole +
                             "' is an empty regular expression: take * for "
                             "everything");
  if (!isRegex(Text))
    return std::nullopt;
  Regex Compiled(Text.drop_front().drop_back());
  std::string Fault;
  if (!Compiled.isValid(Fault))
    return createStringError(Whole + ": " + Fault);
  RegexPattern Made(std::move(Compiled));
  Made.PointsOnly = PointsOnly;
  if (PointsOnly)
    Made.Wider = "point:*";
  if (!Module.empty()) {
    auto Glob = GlobPattern::create(Module);
    if (!Glob)
      return createStringError(Whole + ": " + toString(Glob.takeError()));
    Made.Module = std::move(*Glob);
    Made.Wider = (Module + "!*").str();
  }
  return Made;
}

bool RegexPattern::matches(const LiveSite &S) const {
  if (PointsOnly && S.Kind != TPRT_KIND_POINT)
    return false;
  if (Module && !Module->match(S.Module) &&
      !Module->match(sys::path::filename(S.Module)))
    return false;
  return Name->match(S.readable());
}

} // namespace tpctl
