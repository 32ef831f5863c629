// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Speedscope.h. speedscope refuses a profile whose events go back in time
// or do not nest. Events are kept in the order of the recording, which the
// reader has made monotone. If a call is not written, its beginning is removed
// from the spool, so that the remaining calls nest.

#include "Speedscope.h"

#include "Config.h"
#include "shared/Output.h"
#include "shared/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>
#include <utility>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

uint32_t SpeedscopeFrames::operator[](FunctionId F) {
  auto [At, New] = Known.try_emplace(F, First + Order.size());
  if (New)
    Order.push_back(F);
  return At->second;
}

void SpeedscopeFrames::addTo(SpeedscopeFile &File) const {
  Code.prepare(R, Order);
  std::map<FunctionId, std::string> Where = Code.tellApart(R);
  raw_string_ostream OS(File.Frames);
  for (FunctionId Id : Order) {
    const Function &F = R.tables().function(Id);
    OS << (File.FrameCount++ ? ",\n" : "");
    auto At = Where.find(Id);
    writeSpeedscopeFrame(OS,
                         {F.ModulePath, F.Name,
                          At == Where.end() ? StringRef() : At->second,
                          Code.lineOf(R, Id)},
                         File.Names);
  }
}

void writeSpeedscopeFrame(raw_ostream &OS, const SpeedscopeFrame &F,
                          FrameNames Names) {
  std::string Whole = F.Name.str() + whereText(F.Where);
  std::string Name = Names == FrameNames::Whole
                         ? Whole
                         : shortName(F.Name) + whereText(F.Where);
  OS << "{\"name\":" << json::Value(jsonText(Name));
  StringRef File = F.Source.File.empty() ? F.Module : F.Source.File;
  if (!File.empty())
    OS << ",\"file\":" << json::Value(jsonText(File));
  if (F.Source.Line)
    OS << ",\"line\":" << F.Source.Line;
  if (Name != Whole)
    OS << ",\"whole\":" << json::Value(jsonText(Whole));
  if (const Row *R = F.Numbers) {
    OS << ",\"calls\":" << R->Stats.Calls;
    if (R->Stats.hasTimes())
      OS << ",\"total\":" << R->Stats.Total << ",\"self\":" << R->Stats.Self;
    if (R->Stats.Whole)
      OS << ",\"avg\":" << plainNumber(R->average());
  }
  OS << '}';
}

void beginSpeedscope(raw_ostream &OS, StringRef Name) {
  OS << "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
        "\"exporter\":\"tpctl "
     << TP_VERSION << "\",\"name\":" << json::Value(jsonText(Name))
     << ",\"profiles\":[\n";
}

void endSpeedscope(raw_ostream &OS, const SpeedscopeFile &File) {
  OS << "],\n\"activeProfileIndex\":" << File.Busiest
     << ",\n\"shared\":{\"frames\":[" << File.Frames << "]}}\n";
}

/// Puts the calls of a thread into the spool. A frame's tag is its slot,
/// because at the end the reader also closes frames of stacks other than the
/// current one.
class SpeedscopeCalls::Reader : public CallVisitor {
public:
  Reader(SpeedscopeCalls &All, ThreadInfo &Known)
      : All(All), Known(Known),
        Own((All.Threads.push_back(Known), All.Threads.back())) {}

  void entered(Frame &F, const Frame *, size_t Depth) {
    F.Tag = NoSlot;
    if (Depth >= MostDepth)
      return;
    Stack &S = current();
    uint32_t At = All.Spool.add(S.Row, {F.Start, F.Function, CallSpool::Open});
    if (Free.empty()) {
      Free.push_back(static_cast<uint32_t>(Slots.size()));
      Slots.emplace_back();
    }
    F.Tag = Free.back();
    Free.pop_back();
    Slots[F.Tag] = {&S, At};
  }
  void left(const Frame &F, Frame *, uint64_t End, Ending, size_t) {
    bool Taken = All.Takes(F, End);
    if (F.Tag == NoSlot) {
      All.TooDeep += Taken;
      return;
    }
    Slot Was = Slots[F.Tag];
    Free.push_back(F.Tag);
    if (!Taken)
      return All.Spool.drop(Was.On->Row, Was.At);
    All.Spool.add(Was.On->Row, {End, F.Function, CallSpool::Close});
    All.count(*Was.On, F.Start, End);
  }
  void whole(const Frame &F, uint64_t End, Ending, bool) {
    if (All.Takes(F, End))
      current().Late.push_back({F.Function, F.Start, End});
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t Depth) {
    Frame As = {F, false, 0, Time, 0};
    if (!All.Takes(As, Time))
      return;
    if (Depth >= MostDepth) {
      ++All.TooDeep;
      return;
    }
    Stack &S = current();
    All.Spool.add(S.Row, {Time, F, CallSpool::Open});
    All.Spool.add(S.Row, {Time, F, CallSpool::Close});
    All.count(S, Time, Time);
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t, size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME))
      Own.Name = Known.Name = tp::trace::textOf(More);
    if (isExtension(Word, TPRT_TRACE_SWITCH))
      Number = More.empty() ? 0 : More.front();
  }

private:
  static constexpr uint32_t NoSlot = UINT32_MAX;
  struct Slot {
    Stack *On;
    uint32_t At;
  };
  Stack &current() {
    Stack *&S = Mine[Number];
    if (!S) {
      All.Stacks.push_back({&Own, Number, All.Spool.addRow()});
      S = &All.Stacks.back();
    }
    return *S;
  }
  SpeedscopeCalls &All;
  ThreadInfo &Known; ///< the thread's, as long as it is read
  ThreadInfo &Own;   ///< the copy that is kept
  std::map<uint64_t, Stack *> Mine;
  uint64_t Number = 0;
  std::vector<Slot> Slots;
  std::vector<uint32_t> Free;
};

void SpeedscopeCalls::count(Stack &On, uint64_t Start, uint64_t End) {
  ++On.Calls;
  ++Calls;
  First = std::min(First, Start);
  Last = std::max(Last, End);
}

/// The format has calls in the order of time. Calls of one stack are inside of
/// one another, or apart. tpctl makes no recording in which a stack also has
/// calls of the other form.
void SpeedscopeCalls::placeLate(Stack &S) {
  std::vector<LateCall> Late = std::exchange(S.Late, {});
  if (S.Calls)
    return;
  stable_sort(Late, [](const LateCall &A, const LateCall &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.End > B.End;
  });
  std::vector<LateCall> Open;
  auto closeBefore = [&](uint64_t Time) {
    for (; !Open.empty() && Open.back().End <= Time; Open.pop_back())
      Spool.add(S.Row,
                {Open.back().End, Open.back().Function, CallSpool::Close});
  };
  for (LateCall &C : Late) {
    closeBefore(C.Start);
    // The counters of two processors may differ by a little.
    if (!Open.empty())
      C.End = std::min(C.End, Open.back().End);
    if (Open.size() >= MostDepth) {
      ++TooDeep;
      continue;
    }
    Spool.add(S.Row, {C.Start, C.Function, CallSpool::Open});
    Open.push_back(C);
    count(S, C.Start, C.End);
  }
  closeBefore(UINT64_MAX);
}

Expected<Totals> SpeedscopeCalls::read(const CallFilter &Filter) {
  auto Sum = readThreads<Reader>(
      R, Filter, [&](ThreadInfo &T) { return Reader(*this, T); });
  for (Stack &S : Stacks)
    placeLate(S);
  return Sum;
}

std::string SpeedscopeCalls::nameOf(const Stack &S) const {
  std::string Name = "tid " + std::to_string(S.Thread->Tid);
  if (!S.Thread->Name.empty())
    Name = S.Thread->Name + " (" + Name + ")";
  if (ProcessName)
    Name = ProcessName(*S.Thread) + " " + Name;
  else if (R.tables().processes().size() > 1)
    Name = "pid " + std::to_string(S.Thread->Pid) + " " + Name;
  if (S.Number)
    Name += ", stack " + std::to_string(S.Number);
  return Name;
}

long long SpeedscopeCalls::timeOf(uint64_t Counter) const {
  return std::llround(Later +
                      R.clock().sinceStart(std::clamp(Counter, From, To)));
}

Error SpeedscopeCalls::writeProfile(raw_ostream &OS, const Stack &S,
                                    SpeedscopeFrames &Frames) {
  OS << "{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":"
     << json::Value(jsonText(nameOf(S))) << ",\"events\":[";
  ListSeparator Comma(",\n");
  Error E = Spool.visit(S.Row, [&](const CallSpool::Event &E) {
    OS << Comma << "{\"type\":\"" << (E.What == CallSpool::Open ? "O" : "C")
       << "\",\"frame\":" << Frames[E.Function] << ",\"at\":" << timeOf(E.Time)
       << '}';
  });
  // The bounds are the same for all threads, so that their times can be
  // compared.
  OS << "],\"startValue\":" << timeOf(First) << ",\"endValue\":" << timeOf(Last)
     << '}';
  return E;
}

void SpeedscopeCalls::visitProfiles(
    function_ref<void(const std::string &, uint64_t)> Visit) const {
  for (const Stack &S : Stacks)
    if (S.Calls)
      Visit(nameOf(S), S.Calls);
}

Error SpeedscopeCalls::writeProfiles(raw_ostream &OS, SpeedscopeFile &File) {
  SpeedscopeFrames Frames(R, Code, File.FrameCount);
  for (const Stack &S : Stacks) {
    if (!S.Calls)
      continue;
    if (S.Calls > File.MostCalls) {
      File.MostCalls = S.Calls;
      File.Busiest = File.Profiles;
    }
    OS << (File.Profiles++ ? ",\n" : "");
    if (Error E = writeProfile(OS, S, Frames))
      return E;
  }
  Frames.addTo(File);
  return Error::success();
}

Error SpeedscopeCalls::write(raw_ostream &OS, StringRef Name,
                             FrameNames Names) {
  SpeedscopeFile File;
  File.Names = Names;
  beginSpeedscope(OS, Name);
  if (Error E = writeProfiles(OS, File))
    return E;
  endSpeedscope(OS, File);
  return Error::success();
}

} // namespace tpctl
