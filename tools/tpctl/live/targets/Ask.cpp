// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Ask.h.

#include "Ask.h"

#include "shared/CommandLine.h"
#include "shared/Output.h"
#include "shared/Processes.h"
#include "shared/UsageError.h"
#include "tprt/control_wire.h"
#include "tprt/tprt.h"
#include "tprt/trace_file.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tpctl {

constexpr StringRef If = "--if";
constexpr StringRef IfHelp =
    "only calls for which this is true, such as 'arg0 > 4K'";

void Ask::addOptions(VerbSyntax &Verb, StringRef Words, StringRef Of) {
  Verb.addOption(If, IfText, "EXPR", IfHelp);
  Verb.addOption("--by", ByText, "WHAT", (Words + "; or expressions").str());
  Verb.addOption("--of", OfText, "EXPR", Of);
  addLimits(Verb);
}

void Ask::addKeys(VerbSyntax &Verb, StringRef Words) {
  Verb.addOption(If, IfText, "EXPR", IfHelp);
  Verb.addOption("--by", ByText, "WHAT", (Words + "; or expressions").str());
}

void Ask::addCondition(VerbSyntax &Verb) {
  Verb.addOption(If, IfText, "EXPR",
                 "count only hits for which this is true, as 'arg0 > 4K'");
}

void Ask::addPrinting(VerbSyntax &Verb, StringRef Option, StringRef Help) {
  PrintOption = Option;
  Verb.addOption(If, IfText, "EXPR", IfHelp);
  Verb.addOption(Option, PrintText, "EXPR,...", Help);
  addLimits(Verb);
}

void Ask::addLimits(VerbSyntax &Verb) {
  Around.addOption(Verb);
  Verb.addOption("--stop-if", StopText, "EXPR",
                 "end after the first call for which this is true");
  Verb.addOption("--hits", Hits, "N", "end after N calls");
  Verb.addFlag("--dry-run", DryRun,
               "only print what would run at each call, and its cost");
}

Error Ask::checkPlain() const {
  return DryRun ? wrongUsage("--dry-run shows the program of expressions: give "
                             "one, as in --if 'arg0 > 4K'")
                : Error::success();
}

/// Reads an expression, if it was given.
static Error readOne(StringRef Option, StringRef Text,
                     std::optional<expressions::Parsed> &To) {
  if (Text.empty())
    return Error::success();
  auto Done = expressions::parse(Option, Text);
  if (!Done)
    return Done.takeError();
  To = std::move(*Done);
  return Error::success();
}

static Error readList(StringRef Option, StringRef Text,
                      std::vector<expressions::Parsed> &To) {
  if (Text.empty())
    return Error::success();
  auto Done = expressions::parseList(Option, Text);
  if (!Done)
    return Done.takeError();
  To = std::move(*Done);
  return Error::success();
}

Error Ask::readQuestion(StringRef By, StringRef Of) {
  if (Error E = readOne(If, IfText, Asked.If))
    return E;
  if (Error E = readOne("--of", Of, Asked.Of))
    return E;
  // The word "all" is no key.
  StringRef Keys = ByText.empty() ? By : ByText;
  return readList("--by", Keys == "all" ? "" : Keys, Asked.By);
}

Error Ask::prepare(StringRef By, bool Histogram) {
  if (Error E =
          readQuestion(By, Histogram && OfText.empty() ? "duration" : OfText))
    return E;
  Asked.Histogram = Histogram;
  return prepareAsked();
}

Error Ask::preparePair(const Ask &Of, expressions::PairOfCalls Pair,
                       StringRef By, bool Histogram) {
  const bool HasRows = Pair.Starts == Pair.IsOpen;
  if (Pair.Starts)
    IfText = Of.IfText;
  if (HasRows) {
    ByText = Of.ByText;
    OfText = Of.OfText;
  }
  Asked.Pair = std::move(Pair);
  // The value of a histogram is the time between both calls.
  if (Error E = readQuestion(HasRows ? By : "all", OfText))
    return E;
  Asked.Histogram = Histogram && HasRows;
  return prepareAsked();
}

Error Ask::preparePrinting() {
  if (Error E = readOne(If, IfText, Asked.If))
    return E;
  if (Error E = readList(PrintOption, PrintText, Asked.Print))
    return E;
  for (const expressions::Parsed &P : Asked.Print)
    if (P.text() == "process")
      return wrongUsage(PrintOption + ": leave out 'process': each call is "
                                      "shown with its thread");
  IsPrinting = true;
  return prepareAsked();
}

Error Ask::prepareAsked() {
  using namespace expressions;
  if (Error E = readOne("--stop-if", StopText, Asked.StopIf))
    return E;
  if (!Hits)
    return wrongUsage("--hits takes a number above 0, not '0'");
  Asked.Hits = static_cast<uint32_t>(std::max(Hits, 0));
  Asked.IsInside = Around.isInside();
  if (Asked.usesDepth())
    Around.needDepth();
  Typed = Asked.any([](const Parsed &Of) { return Of.needsTypes(); });
  AtEnd = Asked.any([](const Parsed &Of) { return Of.needsEnd(); });
  if (Typed)
    return Error::success();
  auto Done = compile(Asked, nullptr);
  if (!Done)
    return Done.takeError();
  std::string Request = requestOf(*Done);
  learnFormats(std::move(*Done));
  Common = std::move(Request);
  return Error::success();
}

bool Ask::usesDuration() const {
  return Asked.any([](const expressions::Parsed &Of) {
    return Of.usesName([](StringRef Name) { return Name == "duration"; });
  });
}

Error Ask::prepareWith(Patterns &P, StringRef Program, StringRef By,
                       bool Histogram) {
  if (Error E = prepare(By, Histogram))
    return E;
  if (Error E = P.prepare(Program))
    return E;
  return check(P);
}

Error Ask::check(const Patterns &P) {
  const std::string *Other = nullptr;
  TakesCalls = false;
  for (const std::string &Pattern : P.positives())
    if (Patterns::namesPoint(Pattern) || Patterns::namesInstruction(Pattern))
      Other = &Pattern;
    else
      TakesCalls = true;
  if (!Other)
    return Around.prepare(P);
  const std::string Kind =
      Patterns::namesPoint(*Other) ? "points" : "single instructions";
  if (IsPrinting && TakesCalls)
    return wrongUsage("'" + *Other + "' selects " + Kind +
                      ": with expressions, select functions in a command of "
                      "their own");
  if (Around.any())
    return wrongUsage("'" + *Other +
                      "' selects no calls of functions, which --in and depth "
                      "are about: leave them out");
  if (Asked.any([](const expressions::Parsed &Of) { return Of.isStack(); }))
    return wrongUsage(
        "'" + *Other + "' selects " + Kind +
        ", and stack() is known of calls: select functions for it, or leave it "
        "out");
  if (AtEnd && TakesCalls)
    return wrongUsage(
        "'" + *Other + "' selects " + Kind +
        ", which have no result, duration or errno: select functions in a "
        "command of their own");
  TakesOthers = true;
  AtEnd = false;
  return Error::success();
}

uint32_t Ask::kinds() const {
  return AtEnd ? uint32_t{TPRT_KIND_SET_ALL}
               : uint32_t{TPRT_KIND_SET_ENTRY} | TPRT_KIND_SET_POINT;
}

/// The keys are the same for all functions, except types of arguments. Those of
/// the first function count.
void Ask::learnFormats(expressions::Program Of) {
  Unsigned |= Of.IsUnsigned;
  if (hasFormats())
    return;
  Keys = std::move(Of.Keys);
  Value = Of.Value;
}

uint32_t Ask::valueKind(const expressions::KeyFormat &F) {
  using expressions::KeyFormat;
  switch (F.Kind) {
  case KeyFormat::Signed:
    return F.Names ? TPRT_TRACE_VALUE_NAMED_SIGNED : TPRT_TRACE_VALUE_SIGNED;
  case KeyFormat::Thread:
    return TPRT_TRACE_VALUE_SIGNED;
  case KeyFormat::Unsigned:
    return F.Names ? TPRT_TRACE_VALUE_NAMED_UNSIGNED
                   : TPRT_TRACE_VALUE_UNSIGNED;
  case KeyFormat::Floating:
    return TPRT_TRACE_VALUE_DOUBLE;
  case KeyFormat::Bool:
    return TPRT_TRACE_VALUE_BOOL;
  case KeyFormat::Character:
    return TPRT_TRACE_VALUE_CHARACTER;
  case KeyFormat::Address:
  case KeyFormat::Line:
    return TPRT_TRACE_VALUE_ADDRESS;
  case KeyFormat::Text:
    return TPRT_TRACE_VALUE_TEXT;
  case KeyFormat::Bytes:
    return TPRT_TRACE_VALUE_BYTES;
  case KeyFormat::Time:
    return TPRT_TRACE_VALUE_TIME;
  case KeyFormat::Code:
    return TPRT_TRACE_VALUE_CODE;
  case KeyFormat::Stack:
    return TPRT_TRACE_VALUE_STACK;
  case KeyFormat::Symbol:
    return TPRT_TRACE_VALUE_SYMBOL;
  case KeyFormat::Function:
    return TPRT_TRACE_VALUE_FUNCTION;
  case KeyFormat::Hex:
  case KeyFormat::Process:
    break;
  }
  return TPRT_TRACE_VALUE_HEX;
}

/// The names of values, as tprt/trace_file.h has them. They are cut, because a
/// recording may have them for each function; what has no name is shown as a
/// number.
static std::string namesOf(const expressions::KeyFormat &F) {
  constexpr size_t Most = 2048;
  std::string Text;
  for (const expressions::Enumerator &Each : F.Names->Enumerators) {
    const std::string Value =
        F.Kind == expressions::KeyFormat::Signed
            ? std::to_string(static_cast<int64_t>(Each.Value))
            : std::to_string(Each.Value);
    const std::string Pair = Value + "=" + Each.Name;
    if (StringRef(Pair).contains(' '))
      continue;
    if (Text.size() + 1 + Pair.size() > Most)
      break;
    Text += (Text.empty() ? "" : " ") + Pair;
  }
  return Text;
}

/// What a request has of a program: for ATTACH the program, and for RECORD also
/// a description of its values.
std::string Ask::requestOf(const expressions::Program &Of) const {
  if (!IsPrinting)
    return Of.Bytes;
  std::string Rows, Texts(1, '\0');
  auto put = [](std::string &To, const auto &Number) {
    To.append(reinterpret_cast<const char *>(&Number), sizeof Number);
  };
  for (const expressions::KeyFormat &F : Of.Keys) {
    put(Rows,
        tprt_trace_value{static_cast<uint32_t>(Texts.size()), valueKind(F)});
    Texts.append(F.Heading.c_str(), F.Heading.size() + 1);
    if (F.Names) {
      const std::string Names = namesOf(F);
      Texts.append(Names.c_str(), Names.size() + 1);
    }
  }
  std::string Bytes;
  const size_t Values = Rows.empty() ? 0 : Rows.size() + Texts.size();
  put(Bytes, tprt_control_record_program{static_cast<uint32_t>(Of.Bytes.size()),
                                         static_cast<uint32_t>(Values)});
  Bytes += Of.Bytes;
  return Values ? Bytes + Rows + Texts : Bytes;
}

expressions::Program Ask::programIn(StringRef Request) const {
  expressions::Program Of;
  Of.AtEnd = AtEnd;
  if (IsPrinting) {
    tprt_control_record_program Asked;
    memcpy(&Asked, Request.data(), sizeof Asked);
    Request = Request.substr(sizeof Asked, Asked.program);
  }
  Of.Bytes = Request.str();
  return Of;
}

/// The values of all functions are added up together, so they are all doubles,
/// or none is.
static bool isSameKind(expressions::ValueFormat A, expressions::ValueFormat B) {
  return (A == expressions::ValueFormat::Floating) ==
         (B == expressions::ValueFormat::Floating);
}

/// Keys that are all doubles, or none is.
static bool isSameKind(ArrayRef<expressions::KeyFormat> A,
                       ArrayRef<expressions::KeyFormat> B) {
  using expressions::KeyFormat;
  return all_of_zip(A, B, [](const KeyFormat &One, const KeyFormat &Other) {
    return (One.Kind == KeyFormat::Floating) ==
           (Other.Kind == KeyFormat::Floating);
  });
}

expressions::Signature Ask::signatureOf(Connection &C, const LiveSite &S) {
  const std::string Root = procPath(C.pid(), "root");
  expressions::Signature Of =
      S.Kind == TPRT_KIND_POINT         ? Types.pointAt(Root, S, Typed)
      : S.Of                            ? Types.probeAt(Root, S, Typed)
      : S.Kind == TPRT_KIND_INSTRUCTION ? Types.instructionAt(Root, S, Typed)
                                        : Types.signatureOf(Root, S);
  if (Asked.namesModules())
    Of.Modules = Types.modulesOf(C.pid(), C.hello().instance);
  return Of;
}

/// Compiles for a site, or says why the expressions do not fit.
Expected<expressions::Program> Ask::compileFor(Connection &C,
                                               const LiveSite &S) {
  const bool IsExit = S.Kind == TPRT_KIND_EXIT || S.Kind == TPRT_KIND_TAIL_EXIT;
  if (TakesOthers && IsExit)
    return createStringError("the function ends there: select the function, "
                             "and use result, duration or errno");
  if (TakesOthers && IsPrinting && S.Kind != TPRT_KIND_INSTRUCTION &&
      S.Kind != TPRT_KIND_POINT && !S.Of)
    return createStringError("a call begins there: select the function");
  expressions::Signature Of = signatureOf(C, S);
  auto Done = expressions::compile(Asked, &Of);
  if (Done && hasFormats() && !isSameKind(Done->Value, Value))
    return createStringError(
        "--of is a floating-point number here, and a whole number in other "
        "functions, or the reverse; cast it to one type");
  if (Done && !IsPrinting && hasFormats() && !isSameKind(Done->Keys, Keys))
    return createStringError(
        "a key is a floating-point number here, and a whole number in other "
        "functions, or the reverse; cast it to one type");
  return Done;
}

std::string Ask::programOf(Connection &C, const LiveSite &S) {
  const bool IsCall =
      S.Kind != TPRT_KIND_POINT && S.Kind != TPRT_KIND_INSTRUCTION && !S.Of;
  auto [At, New] =
      ByFunction.try_emplace({S.Module, IsCall ? S.Function : S.Sled, S.Base,
                              Asked.namesModules() ? C.hello().instance : 0});
  if (!New)
    return At->second;
  if (IsCall && !Common.empty() && (TakesCalls || !IsPrinting) &&
      S.Kind == TPRT_KIND_ENTRY) {
    ++Fitting;
    return At->second = Common;
  }
  auto Done = compileFor(C, S);
  if (Done) {
    At->second = requestOf(*Done);
    if (!Done->LeftOut.empty() && !HasLeftArgumentsOut) {
      HasLeftArgumentsOut = true;
      ArgumentsLeftOut = S.readable() + " without " + Done->LeftOut;
    }
    learnFormats(std::move(*Done));
    ++Fitting;
  } else {
    std::string Why = toString(Done.takeError());
    if (!LeftOut++) {
      WhyLeftOut = std::move(Why);
      FirstLeftOut = S.place();
    }
  }
  return At->second;
}

bool Ask::takesPoints(Connection &C, const Patterns &P) const {
  if (TakesOthers || AtEnd)
    return TakesOthers;
  auto Sites = listFirst(C, P, TPRT_KIND_SET_POINT);
  if (Sites)
    return !Sites->empty();
  consumeError(Sites.takeError());
  return false;
}

Following Ask::follow(Connection &C, const Patterns &P) {
  if (!Common.empty() && !takesPoints(C, P))
    return Following(C, P, kinds() & TPRT_KIND_SET_ALL,
                     GroupAction(TPRT_CONTROL_ACTION_AGGREGATE, Common));
  return Following(C, P, kinds(),
                   [this, &C](const LiveSite &S) { return programOf(C, S); });
}

Error Ask::tellLeftOut() {
  if (!ArgumentsLeftOut.empty())
    note("args shows the arguments of " + std::exchange(ArgumentsLeftOut, ""));
  if (!LeftOut)
    return Error::success();
  if (!Fitting)
    return wrongUsage(*WhyLeftOut);
  if (std::exchange(ToldOf, LeftOut) != LeftOut)
    note(std::to_string(LeftOut) + " of " +
         countText(LeftOut + Fitting, TakesOthers ? "site" : "function") +
         " left out, because the expressions do not fit; the first is " +
         FirstLeftOut + ": " + StringRef(*WhyLeftOut).split('\n').first.str());
  return Error::success();
}

} // namespace tpctl
