// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the progress of reading in one line on a terminal. The line is
// overwritten, and removed at the end. Used on the reading thread.

#include "Symbolizer.h"
#include "Verb.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

using Clock = std::chrono::steady_clock;
Clock::time_point Next;
bool Shown;

void show(StringRef Path, uint64_t Done, uint64_t Of) {
  if (Done == Of) {
    if (Shown)
      errs() << "\r\033[K";
    Shown = false;
    return;
  }
  Clock::time_point Now = Clock::now();
  if (Now < Next)
    return;
  Next = Now + std::chrono::milliseconds(200);
  Shown = true;
  errs() << "\rtpctl: " << Path << ' ' << Done * 100 / Of << " %\033[K";
}

} // namespace

void showProgress(StringRef Verb) {
  // These verbs write while they read, and the terminal cannot show both.
  bool Streams = Verb == "trace" || Verb == "export";
  if (!isatty(2) || (Streams && isatty(1)))
    return;
  Next = Clock::now() + std::chrono::seconds(1);
  tp::trace::BlockFile::OnProgress = show;
  tp::trace::Symbolizer::OnProgress = show;
}

} // namespace tpctl
