// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RegexPattern.h.

#include "RegexPattern.h"

#include "Requests.h"
#include "names/path_glob.h"
#include "shared/UsageError.h"
#include "tprt/tprt.h"
#include "llvm/Support/GlobPattern.h"
#include <algorithm>
#include <vector>

using namespace llvm;

namespace tpctl {
namespace {

bool isRegex(StringRef Text) {
  return Text.size() >= 3 && Text.starts_with("/") && Text.ends_with("/");
}

/// The number of steps of an expression. The compiler of expressions writes out
/// counted repetitions, so (a{1,250}){1,250} has 62,500 steps. Deeper nesting
/// would use up the memory.
class Steps {
public:
  static uint64_t of(StringRef Regex) {
    Steps S;
    for (size_t At = 0; At < Regex.size();)
      At = S.take(Regex, At);
    while (S.Levels.size() > 1)
      S.close();
    return S.Levels.back().Sum + S.Levels.back().Last;
  }

private:
  struct Level {
    uint64_t Sum = 0, Last = 0; ///< before the last part; of that part
  };
  /// Returns where the next part begins.
  size_t take(StringRef Regex, size_t At) {
    switch (Regex[At]) {
    case '(':
      Levels.emplace_back();
      return At + 1;
    case ')':
      if (Levels.size() > 1)
        close();
      return At + 1;
    case '{':
      return repeat(Regex, At);
    case '[':
      add(1);
      // A ] at the beginning, or after ^, is one of the characters.
      At += Regex.substr(At + 1).starts_with("^") ? 3 : 2;
      return std::min(Regex.find(']', At), Regex.size() - 1) + 1;
    case '\\':
      add(1);
      return At + 2;
    default:
      add(1);
      return At + 1;
    }
  }
  void add(uint64_t Size) {
    Levels.back().Sum += Levels.back().Last;
    Levels.back().Last = Size;
  }
  void close() {
    uint64_t Inside = Levels.back().Sum + Levels.back().Last;
    Levels.pop_back();
    add(Inside);
  }
  size_t repeat(StringRef Regex, size_t At) {
    StringRef Bounds = Regex.substr(At + 1);
    unsigned Least = 0, Most = 0;
    Bounds.consumeInteger(10, Least);
    if (Bounds.consume_front(",") && Bounds.consumeInteger(10, Most))
      Most = Least + 1; // no upper bound
    constexpr uint64_t Enough = 1u << 30;
    uint64_t Times = std::min<uint64_t>(std::max({Least, Most, 1u}), 1u << 16);
    Levels.back().Last = std::min(Levels.back().Last * Times, Enough);
    return std::max(At + 1, Regex.size() - Bounds.size());
  }
  std::vector<Level> Levels = {{}};
};

/// With more steps, matching each name would be slow.
constexpr uint64_t MostSteps = 10000;

} // namespace

Expected<std::optional<RegexPattern>> RegexPattern::parse(StringRef Text) {
  StringRef Whole = Text, Module;
  bool PointsOnly = Text.consume_front("point:");
  // A module may be a path, which also begins with a slash.
  if (size_t Bang = Text.find("!/"); !PointsOnly && Bang != StringRef::npos &&
                                     Bang && isRegex(Text.substr(Bang + 1))) {
    Module = Text.take_front(Bang);
    Text = Text.substr(Bang + 1);
  }
  if (Text == "//" || (!PointsOnly && Text.ends_with("!//")))
    return wrongUsage("'" + Whole +
                      "' is an empty regular expression: use * for everything");
  if (!isRegex(Text))
    return std::nullopt;
  if (Steps::of(Text.drop_front().drop_back()) > MostSteps)
    return wrongUsage("'" + Whole +
                      "' repeats too much, as (a{1,250}){1,250} does: "
                      "an expression has at most 10,000 steps when its "
                      "counted repetitions are written out");
  Regex Compiled(Text.drop_front().drop_back());
  std::string Fault;
  if (!Compiled.isValid(Fault))
    return wrongUsage(Whole + ": " + Fault);
  RegexPattern Made(std::move(Compiled));
  Made.PointsOnly = PointsOnly;
  if (PointsOnly)
    Made.Wider = "point:*";
  if (!Module.empty()) {
    Made.ModuleText = std::make_shared<const std::string>(Module);
    auto Glob = GlobPattern::create(*Made.ModuleText);
    if (!Glob)
      return wrongUsage(Whole + ": " + toString(Glob.takeError()));
    Made.Wider = (Module + "!*").str();
  }
  return Made;
}

bool RegexPattern::matches(const LiveSite &S) const {
  if (PointsOnly && S.Kind != TPRT_KIND_POINT)
    return false;
  if (ModuleText &&
      !tprt::globMatchesPath(ModuleText->c_str(), S.Module.c_str()))
    return false;
  return Name->match(S.readable());
}

} // namespace tpctl
