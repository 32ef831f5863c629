// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the progress of work that takes more than a second, in one line on a
// terminal. The line is overwritten, and removed at the end. Used on the main
// thread.

#ifndef TPCTL_PROGRESS_H
#define TPCTL_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <string>

namespace tpctl {

/// Without this call, no progress is shown.
void showProgress(llvm::StringRef Verb);
/// From now on, a command writes to the same terminal. Its last line may have
/// no end, and must not be overwritten. So a piece of work has one line of its
/// own that is not removed.
void shareTerminal();
/// Removes the line, because something else is printed.
void hideProgress();

/// A piece of work. Pieces that follow one another immediately count as one:
/// the line appears a second after the first of them has begun. The line has
/// the part that is done, or how much is done if `Of` is 0.
class Progress {
public:
  Progress(std::string What, uint64_t Of);
  ~Progress();
  Progress(const Progress &) = delete;
  void at(uint64_t Done) const;

private:
  std::string What;
  uint64_t Of;
};

/// While such an object exists, a function shows the line, because the verb
/// draws on the terminal itself. An empty text removes the line.
class ProgressBy {
public:
  explicit ProgressBy(std::function<void(llvm::StringRef)> Show);
  ~ProgressBy();
  ProgressBy(const ProgressBy &) = delete;
};

} // namespace tpctl

#endif
