// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Requests.h.

#include "Requests.h"

#include "Inlining.h"
#include "NoMatch.h"
#include "shared/Progress.h"
#include "tprt/tprt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace llvm;

namespace tpctl {
namespace {

tprt_control_selection selectionOf(size_t Patterns, uint32_t Kinds,
                                   uint32_t Flags) {
  return {static_cast<uint32_t>(Patterns), 0, Kinds, Flags | TPRT_SELECT_AWAIT};
}

LiveSite siteOf(const tprt_control_site &Row, StringRef Strings,
                const ProbeTable &Probes) {
  LiveSite S;
  S.Of = Probes.at(Row.sled);
  S.Sled = Row.sled;
  S.Function = Row.function;
  S.Base = Row.base;
  S.Number = Row.site;
  S.Line = Row.line;
  S.Kind = Row.kind;
  S.Shape = Row.shape;
  S.State = Row.state;
  S.Refusal = Row.refusal;
  S.Name = textAt(Strings, Row.name);
  S.Module = textAt(Strings, Row.module);
  S.File = textAt(Strings, Row.file);
  S.Format = textAt(Strings, Row.format);
  S.Why = inWordsOfTpctl(textAt(Strings, Row.why));
  const bool IsPoint = Row.kind == TPRT_KIND_POINT;
  (IsPoint ? S.Style : S.Means) = Row.means;
  (IsPoint ? S.Types : S.Instruction)
      .assign(reinterpret_cast<const char *>(Row.instruction),
              std::min<size_t>(Row.instruction_bytes, sizeof Row.instruction));
  return S;
}

/// Reads the pages of a list until there are `Enough` sites. `Chosen` is the
/// part of the request after the selection.
Error listPages(Connection &C, const tprt_control_selection &Selection,
                const Body &Chosen, std::vector<LiveSite> &To,
                size_t Enough = SIZE_MAX) {
  std::optional<Progress> Shown;
  for (uint32_t From = 0;;) {
    Body B;
    B.put(tprt_control_list{Selection, From, 0});
    B.Bytes += Chosen.Bytes;
    auto Answer = C.ask(TPRT_CONTROL_LIST, B);
    if (!Answer)
      return Answer.takeError();
    Reader R(*Answer);
    auto Head = R.take<tprt_control_list_answer>();
    size_t RowBytes = Head ? Head->rows * sizeof(tprt_control_site) : 0;
    if (!Head || Head->rows > Answer->size() || RowBytes > R.rest().size())
      return C.tooShort();
    StringRef Strings = R.rest().drop_front(RowBytes);
    for (uint32_t I = 0; I != Head->rows; ++I)
      To.push_back(siteOf(*R.take<tprt_control_site>(), Strings, C.Probes));
    if (!Head->next || To.size() >= Enough)
      return Error::success();
    if (!Shown)
      Shown.emplace("sites of " + C.name(), Head->total);
    Shown->at(To.size());
    if (Head->next <= From)
      return createStringError(C.name() + " sent its pages in the wrong order");
    // Otherwise a process could make tpctl send requests forever.
    if (!Head->rows || To.size() > Head->total)
      return createStringError(C.name() + " answers with more pages than it "
                                          "has sites");
    From = Head->next;
  }
}

/// The sites that globs find.
Error listInto(Connection &C, ArrayRef<std::string> Globs, uint32_t Kinds,
               uint32_t Flags, std::vector<LiveSite> &To,
               size_t Enough = SIZE_MAX) {
  Body Texts;
  for (const std::string &Glob : Globs)
    Texts.text(Glob);
  return listPages(C, selectionOf(Globs.size(), Kinds, Flags), Texts, To,
                   Enough);
}

/// The same, except that it is not an error if nothing matches, because other
/// patterns may match.
Error listSome(Connection &C, ArrayRef<std::string> Globs, uint32_t Kinds,
               uint32_t Flags, std::vector<LiveSite> &To) {
  return handleErrors(listInto(C, Globs, Kinds, Flags, To),
                      [](const NoMatch &) {});
}

/// The sites of both globs and regular expressions.
Expected<std::vector<LiveSite>> resolve(Connection &C, const Patterns &P,
                                        uint32_t Kinds) {
  std::vector<LiveSite> Found, All;
  std::vector<std::string> Wider = P.wider();
  bool RegexesTake = !Wider.empty();
  bool Takes = any_of(P.globs(), [](StringRef G) { return G[0] != '!'; });
  for (const std::string &Glob : P.globs())
    if (Glob[0] == '!')
      Wider.push_back(Glob);
  if (Takes)
    if (Error E = listSome(C, P.globs(), Kinds, flagsOf(P), Found))
      return E;
  if (RegexesTake)
    if (Error E = listSome(C, Wider, Kinds, flagsOf(P), All))
      return E;
  std::vector<std::string> InCode = P.codeGlobs().vec();
  for (const std::string &Not : P.negatives())
    InCode.push_back("!" + Not);
  if (!P.codeGlobs().empty())
    if (Error E =
            listSome(C, InCode, Kinds, flagsOf(P) | TPRT_SELECT_CODE, Found))
      return E;
  if (P.hasProbes()) {
    std::vector<LiveSite> Probes;
    Error E = addProbes(C, P, Kinds, Probes);
    const bool IsNone = E.isA<NoMatch>();
    if (E && (!IsNone || (Found.empty() && All.empty())))
      return std::move(E);
    consumeError(std::move(E));
    std::move(Probes.begin(), Probes.end(), std::back_inserter(Found));
  }
  std::set<uint32_t> Known;
  std::vector<LiveSite> Chosen;
  auto add = [&](LiveSite &S) {
    if (!P.leaves(S) && Known.insert(S.Number).second)
      Chosen.push_back(std::move(S));
  };
  for (LiveSite &S : Found)
    add(S);
  for (LiveSite &S : All)
    if (P.takes(S))
      add(S);
  return Chosen;
}

/// An error with the places where the functions were inlined.
Error explained(Connection &C, ArrayRef<std::string> Patterns, Error E) {
  return handleErrors(std::move(E), [&](const NoMatch &None) {
    std::string Why;
    raw_string_ostream OS(Why);
    None.log(OS);
    return make_error<NoMatch>(withInlining(C.pid(), Patterns, Why));
  });
}

Expected<Attached> attachOnce(Connection &C, const Body &B) {
  auto Answer = C.ask(TPRT_CONTROL_ATTACH, B);
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  auto Sums = R.take<tprt_control_attach_answer>();
  if (!Sums)
    return C.tooShort();
  Attached Done{Sums->group,
                Sums->matched,
                Sums->enabled,
                Sums->refused,
                inWordsOfTpctl(R.text()),
                {},
                false};
  while (Done.RefusedSites.size() != TPRT_CONTROL_MOST_REFUSED)
    if (auto Number = R.take<uint32_t>())
      Done.RefusedSites.push_back(*Number);
    else
      break;
  return Done;
}

Expected<Attached> attachParts(Connection &C, ArrayRef<uint32_t> Sites,
                               uint32_t Kinds, uint32_t Flags,
                               tprt_control_attach Asked, StringRef Program) {
  Attached Sum;
  Sum.Group = Asked.group;
  Progress Shown("turning sites on", Sites.size());
  size_t Count = 0;
  Error E = inParts(Sites, MostSites, [&](ArrayRef<uint32_t> Part) -> Error {
    Asked.selection = {0, static_cast<uint32_t>(Part.size()), Kinds,
                       Flags & TPRT_SELECT_TRAPS};
    Asked.group = Sum.Group;
    auto Done = attachOnce(C, Body().put(Asked).all(Part).bytes(Program));
    if (!Done)
      return Done.takeError();
    Shown.at(Count += Part.size());
    Sum.add(*Done);
    return Error::success();
  });
  if (E)
    return std::move(E);
  return Sum;
}

} // namespace

void Attached::add(const Attached &Other) {
  Group = Other.Group;
  Matched += Other.Matched;
  Enabled += Other.Enabled;
  Refused += Other.Refused;
  if (Why.empty())
    Why = Other.Why;
  if (RefusedSites.size() < TPRT_CONTROL_MOST_REFUSED)
    append_range(RefusedSites, Other.RefusedSites);
}

uint32_t flagsOf(const Patterns &P) {
  return (P.takesCode() ? uint32_t{TPRT_SELECT_CODE} : 0) |
         (P.takesProfilers() ? uint32_t{TPRT_SELECT_PROFILERS} : 0) |
         (P.takesTraps() ? uint32_t{TPRT_SELECT_TRAPS} : 0);
}

Expected<std::vector<LiveSite>> listSites(Connection &C, const Patterns &P,
                                          uint32_t Kinds) {
  if (P.appliesHere() || !P.codeGlobs().empty())
    return resolve(C, P, Kinds);
  std::vector<LiveSite> Found;
  if (Error E = listInto(C, P.globs(), Kinds, flagsOf(P), Found))
    return explained(C, P.globs(), std::move(E));
  return Found;
}

Expected<std::vector<LiveSite>> listFirst(Connection &C, const Patterns &P,
                                          uint32_t Kinds, size_t Least) {
  if (P.appliesHere() || !P.codeGlobs().empty())
    return listSites(C, P, Kinds);
  std::vector<LiveSite> Found;
  if (Error E = listInto(C, P.globs(), Kinds, flagsOf(P), Found, Least))
    return E;
  return Found;
}

Expected<std::vector<LiveSite>> listNumbered(Connection &C,
                                             ArrayRef<uint32_t> Numbers) {
  constexpr uint32_t Any = uint32_t{TPRT_KIND_SET_ALL} | TPRT_KIND_SET_POINT |
                           TPRT_KIND_SET_INSTRUCTION;
  std::vector<LiveSite> Found;
  Error E =
      inParts(Numbers, SitesPerPage, [&](ArrayRef<uint32_t> Part) -> Error {
        Error Listed =
            listPages(C, {0, static_cast<uint32_t>(Part.size()), Any, 0},
                      Body().all(Part), Found);
        return handleErrors(std::move(Listed), [](const NoMatch &) {});
      });
  if (E)
    return std::move(E);
  return Found;
}

Expected<Attached> attachPatterns(Connection &C, const Patterns &P,
                                  ArrayRef<std::string> Texts, uint32_t Kinds,
                                  const GroupAction &Does, uint32_t Flags) {
  const StringRef Program =
      Flags & TPRT_CONTROL_NAMES_ONLY ? "" : StringRef(Does.Program);
  tprt_control_attach Asked{};
  Asked.action = Does.What;
  Asked.flags = Flags;
  Asked.program = static_cast<uint32_t>(Program.size());
  Asked.selection = selectionOf(Texts.size(), Kinds, flagsOf(P));
  Body B;
  B.put(Asked);
  for (const std::string &Text : Texts)
    B.text(Text);
  B.Bytes += Program;
  auto Done = attachOnce(C, B);
  if (!Done)
    return explained(C, Texts, Done.takeError());
  if (!Done->Matched)
    Done->Why = withInlining(C.pid(), Texts, std::move(Done->Why));
  return Done;
}

Expected<Attached> attachAddress(Connection &C, const Patterns &P,
                                 uint64_t Address, const GroupAction &Does,
                                 uint32_t Group) {
  tprt_control_attach Asked{};
  Asked.selection = {1, 0, TPRT_KIND_SET_INSTRUCTION,
                     flagsOf(P) | TPRT_SELECT_CODE};
  Asked.action = Does.What;
  Asked.group = Group;
  Asked.program = static_cast<uint32_t>(Does.Program.size());
  Body B;
  B.put(Asked).text("0x" + utohexstr(Address, /*LowerCase=*/true));
  B.Bytes += Does.Program;
  return attachOnce(C, B);
}

Expected<Attached> attachNumbers(Connection &C, const Patterns &P,
                                 ArrayRef<uint32_t> Sites, uint32_t Kinds,
                                 const GroupAction &Does, uint32_t Group) {
  tprt_control_attach Asked{};
  Asked.action = Does.What;
  Asked.group = Group;
  Asked.program = static_cast<uint32_t>(Does.Program.size());
  return attachParts(C, Sites, Kinds, flagsOf(P), Asked, Does.Program);
}

Error detachSites(Connection &C, uint32_t Group, ArrayRef<uint32_t> Sites) {
  Progress Shown("turning functions off", Sites.size());
  size_t Count = 0;
  return inParts(Sites, MostSites, [&](ArrayRef<uint32_t> Part) -> Error {
    const auto Size = static_cast<uint32_t>(Part.size());
    Body B;
    B.put(tprt_control_detach_sites{Group, Size}).all(Part);
    auto Answer = C.ask(TPRT_CONTROL_DETACH_SITES, B);
    if (!Answer)
      return Answer.takeError();
    Shown.at(Count += Size);
    return Error::success();
  });
}

Expected<std::vector<LiveGroup>> listGroups(Connection &C) {
  auto Answer = C.ask(TPRT_CONTROL_GROUPS);
  if (!Answer)
    return Answer.takeError();
  Reader R(*Answer);
  auto Head = R.take<tprt_control_groups_answer>();
  if (!Head)
    return C.tooShort();
  std::vector<LiveGroup> Groups;
  for (uint32_t I = 0; I != Head->groups; ++I) {
    auto Row = R.take<tprt_control_group>();
    if (!Row)
      return C.tooShort();
    Groups.push_back({*Row, ""});
  }
  for (LiveGroup &G : Groups)
    G.Patterns = R.text();
  return Groups;
}

Expected<uint32_t> detachGroups(Connection &C, uint32_t Group,
                                ArrayRef<std::string> Patterns) {
  Body B;
  B.put(tprt_control_detach{Group, static_cast<uint32_t>(Patterns.size())});
  for (const std::string &Pattern : Patterns)
    B.text(Pattern);
  auto Answer = C.ask(TPRT_CONTROL_DETACH, B);
  if (!Answer)
    return Answer.takeError();
  auto Done = Reader(*Answer).take<tprt_control_detach_answer>();
  if (!Done)
    return C.tooShort();
  return Done->groups;
}

} // namespace tpctl
