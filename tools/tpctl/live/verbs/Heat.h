// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl hist --heat: the durations of calls over time. Each interval is a line,
// with a column for each range of durations and a shade for the number of
// calls; or a JSON object. Nothing here communicates with a process.

#ifndef TPCTL_LIVE_VERBS_HEAT_H
#define TPCTL_LIVE_VERBS_HEAT_H

#include "live/measure/Timing.h"
#include "shared/Output.h"
#include "shared/Selection.h"

namespace tpctl {

class HeatLines {
public:
  enum class Format { Text, Json };
  using Rows = std::map<std::string, CallTimes>;
  HeatLines(const Selection &Names, Format As) : Names(Names), As(As) {}

  /// Opens the file, and starts the clock for the lines.
  llvm::Error open(llvm::StringRef Path);
  bool areOn() const { return To != nullptr; }
  /// Writes the calls since the last time. `Now` has the sums since the start.
  /// Returns an error if the reader of the lines has gone.
  llvm::Error add(const Rows &Now);
  llvm::Error close();

private:
  Rows since(const Rows &Now);
  void fit(const Rows &Fresh);
  void writeShades(llvm::raw_ostream &OS) const;
  void writeScale(llvm::raw_ostream &OS, const CallTimes &Of);
  void writeLine(llvm::raw_ostream &OS, const std::string &Name,
                 const CallTimes &Of, double Seconds) const;
  void writeObject(llvm::raw_ostream &OS, const Rows &Fresh,
                   double Seconds) const;

  /// The number of columns. A column has as many buckets as are needed for all
  /// durations to fit.
  static constexpr uint32_t Columns = 56;
  uint32_t First = 0;     ///< bucket of the first column
  uint32_t PerColumn = 0; ///< buckets; 0 means no scale yet
  bool Explained = false; ///< the shades were
  std::unique_ptr<Output> To;
  Target::Clock::time_point Begin;
  const Selection &Names;
  Format As;
  Rows Before;
};

} // namespace tpctl

#endif
