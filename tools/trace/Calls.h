// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs the entries and exits of one thread into calls. Exceptions, longjmp, a
// ring's start, late attachment and kills leave calls open. Open calls are
// closed and marked:
//  - an exit below the top of the stack ends all calls above it (Unwound). A
//    word that says in which function the program continued does the same;
//  - if the function of an exit is not on the stack, its call began earlier
//    (orphan);
//  - calls that are open at the end of the thread are Unfinished;
//  - calls that are open where events are missing are Uncertain.
// The times of a thread that the visitor sees never decrease. Not thread-safe.
//
// The visitor is a class with the functions of CallVisitor. The visitor is a
// template parameter, so that the loop over the words contains no call.

#ifndef TP_TRACE_CALLS_H
#define TP_TRACE_CALLS_H

#include "Recording.h"
#include "Words.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace tp::trace {

/// How a call's end is known.
enum class Ending : uint8_t { Whole, Unwound, Unfinished, Uncertain };

struct Frame {
  FunctionId Function;
  bool Nested;  ///< the function is further down on the stack, too
  uint32_t Tag; ///< for the visitor
  uint64_t Start;
  uint64_t Inner; ///< ticks of the calls that this one made
};

/// The functions of a visitor. In this class the functions do nothing. `Depth`
/// is the number of surrounding calls.
struct CallVisitor {
  void entered(Frame &, const Frame * /*Parent*/, size_t /*Depth*/) {}
  /// `Parent` is null for the outermost call.
  void left(const Frame &, Frame * /*Parent*/, uint64_t /*End*/, Ending,
            size_t /*Depth*/) {}
  /// The exit of a call whose entry is missing.
  void orphan(FunctionId, uint64_t /*Time*/) {}
  /// A call whose exit is not recorded.
  void visited(FunctionId, Frame * /*Parent*/, uint64_t /*Time*/,
               size_t /*Depth*/) {}
  /// A call that is known only at its end. Calls that it made came before it.
  /// So its place among the other calls is not known, and its frame has no tag.
  void whole(const Frame &, uint64_t /*End*/, Ending, bool /*TailExit*/) {}
  /// What a program has computed at the next event: the forms, and the words of
  /// TPRT_TRACE_COMPUTED.
  void computed(uint64_t /*Forms*/, llvm::ArrayRef<uint64_t>) {}
  /// Called for a word that is not an event, with its type, its upper bits, and
  /// the words after it.
  void extension(uint64_t /*Word*/, llvm::ArrayRef<uint64_t>, uint64_t /*Time*/,
                 size_t /*Depth*/) {}
  /// The site of the next event.
  void site(uint32_t) {}
};

/// Reads the segments of one thread.
template <class Visitor> class CallReader {
public:
  CallReader(Tables &Names, Findings &Found) : Names(Names), Found(Found) {}
  CallReader(const CallReader &) = delete;
  CallReader &operator=(const CallReader &) = delete;

  void segment(const Segment &S, Visitor &V);
  /// Closes open calls. Call this once, after the last segment.
  void finish(Visitor &V);

  uint64_t events() const { return Events; }
  uint64_t lost() const { return std::max(Lost, LostHere); }
  uint64_t lastTime() const { return Latest; }

private:
  /// Calls deeper than this limit have no frame, so that a damaged file cannot
  /// use up all memory.
  static constexpr size_t MostFrames = 1'000'000;

  struct Stack {
    std::vector<Frame> Frames;
    std::vector<uint32_t> Active; ///< frames of each function
    size_t Uncertain = 0;         ///< so many, from the bottom
    size_t Beyond = 0;            ///< calls deeper than MostFrames
  };

  // These functions are inlined into the loop over the words: a call would save
  // registers at each event.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void enter(FunctionId F, uint64_t Time,
                                          Visitor &V);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void leave(FunctionId F, uint64_t Time,
                                          Visitor &V);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void popTop(uint64_t Time, Ending How,
                                           Visitor &V);
  // These functions handle the rare cases.
  void enterBeyond(FunctionId F, uint64_t Time, Visitor &V);
  void leaveOther(FunctionId F, uint64_t Time, Visitor &V);
  void visit(FunctionId F, uint64_t Time, Visitor &V);
  void unwind(uint64_t Address, uint64_t Time, Visitor &V);
  void whole(llvm::ArrayRef<uint64_t> Words, uint64_t End, Visitor &V);
  void pop(uint64_t Time, Ending How, Visitor &V);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void
  event(uint32_t Site, FunctionId F, unsigned What, uint64_t Time, Visitor &V);
  size_t extension(llvm::ArrayRef<uint64_t> Rest, uint64_t Time, Visitor &V);
  void meaning(uint64_t Word, llvm::ArrayRef<uint64_t> More, uint64_t Time,
               Visitor &V);
  void computed(const uint64_t *At, const uint64_t *End, Visitor &V);
  void missing() { Current->Uncertain = Current->Frames.size(); }
  Frame *top() {
    return Current->Frames.empty() ? nullptr : &Current->Frames.back();
  }

  Tables &Names;
  Findings &Found;
  Stack Own;
  std::map<uint64_t, Stack> Others; ///< of fibers
  Stack *Current = &Own;
  uint64_t Latest = 0; ///< of all times so far
  uint64_t Last = 0;   ///< of the word before
  uint64_t Events = 0, Lost = 0, LostHere = 0, Untimed = 0;
  uint32_t NextOrder = 0;
  bool Begun = false;
};

template <class Visitor>
void CallReader<Visitor>::enter(FunctionId F, uint64_t Time, Visitor &V) {
  Stack &S = *Current;
  if (LLVM_UNLIKELY(F >= S.Active.size()))
    S.Active.resize(std::max<size_t>(F + 1, Names.functionCount()));
  if (LLVM_UNLIKELY(S.Frames.size() == MostFrames))
    return enterBeyond(F, Time, V);
  S.Frames.push_back({F, S.Active[F]++ != 0, 0, Time, 0});
  size_t Depth = S.Frames.size() - 1;
  V.entered(S.Frames[Depth], Depth ? &S.Frames[Depth - 1] : nullptr, Depth);
}

template <class Visitor>
LLVM_ATTRIBUTE_NOINLINE void
CallReader<Visitor>::enterBeyond(FunctionId F, uint64_t Time, Visitor &V) {
  ++Current->Beyond;
  Found.add(Finding::CallsTooDeep);
  V.visited(F, top(), Time, MostFrames);
}

template <class Visitor>
LLVM_ATTRIBUTE_NOINLINE void CallReader<Visitor>::pop(uint64_t Time, Ending How,
                                                      Visitor &V) {
  popTop(Time, How, V);
}

template <class Visitor>
void CallReader<Visitor>::popTop(uint64_t Time, Ending How, Visitor &V) {
  Stack &S = *Current;
  Frame Left = S.Frames.back();
  S.Frames.pop_back();
  --S.Active[Left.Function];
  size_t Depth = S.Frames.size();
  if (LLVM_UNLIKELY(Depth < S.Uncertain)) {
    S.Uncertain = Depth;
    if (How == Ending::Whole)
      How = Ending::Uncertain;
  }
  if (LLVM_UNLIKELY(How != Ending::Whole))
    Found.add(How == Ending::Unwound      ? Finding::CallsUnwound
              : How == Ending::Unfinished ? Finding::CallsUnfinished
                                          : Finding::CallsUncertain);
  Frame *Parent = top();
  if (Parent)
    Parent->Inner += Time - Left.Start;
  V.left(Left, Parent, Time, How, Depth);
}

template <class Visitor>
void CallReader<Visitor>::leave(FunctionId F, uint64_t Time, Visitor &V) {
  Stack &S = *Current;
  if (LLVM_LIKELY(!S.Frames.empty() && S.Frames.back().Function == F &&
                  !S.Beyond))
    return popTop(Time, Ending::Whole, V);
  leaveOther(F, Time, V);
}

template <class Visitor>
LLVM_ATTRIBUTE_NOINLINE void
CallReader<Visitor>::leaveOther(FunctionId F, uint64_t Time, Visitor &V) {
  Stack &S = *Current;
  if (S.Beyond) {
    --S.Beyond;
    return;
  }
  if (F >= S.Active.size() || !S.Active[F]) {
    Found.add(Finding::ExitsAlone);
    return V.orphan(F, Time);
  }
  while (S.Frames.back().Function != F)
    pop(Time, Ending::Unwound, V);
  pop(Time, Ending::Whole, V);
}

/// The program continues in the innermost call of the function at the address.
/// If that function is not recorded, the calls that have ended are unknown.
template <class Visitor>
void CallReader<Visitor>::unwind(uint64_t Address, uint64_t Time, Visitor &V) {
  Stack &S = *Current;
  for (FunctionId F : Names.functionsAt(Address)) {
    if (F >= S.Active.size() || !S.Active[F])
      continue;
    S.Beyond = 0;
    while (S.Frames.back().Function != F)
      pop(Time, Ending::Unwound, V);
    return;
  }
}

template <class Visitor>
void CallReader<Visitor>::whole(llvm::ArrayRef<uint64_t> Words, uint64_t End,
                                Visitor &V) {
  tprt_trace_whole_call Call;
  if (Words.size() * sizeof(uint64_t) < sizeof Call)
    return Found.add(Finding::EventsCut);
  memcpy(&Call, Words.data(), sizeof Call);
  ++Events;
  V.site(Call.site);
  FunctionId F = Names.functionOf(Call.site);
  uint64_t Start = std::min(Call.start, End);
  Ending How =
      Call.end == TPRT_TRACE_CALL_LEFT ? Ending::Unwound : Ending::Whole;
  if (How == Ending::Unwound)
    Found.add(Finding::CallsUnwound);
  V.whole({F, false, 0, Start, std::min(Call.inner, End - Start)}, End, How,
          Call.end == TPRT_TRACE_CALL_TAIL);
}

template <class Visitor>
void CallReader<Visitor>::visit(FunctionId F, uint64_t Time, Visitor &V) {
  Untimed += !Names.function(F).IsPlace;
  V.visited(F, top(), Time, Current->Frames.size());
}

template <class Visitor>
void CallReader<Visitor>::event(uint32_t Site, FunctionId F, unsigned What,
                                uint64_t Time, Visitor &V) {
  V.site(Site);
  if (LLVM_UNLIKELY(F == NoFunction))
    F = Names.unusualSite(Site);
  if (What == TPRT_TRACE_ENTRY)
    enter(F, Time, V);
  else if (What == TPRT_TRACE_EXIT)
    leave(F, Time, V);
  else
    visit(F, Time, V);
}

/// The values of an event follow the event. A visitor needs them before.
template <class Visitor>
LLVM_ATTRIBUTE_NOINLINE void CallReader<Visitor>::computed(const uint64_t *At,
                                                           const uint64_t *End,
                                                           Visitor &V) {
  size_t Count = countOf(*At);
  if (Count < static_cast<size_t>(End - At))
    V.computed(*At >> TPRT_TRACE_TIME_SHIFT, {At + 1, Count});
}

template <class Visitor>
void CallReader<Visitor>::segment(const Segment &S, Visitor &V) {
  bool Gap = Begun ? S.Order != NextOrder : S.Order != 0;
  // Events that a ring has overwritten do not count as missing.
  if (Gap && Begun)
    Found.add(Finding::BlocksMissing,
              S.Order > NextOrder ? S.Order - NextOrder : 1);
  if (Gap)
    missing();
  Begun = true;
  NextOrder = S.Order + 1;
  Lost = std::max(Lost, S.Lost);

  // Local variables stay in registers. The compiler would have to assume that a
  // store of a frame changes members.
  const uint64_t *At = S.Words.begin(), *End = S.Words.end();
  llvm::ArrayRef<FunctionId> Sites = Names.siteFunctions();
  uint64_t Zeros = 0, Back = 0, Seen = 0, Before = S.Counter, Most = Latest;
  while (At != End) {
    uint64_t Word = *At, Time = timeAfter(Before, Word);
    unsigned What = whatOf(Word);
    if (LLVM_UNLIKELY(What == TPRT_TRACE_EXTENSION)) {
      if (Word) {
        Last = Before, Latest = Most;
        At += extension({At, End}, Time, V);
        Before = Last, Most = Latest;
      } else {
        ++Zeros;
        ++At;
      }
      continue;
    }
    ++At;
    ++Seen;
    Before = Time;
    if (LLVM_UNLIKELY(Time < Most)) {
      ++Back;
      Time = Most;
    }
    Most = Time;
    uint32_t Site = siteOf(Word);
    FunctionId F = Site < Sites.size() ? Sites[Site] : NoFunction;
    if (LLVM_UNLIKELY(At != End && isExtension(*At, TPRT_TRACE_COMPUTED)))
      computed(At, End, V);
    event(Site, F, What, Time, V);
  }
  Last = Before, Latest = Most;
  Events += Seen;
  if (Zeros)
    Found.add(Finding::WordsLost, Zeros);
  if (Back)
    Found.add(Finding::TimeBack, Back);
}

/// Returns how many words were read.
template <class Visitor>
size_t CallReader<Visitor>::extension(llvm::ArrayRef<uint64_t> Rest,
                                      uint64_t Time, Visitor &V) {
  uint64_t Word = Rest.front();
  size_t Length = lengthOf(Word);
  if (Length > Rest.size()) {
    Found.add(Finding::WordsBeyond);
    return Rest.size();
  }
  llvm::ArrayRef<uint64_t> More = Rest.slice(1, Length - 1);
  if (hasTime(Word)) {
    Last = Time;
    Latest = std::max(Latest, Time);
  }
  bool IsEvent =
      typeOf(Word) == TPRT_TRACE_WIDE || typeOf(Word) == TPRT_TRACE_WHOLE_CALL;
  if (IsEvent && Length < Rest.size() &&
      isExtension(Rest[Length], TPRT_TRACE_COMPUTED))
    computed(&Rest[Length], Rest.end(), V);
  meaning(Word, More, Latest, V);
  return Length;
}

template <class Visitor>
void CallReader<Visitor>::meaning(uint64_t Word, llvm::ArrayRef<uint64_t> More,
                                  uint64_t Time, Visitor &V) {
  uint64_t First = More.empty() ? 0 : More.front();
  switch (typeOf(Word)) {
  case TPRT_TRACE_TIME:
    if (!More.empty())
      Last = First;
    return;
  case TPRT_TRACE_RESERVED:
    return Found.add(Finding::EventsCut);
  case TPRT_TRACE_WIDE:
    if (unsigned What = First >> 32 & 3) {
      ++Events;
      auto Site = static_cast<uint32_t>(First);
      event(Site, Names.functionOf(Site), What, Time, V);
    }
    return;
  case TPRT_TRACE_LOST:
    LostHere += First;
    missing();
    break;
  case TPRT_TRACE_SWITCH:
    Current = First ? &Others[First] : &Own;
    break;
  case TPRT_TRACE_UNWOUND:
    return unwind(First, Time, V);
  case TPRT_TRACE_WHOLE_CALL:
    return whole(More, Time, V);
  case TPRT_TRACE_COMPUTED:
    return; // the event has had it
  case TPRT_TRACE_VALUES:
  case TPRT_TRACE_POINT:
  case TPRT_TRACE_MARK:
  case TPRT_TRACE_CLOCK:
  case TPRT_TRACE_THREAD_NAME:
  case TPRT_TRACE_FORK:
  case TPRT_TRACE_EXEC:
  case TPRT_TRACE_THREAD_END:
    break;
  default:
    return Found.add(Finding::WordsUnknown);
  }
  V.extension(Word, More, Time, Current->Frames.size());
}

template <class Visitor> void CallReader<Visitor>::finish(Visitor &V) {
  auto close = [&](Stack &S) {
    Current = &S;
    while (!S.Frames.empty())
      pop(Latest, Ending::Unfinished, V);
  };
  close(Own);
  for (auto &[Number, S] : Others)
    close(S);
  Found.add(Finding::EventsLost, lost());
  Found.add(Finding::CallsUntimed, std::exchange(Untimed, 0));
}

} // namespace tp::trace

#endif
