// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Aggregate.h.

#include "Aggregate.h"

#include "live/requests/Readings.h"
#include "shared/Output.h"
#include "shared/Values.h"
#include "tprt/control_program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace tpctl {

using expressions::KeyFormat;

// --- sums --------------------------------------------------------------------

/// A + Sign * B, as numbers or as the bits of doubles.
static int64_t plus(int64_t A, int64_t B, int Sign, bool IsFloating) {
  if (IsFloating)
    return bit_cast<int64_t>(bit_cast<double>(A) + Sign * bit_cast<double>(B));
  auto Change = static_cast<uint64_t>(B);
  return static_cast<int64_t>(static_cast<uint64_t>(A) +
                              (Sign < 0 ? 0 - Change : Change));
}

void AggregateSums::add(const AggregateSums &Other) {
  IsFloating |= Other.IsFloating;
  IsUnsigned |= Other.IsUnsigned;
  if (Other.known()) {
    if (!known() || number(Other.Least) < number(Least))
      Least = Other.Least;
    if (!known() || number(Other.Greatest) > number(Greatest))
      Greatest = Other.Greatest;
  }
  Hits += Other.Hits;
  Sum = plus(Sum, Other.Sum, 1, IsFloating);
  Unknown += Other.Unknown;
  Negative += Other.Negative;
  Unplaced += Other.Unplaced;
  Self += Other.Self;
  for (auto [Bucket, Count] : Other.Buckets)
    Buckets[Bucket] += Count;
}

AggregateSums AggregateSums::since(const AggregateSums &Before) const {
  auto less = [](uint64_t A, uint64_t B) { return A - std::min(A, B); };
  AggregateSums Fresh = *this;
  Fresh.Hits = less(Hits, Before.Hits);
  Fresh.Sum = plus(Sum, Before.Sum, -1, IsFloating);
  Fresh.Unknown = less(Unknown, Before.Unknown);
  Fresh.Negative = less(Negative, Before.Negative);
  Fresh.Unplaced = less(Unplaced, Before.Unplaced);
  Fresh.Self = less(Self, Before.Self);
  for (auto [Bucket, Count] : Before.Buckets)
    if (auto At = Fresh.Buckets.find(Bucket); At != Fresh.Buckets.end()) {
      At->second = less(At->second, Count);
      if (!At->second)
        Fresh.Buckets.erase(At);
    }
  return Fresh;
}

AggregateRows freshRows(const AggregateRows &Now, const AggregateRows &Before) {
  AggregateRows Fresh;
  for (const auto &[Keys, Sums] : Now) {
    auto At = Before.find(Keys);
    AggregateSums More =
        Sums.since(At == Before.end() ? AggregateSums() : At->second);
    if (More.Hits)
      Fresh[Keys] = std::move(More);
  }
  return Fresh;
}

/// Each thread adds modulo 2^64.
std::optional<int64_t> AggregateSums::sum() const {
  double Most = std::max(std::abs(number(Least)), std::abs(number(Greatest)));
  bool Fits = IsFloating || Most * static_cast<double>(known()) < 9.2e18;
  if (!hasTrueValues() || !Fits)
    return std::nullopt;
  return Sum;
}

std::optional<double> AggregateSums::average() const {
  if (auto Of = sum())
    return number(*Of) / static_cast<double>(known());
  return std::nullopt;
}

std::optional<double> AggregateSums::quantile(double Share) const {
  if (IsUnsigned && Negative)
    return std::nullopt;
  uint64_t All = Negative, Below = Negative;
  for (auto [Bucket, Count] : Buckets)
    All += Count;
  double Wanted = Share * static_cast<double>(All);
  if (!All || static_cast<double>(Below) >= Wanted)
    return std::nullopt;
  for (auto [Bucket, Count] : Buckets) {
    Below += Count;
    if (static_cast<double>(Below) < Wanted)
      continue;
    auto First = static_cast<double>(tprt_control_bucket_start(Bucket));
    // Below 16, each number has its own bucket.
    if (Bucket < 16)
      return First;
    auto End = static_cast<double>(tprt_control_bucket_start(Bucket + 1));
    return std::clamp((First + End) / 2, number(Least), number(Greatest));
  }
  return std::nullopt;
}

// --- keys --------------------------------------------------------------------

bool KeyValue::operator<(const KeyValue &Other) const {
  if (What != Other.What)
    return What < Other.What;
  if (Floating && Other.Floating) {
    // A NaN compares with nothing. All of them are one key, the last.
    bool IsNan = std::isnan(*Floating), OtherIs = std::isnan(*Other.Floating);
    if (IsNan || OtherIs)
      return !IsNan;
    if (*Floating != *Other.Floating)
      return *Floating < *Other.Floating;
  }
  if (Number && Other.Number && *Number != *Other.Number)
    return IsUnsigned ? static_cast<uint64_t>(*Number) <
                            static_cast<uint64_t>(*Other.Number)
                      : *Number < *Other.Number;
  return Text < Other.Text;
}

bool Aggregate::isOthers(const KeyValues &Keys) {
  return Keys.size() == 1 && Keys[0].What == KeyValue::Others;
}

static KeyValue numberOf(const KeyFormat &F, uint64_t Word) {
  if (F.Names)
    for (const expressions::Enumerator &Each : F.Names->Enumerators)
      if (Each.Value == Word)
        return {Each.Name, std::nullopt};
  KeyValue Key{textOf(Ask::valueKind(F), Word), static_cast<int64_t>(Word)};
  if (F.Kind == KeyFormat::Hex || F.Kind == KeyFormat::Address)
    Key.Number.reset();
  if (F.Kind == KeyFormat::Floating) {
    Key.Number.reset();
    Key.Text = exactNumber(bit_cast<double>(Word), F.Bits == 32);
    Key.Floating = bit_cast<double>(Word);
  }
  Key.IsUnsigned = F.Kind == KeyFormat::Unsigned || F.Kind == KeyFormat::Time;
  return Key;
}

/// A key of buf().
static KeyValue bytesOf(uint8_t Kind, StringRef Bytes) {
  const bool IsCut = Kind == TPRT_PROGRAM_KEY_CUT_TEXT;
  return {bytesText(Bytes) + (IsCut ? "..." : ""), std::nullopt, false,
          IsCut ? KeyValue::Cut : KeyValue::Known};
}

/// Calls visit(Format, Kind, Bytes) for each key that the program has computed.
template <class Visit>
static void visitKeys(ArrayRef<KeyFormat> Formats, StringRef Keys,
                      Visit visit) {
  for (const KeyFormat &F : Formats) {
    if (F.Kind == KeyFormat::Process) {
      visit(F, TPRT_PROGRAM_KEY_UNKNOWN, "");
      continue;
    }
    auto Kind = static_cast<uint8_t>(Keys.empty() ? 0 : Keys[0]);
    Keys = Keys.drop_front(Keys.empty() ? 0 : 1);
    size_t Length = Kind == TPRT_PROGRAM_KEY_NUMBER ? 8 : 0;
    if (Kind == TPRT_PROGRAM_KEY_STACK_FRAMES && !Keys.empty())
      Length = 2 + 8 * size_t{static_cast<uint8_t>(Keys[0])};
    if ((Kind == TPRT_PROGRAM_KEY_TEXT || Kind == TPRT_PROGRAM_KEY_CUT_TEXT) &&
        !Keys.empty()) {
      Length = static_cast<uint8_t>(Keys[0]);
      Keys = Keys.drop_front();
    }
    Length = std::min(Length, Keys.size());
    visit(F, Kind, Keys.take_front(Length));
    Keys = Keys.drop_front(Length);
  }
}

static uint64_t wordOf(StringRef Bytes) {
  uint64_t Word = 0;
  memcpy(&Word, Bytes.data(), std::min<size_t>(Bytes.size(), sizeof Word));
  return Word;
}

/// A stack of frames that a program has computed, from its bytes.
static Stack stackOf(StringRef Bytes) {
  Stack Result;
  Result.End = Bytes.size() > 1 ? static_cast<uint8_t>(Bytes[1])
                                : unsigned{TPRT_PROGRAM_STACK_LOST};
  for (Bytes = Bytes.drop_front(std::min<size_t>(2, Bytes.size()));
       !Bytes.empty();
       Bytes = Bytes.drop_front(std::min<size_t>(8, Bytes.size())))
    Result.Frames.push_back(wordOf(Bytes.take_front(8)));
  return Result;
}

/// Stacks with the same names are the same key.
static KeyValue stackKey(CodeNames &Code, StringRef Bytes) {
  KeyValue Key;
  Key.Frames = stackOf(Bytes).names(
      [&](uint64_t Address) { return Code.callerAt(Address); });
  Key.Text = foldedStack(Key.Frames);
  return Key;
}

/// The process may be killed at any time, so callers are looked up immediately.
void Aggregate::learnKeys(Keyed &Of, const KeyedRow &Row) {
  visitKeys(A.keys(), Row.Keys,
            [&](const KeyFormat &F, uint8_t Kind, StringRef Bytes) {
              if (Kind == TPRT_PROGRAM_KEY_STACK_FRAMES)
                stackKey(Of.Code, Bytes);
              if (Kind != TPRT_PROGRAM_KEY_NUMBER)
                return;
              if (F.Kind == KeyFormat::Function)
                Of.Names.want(static_cast<uint32_t>(wordOf(Bytes)));
              else if (F.Kind == KeyFormat::Line)
                Of.Code.lineAt(wordOf(Bytes));
              else if (F.Kind == KeyFormat::Code)
                Of.Code.callerAt(wordOf(Bytes));
              else if (F.Kind == KeyFormat::Symbol)
                Of.Code.symbolAt(wordOf(Bytes));
            });
}

KeyValues Aggregate::keysOf(Keyed &Of, const KeyedRow &Row) {
  if (Row.Sums.flags & TPRT_CONTROL_ROW_OTHERS)
    return {{"(others)", std::nullopt, false, KeyValue::Others}};
  KeyValues All;
  visitKeys(A.keys(), Row.Keys,
            [&](const KeyFormat &F, uint8_t Kind, StringRef Bytes) {
              const uint64_t Word = wordOf(Bytes);
              if (F.Kind == KeyFormat::Process)
                All.push_back({std::to_string(Of.Pid), Of.Pid});
              else if (Kind == TPRT_PROGRAM_KEY_UNKNOWN)
                All.push_back({"?", std::nullopt, false, KeyValue::Unknown});
              else if (Kind == TPRT_PROGRAM_KEY_STACK_FRAMES)
                All.push_back(stackKey(Of.Code, Bytes));
              else if (F.Kind == KeyFormat::Bytes &&
                       (Kind == TPRT_PROGRAM_KEY_TEXT ||
                        Kind == TPRT_PROGRAM_KEY_CUT_TEXT))
                All.push_back(bytesOf(Kind, Bytes));
              else if (Kind == TPRT_PROGRAM_KEY_TEXT)
                All.push_back({Bytes.str(), std::nullopt});
              else if (Kind == TPRT_PROGRAM_KEY_CUT_TEXT)
                All.push_back(
                    {Bytes.str() + "...", std::nullopt, false, KeyValue::Cut});
              else if (F.Kind == KeyFormat::Function)
                All.push_back(
                    {Of.Names.known(static_cast<uint32_t>(Word)).place(),
                     std::nullopt});
              else if (F.Kind == KeyFormat::Line)
                All.push_back({Of.Code.lineAt(Word), std::nullopt});
              else if (F.Kind == KeyFormat::Code)
                All.push_back({Of.Code.callerAt(Word), std::nullopt});
              else if (F.Kind == KeyFormat::Symbol)
                All.push_back({Of.Code.symbolAt(Word), std::nullopt});
              else
                All.push_back(numberOf(F, Word));
            });
  return All;
}

// --- reading -----------------------------------------------------------------

void Aggregate::addRows(Keyed &Of, AggregateRows &To) {
  for (const auto &[Place, Row] : Of.Rows) {
    if (!Row.Sums.hits) // all pairs have ended
      continue;
    AggregateSums Sums{Row.Sums.hits,     Row.Sums.sum,
                       Row.Sums.least,    Row.Sums.greatest,
                       Row.Sums.unknown,  Row.Sums.negative,
                       Row.Sums.unplaced, {},
                       A.isFloating(),    A.isUnsigned(),
                       Row.Self};
    for (auto [Bucket, Count] : Row.Buckets)
      Sums.Buckets[Bucket] += Count;
    To[keysOf(Of, Row)].add(Sums);
  }
}

AggregateRows Aggregate::rows() {
  AggregateRows All;
  for (auto &Of : Processes)
    addRows(static_cast<Keyed &>(*Of), All);
  return All;
}

bool Aggregate::lacksNames() const {
  return any_of(Processes, [](const auto &Of) {
    return Of->C && static_cast<const Keyed &>(*Of).Names.lacks();
  });
}

Error Aggregate::attachFirst(Process &Which) {
  auto &Of = static_cast<Keyed &>(Which);
  auto Around = A.Around.attach(*Of.C, P);
  if (!Around)
    return Around.takeError();
  Of.Around = std::move(*Around);
  return Error::success();
}

Expected<bool> Aggregate::readProcess(Process &Which) {
  auto &Of = static_cast<Keyed &>(Which);
  if (Error E = Scopes::followLater(Of.Around))
    return E;
  if (Error E = tellLeftOut())
    return E;
  auto Now = readRows(*Of.C, Of.Group, isOfPairs());
  if (!Now)
    return Now.takeError();
  for (KeyedRow &Row : Now->Rows) {
    learnKeys(Of, Row);
    Of.Rows[{Row.Sums.table, Row.Sums.number}] = std::move(Row);
  }
  if (Now->Stopped)
    At.endNow();
  Of.Missed = Now->Missed;
  Of.Unread = Now->Unread;
  Of.Lost = Now->Untimed;
  Of.Left = Now->Left;
  Of.Pairs = Now->Pairs;
  Of.Latest = Of.C->timeOf(Now->Ticks);
  return Now->Ending;
}

Error Aggregate::beginWindow(Process &Which) {
  auto &Of = static_cast<Keyed &>(Which);
  auto Ending = readProcess(Of);
  if (!Ending)
    return Ending.takeError();
  Of.Begin = Of.Latest;
  if (Error E = Of.Names.learn(*Of.C))
    return E;
  addRows(Of, Start);
  return Error::success();
}

tprt_control_pairs Aggregate::pairs() const {
  tprt_control_pairs All = {};
  for (const auto &Which : Processes) {
    const tprt_control_pairs &Of = static_cast<const Keyed &>(*Which).Pairs;
    All.started += Of.started, All.ended += Of.ended;
    All.unpaired += Of.unpaired, All.replaced += Of.replaced;
    All.full += Of.full;
  }
  return All;
}

void Aggregate::explain(bool Seen) const {
  const auto [Sites, Missed, Matched, Why] = sums();
  uint64_t Unread = 0, Lost = 0, Left = 0;
  for (const auto &Which : Processes) {
    const auto &Of = static_cast<const Keyed &>(*Which);
    Unread += Of.Unread, Lost += Of.Lost, Left += Of.Left;
  }
  if (Unread)
    note(countText(Unread, "call") + " not counted, because the condition" +
         (isOfPairs() ? " or the key of the pair" : "") +
         " is not known: memory could not be read, the call ended without "
         "a result (a tail call, an exception), or the condition divides by "
         "0" +
         (A.Around.any() ? ", or the functions of --in or depth are no longer "
                           "followed"
                         : ""));
  if (Left && A.usesDuration())
    note(describeLeft(Left));
  if (!Seen && !Sites && Matched) {
    note("no call is counted, because all matching sites were refused");
  } else if (!Seen && !Sites) {
    const std::string Text =
        "no function matches " + P.text() + (Why.empty() ? "" : ": " + Why);
    Processes.empty() ? note(Text) : At.tellNothing(P, Text);
    At.tellOthers();
  } else if (!Seen && !Unread) {
    note(countText(Sites, "site") + " watched, but no call " +
         (A.Around.isInside() && !A.hasCondition()
              ? "was seen inside a call of " + A.Around.text()
          : A.hasCondition() ? "was seen for which the condition is true"
          : A.isAtEnd()      ? "was seen to begin and to end"
                             : "was seen"));
    At.tellOthers();
  }
  if (Missed)
    note(countText(Missed, "hit") +
         " not counted: they came from inside handlers, or their threads got "
         "no memory");
  if (Lost)
    note(countText(Lost, "call") + " not counted: more than 4,096 were open in "
                                   "a thread, or it got no memory");
}

} // namespace tpctl
