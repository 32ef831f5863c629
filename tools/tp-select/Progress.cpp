// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Progress.h. On a terminal the line is overwritten, at most five times per
// second. Elsewhere, if the user has requested progress, each unit gets a line.

#include "Progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace std::chrono_literals;

namespace tp {

Progress::Progress(size_t Total, Mode Shown)
    : Total(Total), Shown(Shown),
      OnTerminal(sys::Process::StandardErrIsDisplayed()) {}

Progress::~Progress() {
  if (LineOpen)
    errs() << "\r\x1b[K";
}

void Progress::finished(StringRef Unit) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Done;
  auto Now = Clock::now();
  if (Shown == Never)
    return;
  if (!OnTerminal) {
    if (Shown == Always)
      errs() << '[' << Done << '/' << Total << "] " << Unit << '\n';
    return;
  }
  if ((Shown == Auto && Now - Start < 1s) || (LineOpen && Now - Last < 200ms))
    return;
  Last = Now;
  LineOpen = true;
  errs() << "\r\x1b[K[" << Done << '/' << Total << "] "
         << Unit.take_back(sys::Process::StandardErrColumns() > 20
                               ? sys::Process::StandardErrColumns() - 20
                               : 60);
}

} // namespace tp
