// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For formats that write a call's beginning before its end. If a call's
// duration decides whether the call is selected, the beginning and everything
// after it wait. So everything is written in time order. Memory holds the
// events of a span of --min, or of --max if --max is given. One thread's events
// at a time.

#ifndef TPCTL_SLICES_H
#define TPCTL_SLICES_H

#include "Export.h"
#include <deque>

namespace tpctl {

/// `Sink` has four functions: begin, end and instant get a function and a time,
/// and begin and instant what programs have computed; extension gets a word,
/// the words after that word, and a time.
template <class Sink> class Slices : public tp::trace::CallVisitor {
public:
  Slices(ExportJob &Job, Sink To) : Job(Job), To(std::move(To)) {}

  void entered(tp::trace::Frame &F, const tp::trace::Frame *, size_t) {
    F.Tag = 0;
    Computed Of = std::exchange(Next, {});
    if (!Job.Filter.takesTime(F.Start) || !Job.wants(F.Function))
      return;
    F.Tag = add({Job.Filter.hasDurations() ? Unknown : Begin, F.Function,
                 F.Start, keep(std::move(Of))});
    flush(F.Start);
  }
  void left(const tp::trace::Frame &F, tp::trace::Frame *, uint64_t Time,
            tp::trace::Ending, size_t) {
    if (!F.Tag)
      return;
    bool Taken = Job.Filter.takes(F.Start, Time - F.Start);
    if (uint32_t At = F.Tag - First; At < Waiting.size())
      Waiting[At].What = Taken ? Begin : Dropped;
    if (Taken)
      add({End, F.Function, Time, nullptr});
    flush(Time);
  }
  void visited(tp::trace::FunctionId F, tp::trace::Frame *, uint64_t Time,
               size_t) {
    Computed Of = std::exchange(Next, {});
    if (Job.Filter.takes(Time, 0) && Job.wants(F))
      add({Instant, F, Time, keep(std::move(Of))});
    flush(Time);
  }
  void computed(uint64_t Forms, llvm::ArrayRef<uint64_t> Words) {
    Next = {Forms, Words.vec()};
  }
  /// Its beginning comes late. So formats that need the order of time write
  /// only an instant.
  void whole(const tp::trace::Frame &F, uint64_t Time, tp::trace::Ending,
             bool) {
    Computed Of = std::exchange(Next, {});
    if (!Job.Filter.takes(F.Start, Time - F.Start) || !Job.wants(F.Function))
      return;
    if (Sink::TakesLateCalls) {
      add({Begin, F.Function, F.Start, keep(std::move(Of))});
      add({End, F.Function, Time, nullptr});
    } else {
      add({Instant, F.Function, Time, keep(std::move(Of))});
    }
    flush(Time);
  }
  void extension(uint64_t Word, llvm::ArrayRef<uint64_t> More, uint64_t Time,
                 size_t) {
    To.extension(Word, More, Time);
  }

private:
  enum Kind : uint8_t { Begin, End, Instant, Unknown, Dropped };
  struct Item {
    Kind What;
    tp::trace::FunctionId Function;
    uint64_t Time;
    std::unique_ptr<Computed> Values; ///< mostly none
  };
  static std::unique_ptr<Computed> keep(Computed Of) {
    return Of.empty() ? nullptr : std::make_unique<Computed>(std::move(Of));
  }

  /// Returns the item's number, which is never 0.
  uint32_t add(Item I) {
    if (static_cast<uint32_t>(First + Waiting.size()) == 0)
      Waiting.push_back({Dropped, 0, 0, nullptr});
    Waiting.push_back(std::move(I));
    return static_cast<uint32_t>(First + Waiting.size() - 1);
  }
  /// If the time that has passed is enough to decide about the call, decides.
  void decide(Item &I, uint64_t Now) const {
    uint64_t Passed = Now - I.Time;
    if (Passed > Job.Filter.MaxTicks)
      I.What = Dropped;
    else if (Passed >= Job.Filter.MinTicks && Job.Filter.MaxTicks == UINT64_MAX)
      I.What = Begin;
  }
  void flush(uint64_t Now) {
    for (; !Waiting.empty(); Waiting.pop_front(), ++First) {
      Item &I = Waiting.front();
      if (I.What == Unknown)
        decide(I, Now);
      if (I.What == Unknown)
        return;
      write(I);
    }
  }
  void write(const Item &I) {
    if (I.What == Begin)
      To.begin(I.Function, I.Time, I.Values.get());
    else if (I.What == End)
      To.end(I.Function, I.Time);
    else if (I.What == Instant)
      To.instant(I.Function, I.Time, I.Values.get());
  }

  ExportJob &Job;
  Sink To;
  std::deque<Item> Waiting;
  Computed Next;      ///< of the next event
  uint32_t First = 1; ///< number of the first waiting item
};

} // namespace tpctl

#endif
