// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Unmatched.h.

#include "Unmatched.h"

#include "live/requests/Inlining.h"
#include "live/requests/NoMatch.h"
#include "live/requests/Requests.h"
#include "live/targets/Target.h"
#include "names/match.h"
#include "shared/Output.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tpctl {
namespace {

/// What was found for a pattern.
struct Search {
  bool Any = false; ///< a site, or a process that has ended meanwhile
  std::string Why;  ///< of the last process
};

/// The module and the function of a pattern. The module may be empty.
std::pair<StringRef, StringRef> partsOf(const std::string &Pattern) {
  const char *Bang = tprt::splitAtModule(Pattern.c_str());
  if (!Bang)
    return {"", Pattern};
  auto At = static_cast<size_t>(Bang - Pattern.c_str());
  return {StringRef(Pattern).take_front(At), Bang + 1};
}

class Matcher {
public:
  Matcher(Target &At, Patterns &P, uint32_t Kinds)
      : At(At), P(P), Kinds(Kinds) {}
  /// Asks for all single instructions together, so that a process reads its
  /// code once, and not again for each pattern.
  Error readCode();
  Error check(const std::string &Pattern);
  Error checkProbe(const std::string &Pattern, StringRef Why);
  Error checkWithoutSleds(const std::string &Pattern, bool Names,
                          bool IsInCode);
  Error checkNegative(const std::string &Pattern);
  /// Prints for which patterns functions without sleds are taken.
  void tellCode() const;

private:
  Expected<Search> search(const Patterns &Of, uint32_t Kinds);
  Expected<Search> searchText(const std::string &Pattern, bool InCode);
  Expected<bool> isWithoutSleds();
  Expected<bool> isInProgram(const std::string &Pattern);
  std::vector<LiveSite> someOf(const std::string &Pattern, bool InCode);
  std::string near(const std::string &Pattern, bool InCode);
  std::string processes() const;

  Target &At;
  Patterns &P;
  uint32_t Kinds;
  std::vector<std::string> InCode;
};

Expected<Search> Matcher::search(const Patterns &Of, uint32_t Kinds) {
  Search Found;
  for (auto &C : At.Connections) {
    auto Sites = listFirst(*C, Of, Kinds);
    if (Sites) {
      Found.Any |= !Sites->empty();
      continue;
    }
    // The attach reports a process that has ended, or is stopped.
    if (Error E = handleErrors(
            Sites.takeError(),
            [&](const NoMatch &None) { Found.Why = None.text(); },
            [&](const ProcessEnded &) { Found.Any = true; },
            [&](const ProcessStopped &) { Found.Any = true; }))
      return E;
  }
  return Found;
}

Expected<Search> Matcher::searchText(const std::string &Pattern, bool InCode) {
  Patterns One = P.only(Pattern);
  if (InCode)
    One.takeCode();
  if (Error E = One.prepare(At.program()))
    return E;
  return search(One, Kinds);
}

Error Matcher::readCode() {
  std::optional<Patterns> All;
  size_t Count = 0;
  for (const std::string &Pattern : P.positives()) {
    if (!Patterns::namesInstruction(Pattern) || Patterns::namesProbe(Pattern))
      continue;
    if (Count++)
      All->give(Pattern);
    else
      All = P.only(Pattern);
  }
  if (Count < 2)
    return Error::success();
  if (Error E = All->prepare(At.program()))
    return E;
  return search(*All, Kinds).takeError();
}

Expected<bool> Matcher::isWithoutSleds() {
  Patterns All = P.only("*");
  All.leaveCode();
  if (Error E = All.prepare())
    return E;
  auto Found = search(All, TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT);
  if (!Found)
    return Found.takeError();
  return !Found->Any;
}

/// Whether a glob without a module matches functions without sleds in the
/// program itself.
Expected<bool> Matcher::isInProgram(const std::string &Pattern) {
  if (At.program().empty() || !partsOf(Pattern).first.empty() ||
      StringRef(Pattern).starts_with("@") ||
      StringRef(Pattern).starts_with("/") ||
      StringRef(Pattern).starts_with("point:"))
    return false;
  auto Found = searchText(At.program() + "!" + Pattern, /*InCode=*/true);
  if (!Found)
    return Found.takeError();
  return Found->Any;
}

/// Sites that may have a similar name, at most some thousand.
std::vector<LiveSite> Matcher::someOf(const std::string &Pattern, bool InCode) {
  constexpr size_t Most = 20000;
  std::vector<LiveSite> All;
  Patterns Some = P.only(Pattern);
  if (InCode)
    Some.takeCode();
  if (Error E = Some.prepare())
    return consumeError(std::move(E)), All;
  for (auto &C : At.Connections) {
    auto Sites = listFirst(*C, Some, TPRT_KIND_SET_ENTRY, Most);
    if (Sites)
      append_range(All, *Sites);
    else
      consumeError(Sites.takeError());
  }
  return All;
}

/// The name without its parameters.
StringRef plainName(StringRef Name) { return Name.split('(').first; }

/// The name after the last ::, in small letters.
std::string lastPart(StringRef Name) {
  return plainName(Name).rsplit("::").second.empty()
             ? plainName(Name).lower()
             : plainName(Name).rsplit("::").second.lower();
}

/// The name of a similar function or module, as a question.
std::string Matcher::near(const std::string &Pattern, bool InCode) {
  auto [Module, Function] = partsOf(Pattern);
  std::string Wider = Module.empty() ? "*" : Module.str() + "!*";
  if (InCode && Module.empty() && !At.program().empty())
    Wider = At.program() + "!*";
  std::vector<LiveSite> Sites = someOf(Wider, InCode);
  const bool OfModule = Sites.empty() && !Module.empty();
  if (OfModule)
    Sites = someOf("*", InCode);
  const std::string Wanted =
      OfModule ? Module.lower() : lastPart(Function.trim("*"));
  std::string Best;
  unsigned Least = static_cast<unsigned>(Wanted.size()) / 3 + 1;
  for (const LiveSite &S : Sites) {
    const std::string Name =
        OfModule ? sys::path::filename(S.Module).split(".so").first.str()
                 : S.readable();
    const std::string Short =
        OfModule ? StringRef(Name).lower() : lastPart(Name);
    // With more changes it is a different word.
    unsigned Distance = StringRef(Short).edit_distance(
        Wanted, /*AllowReplacements=*/true, Least);
    if (Distance < Least || (Distance == Least && Best.empty())) {
      Least = Distance;
      Best = OfModule ? Name + "!" + Function.str() : plainName(Name).str();
    }
  }
  return Best.empty() ? "" : "; did you mean " + shellWord(Best) + "?";
}

std::string Matcher::processes() const {
  return At.Connections.size() == 1
             ? At.Connections.front()->name()
             : countText(At.Connections.size(), "process", "processes");
}

/// For a command without sleds, whose libraries may come later: so a pattern
/// that matches nothing is no error yet.
Error Matcher::checkWithoutSleds(const std::string &Pattern, bool Names,
                                 bool IsInCode) {
  if (!IsInCode) {
    const std::string Guess = near(Pattern, P.takesCode() || P.mayFallBack());
    if (!Guess.empty())
      note("nothing of " + processes() + " matches " + shellWord(Pattern) +
           " so far" + Guess);
  }
  if (!P.mayFallBack())
    return Error::success();
  if (Names) {
    P.takeCodeOf(Pattern);
    return Error::success();
  }
  if (Pattern == "*") // that has too many functions
    return Error::success();
  auto Own = isInProgram(Pattern);
  if (!Own)
    return Own.takeError();
  if (*Own) {
    InCode.push_back(Pattern);
    P.takeCodeOf(Pattern);
  }
  return Error::success();
}

/// A pattern of USDT probes that has matched nothing.
Error Matcher::checkProbe(const std::string &Pattern, StringRef Why) {
  const std::string Text = "nothing of " + processes() + " matches " +
                           shellWord(Pattern) +
                           (Why.empty() ? "" : ": " + Why.str());
  if (At.hasCommand()) {
    auto Without = isWithoutSleds();
    if (!Without)
      return Without.takeError();
    if (*Without) {
      note(Text + "; the command may run another program");
      return Error::success();
    }
  }
  return createStringError(
      Text + "; --await waits for libraries that are loaded later");
}

Error Matcher::check(const std::string &Pattern) {
  auto Found = searchText(Pattern, /*InCode=*/false);
  if (!Found || Found->Any)
    return Found.takeError();
  if (Patterns::namesProbe(Pattern))
    return checkProbe(Pattern, Found->Why);
  Search Code;
  if (P.mayTakeCode() && Pattern != "*") { // that has too many functions
    auto Again = searchText(Pattern, /*InCode=*/true);
    if (!Again)
      return Again.takeError();
    Code = *Again;
  }
  const bool Names = P.mayFallBack() && Patterns::namesFunctions(Pattern);
  if (Names && Code.Any) {
    InCode.push_back(Pattern);
    P.takeCodeOf(Pattern);
    return Error::success();
  }
  if (At.hasCommand()) {
    auto Without = isWithoutSleds();
    if (!Without)
      return Without.takeError();
    if (*Without)
      return checkWithoutSleds(Pattern, Names, Code.Any);
  }
  std::string Why = Code.Why.empty() || !Names ? Found->Why : Code.Why;
  std::string Text = "nothing of " + processes() + " matches " +
                     shellWord(Pattern) + (Why.empty() ? "" : ": " + Why);
  if (At.Connections.size() == 1)
    Text = withInlining(At.Connections.front()->pid(), Pattern, Text);
  if (Code.Any)
    Text += P.mayFallBack() ? "; functions without sleds match: give --code"
                            : "; functions without sleds match: leave out "
                              "--sleds";
  else
    Text += near(Pattern, P.takesCode());
  return createStringError(Text +
                           (StringRef(Text).ends_with("?") ? " " : "; ") +
                           "--await waits for libraries that are loaded later");
}

Error Matcher::checkNegative(const std::string &Pattern) {
  auto Found = searchText(Pattern, /*InCode=*/false);
  if (Found && !Found->Any)
    note("!" + Pattern + " leaves nothing out" +
         (Found->Why.empty() ? "" : ": " + Found->Why));
  return Found.takeError();
}

void Matcher::tellCode() const {
  if (!InCode.empty())
    note("no sled matches " + join(InCode, " ") +
         ": functions without sleds are taken (--code); --sleds takes none");
}

} // namespace

Error checkMatches(Target &At, Patterns &P, uint32_t Kinds) {
  if (P.awaits() || At.watchesChildren() || At.Connections.empty())
    return Error::success();
  Matcher M(At, P, Kinds);
  for (const std::string &Pattern : P.negatives())
    if (Error E = M.checkNegative(Pattern))
      return E;
  if (Error E = M.readCode())
    return E;
  const std::vector<std::string> Positives = P.positives();
  for (const std::string &Pattern : Positives)
    if (Error E = M.check(Pattern))
      return E;
  M.tellCode();
  return Error::success();
}

} // namespace tpctl
