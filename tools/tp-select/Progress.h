// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the progress of the work in one line on a terminal, after the first
// second. Thread-safe.

#ifndef TP_SELECT_PROGRESS_H
#define TP_SELECT_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <mutex>

namespace tp {

class Progress {
public:
  enum Mode { Auto, Always, Never };
  Progress(size_t Total, Mode Shown);
  /// Ends the line.
  ~Progress();
  void finished(llvm::StringRef Unit);

private:
  using Clock = std::chrono::steady_clock;
  std::mutex Mutex;
  const size_t Total;
  const Mode Shown;
  const bool OnTerminal;
  const Clock::time_point Start = Clock::now();
  Clock::time_point Last = Start;
  size_t Done = 0;
  bool LineOpen = false;
};

} // namespace tp

#endif
