// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of several processes in the order of their times. Each process is
// read in turn, so its lines wait here until the others have been read up to
// the same time.

#ifndef TPCTL_LIVE_VERBS_MERGED_LINES_H
#define TPCTL_LIVE_VERBS_MERGED_LINES_H

#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tpctl {

class MergedLines {
public:
  /// Writes at most `Limit` lines; 0 for no limit.
  MergedLines(llvm::raw_ostream &To, uint64_t Limit) : To(To), Limit(Limit) {}

  /// Where lines are written, after begin(). Text before the first line is
  /// written at once.
  llvm::raw_ostream &stream() { return Text; }
  /// A line of this time begins. All processes have the same counter.
  void begin(uint64_t Time);
  /// All processes have been read, each at least up to this time. Writes the
  /// lines up to it, and those that have waited since the call before: a
  /// process that is not read for a while does not hold up the others.
  void write(uint64_t Until);
  bool more() const { return !Limit || Written < Limit; }
  uint64_t written() const { return Written; }

private:
  struct Line {
    uint64_t Time;
    std::string Text;
  };
  void finishLine();

  llvm::raw_ostream &To;
  const uint64_t Limit;
  uint64_t Written = 0;
  std::string Buffer;
  llvm::raw_string_ostream Text{Buffer};
  bool HasLine = false;
  std::vector<Line> Lines;
  size_t Old = 0; ///< the first lines of them have waited once
};

} // namespace tpctl

#endif
