// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of `tpctl export`, one file each. Each writes everything that the
// filter accepts, and returns the number of events read. With several
// recordings, a format is called once for each recording, in their order.

#ifndef TPCTL_EXPORT_H
#define TPCTL_EXPORT_H

#include "Threads.h"
#include "shared/Selection.h"
#include "shared/Values.h"
#include "llvm/Support/raw_ostream.h"
#include <unordered_map>
#include <utility>

namespace tpctl {

/// The state that a format keeps from one recording to the next.
struct ExportState {
  virtual ~ExportState() = default;
};

/// The request for an export.
struct ExportJob {
  tp::trace::Recording &R;
  const Selection &Chosen;
  const tp::trace::CallFilter &Filter;
  llvm::raw_ostream &OS;
  uint64_t Written = 0; ///< lines, slices or rows
  std::string Path;     ///< for formats that are not a stream of bytes
  size_t Index = 0, Files = 1;
  double Offset = 0; ///< from the earliest recording's start to this one's
  std::unique_ptr<ExportState> State;

  bool wants(tp::trace::FunctionId F) const {
    return Chosen.takes(R.tables().function(F));
  }
  /// Where a function begins, if known.
  const tp::trace::SourceFrame &lineOf(tp::trace::FunctionId F) const {
    return Chosen.Code.lineOf(R, F);
  }
  /// Names what values of a call stand for.
  auto namerOf(uint32_t Process, tp::trace::FunctionId F) const {
    return Chosen.Code.namerOf(R, Process, F);
  }
  bool first() const { return Index == 0; }
  bool last() const { return Index + 1 == Files; }
  /// Nanoseconds since the earliest of the recordings began.
  double timeOf(uint64_t Counter) const {
    return Offset + R.clock().sinceStart(Counter);
  }
  /// A pid or tid that no other recording uses, for viewers that do not
  /// distinguish hosts.
  int64_t apart(uint32_t Id) const;
  /// The label of a process. With several recordings, host, pid and file are
  /// part of it.
  std::string processName(uint32_t Process, uint32_t Pid) const;
  /// The largest depth of a path, for formats that write each path in full.
  static constexpr uint32_t MostDepth = 1000;
  /// The state, which is created at the first use.
  template <class T> T &state() {
    if (!State)
      State = std::make_unique<T>();
    return static_cast<T &>(*State);
  }
};

/// How a call ended, in the formats that say it.
inline llvm::StringLiteral nameOf(tp::trace::Ending How) {
  constexpr llvm::StringLiteral Names[] = {"whole", "unwound", "unfinished",
                                           "uncertain"};
  return Names[static_cast<size_t>(How)];
}

/// Keeps what programs have computed, for formats that write a call at its end.
/// The visitor passes on its functions' calls.
class OpenValues {
public:
  void computed(uint64_t Forms, llvm::ArrayRef<uint64_t> Words) {
    Next = {Forms, Words.vec()};
  }
  /// The number to keep of an entry: 0 if it has no values.
  uint32_t entered() {
    if (LLVM_LIKELY(Next.empty()))
      return 0;
    keep(++Last);
    return Last;
  }
  /// The same for a number of the visitor's.
  void keep(uint32_t Number) {
    if (LLVM_UNLIKELY(!Next.empty()))
      Open[Number] = take();
  }
  /// The values of the event that has no entry.
  Computed take() { return std::exchange(Next, {}); }
  Computed left(uint32_t Number) {
    auto At = Number ? Open.find(Number) : Open.end();
    if (At == Open.end())
      return {};
    Computed Of = std::move(At->second);
    Open.erase(At);
    return Of;
  }

private:
  Computed Next;
  std::unordered_map<uint32_t, Computed> Open;
  uint32_t Last = 0;
};

using Exporter = llvm::Expected<tp::trace::Totals>(ExportJob &);
Exporter exportFolded, exportCsv, exportChrome, exportPerfetto, exportPprof,
    exportCallgrind, exportSpeedscope, exportSqlite, exportUftrace;

} // namespace tpctl

#endif
