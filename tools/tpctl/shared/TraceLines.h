// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of tpctl trace: a line for each event, or one line for a call that
// ends right after its entry.

#ifndef TPCTL_TRACE_LINES_H
#define TPCTL_TRACE_LINES_H

#include "Selection.h"
#include "Timeline.h"
#include "Values.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

namespace tpctl {

/// Makes text of the values that a call has.
class CallTexts {
public:
  virtual ~CallTexts() = default;
  virtual std::string arguments(const tp::trace::Function &F,
                                llvm::ArrayRef<Value> Values) const = 0;
  /// Empty: the function has no result.
  virtual std::string result(const tp::trace::Function &F,
                             const Value &V) const = 0;
};

class TraceLines {
public:
  /// `Limit` is the maximum number of lines; 0 for no limit.
  TraceLines(llvm::raw_ostream &OS, const Selection &Chosen,
             const CallTexts &Texts, uint64_t Limit)
      : OS(OS), Chosen(Chosen), Texts(Texts), Limit(Limit) {}

  /// The moments passed after this call belong to this recording. Waiting lines
  /// are written first.
  void read(tp::trace::Recording &Of) {
    flush();
    R = &Of;
  }
  /// Names what values of a function's call on a thread stand for (ValueNamer
  /// in Values.h). Otherwise numbers are shown.
  using ValueNames =
      std::function<std::string(const tp::trace::ThreadInfo &,
                                tp::trace::FunctionId, uint32_t, uint64_t)>;
  void nameValues(ValueNames By) { Names = std::move(By); }
  /// For lines of several recordings that will be sorted: `Begins` is called
  /// before each line, with the counter's value at its place in the order.
  void order(std::function<void(uint64_t)> By) { Begins = std::move(By); }
  /// Shows times by this clock, and not by that of each recording.
  void showTimesBy(const tp::trace::Clock &By) { Times = By; }
  /// Returns false once the limit of lines is reached.
  bool moment(const tp::trace::ThreadInfo &T, const tp::trace::Moment &M);
  /// Writes one line for a call, with its beginning's place in the order. With
  /// `AtEnd`, with its end's.
  void whole(const tp::trace::ThreadInfo &T, const tp::trace::Moment &From,
             const tp::trace::Moment &To, bool AtEnd = false);
  /// Writes the entry that waits for its exit.
  void flush();
  /// Whether the moment's function is selected.
  bool takes(const tp::trace::Moment &M) const;
  bool more() const { return !Limit || Count < Limit; }
  uint64_t count() const { return Count; }
  uint64_t limit() const { return Limit; }

private:
  llvm::raw_ostream &begin(const tp::trace::ThreadInfo &T, uint64_t Time,
                           llvm::StringRef Duration, size_t Depth) {
    return begin(T, Time, Duration, Depth, Time);
  }
  llvm::raw_ostream &begin(const tp::trace::ThreadInfo &T, uint64_t Time,
                           llvm::StringRef Duration, size_t Depth,
                           uint64_t Place);
  std::string call(tp::trace::FunctionId F, const tp::trace::Moment &M) const;
  /// Where a function begins, if lines are wanted.
  std::string lineOf(tp::trace::FunctionId F) const;
  /// The point's number is in the lower half of the first word, and its site's
  /// number in the upper half.
  std::string point(const tp::trace::Moment &M, uint64_t First) const;
  std::string result(const tp::trace::Moment &M) const;
  std::string duration(const tp::trace::Moment &M) const;
  /// What programs have computed: "  size=3, errno=2", or nothing.
  std::string computed(const tp::trace::ThreadInfo &T,
                       const tp::trace::Moment &M) const;
  void other(const tp::trace::ThreadInfo &T, const tp::trace::Moment &M);
  /// The pid in a FORK word, or else the pid in the child's PROCESS record. A
  /// child without events has no such record.
  std::string childName(uint64_t Word);
  void extension(const tp::trace::ThreadInfo &T, const tp::trace::Moment &M);

  llvm::raw_ostream &OS;
  tp::trace::Recording *R = nullptr;
  const Selection &Chosen;
  const CallTexts &Texts;
  ValueNames Names;
  std::function<void(uint64_t)> Begins;
  std::optional<tp::trace::Clock> Times;
  const uint64_t Limit;
  uint64_t Count = 0;
  bool HasEntry = false;
  tp::trace::Moment Entry;
  tp::trace::ThreadInfo EntryThread;
};

} // namespace tpctl

#endif
