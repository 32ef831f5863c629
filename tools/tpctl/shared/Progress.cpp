// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Progress.h.

#include "Progress.h"

#include "Symbolizer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <unistd.h>

using namespace llvm;

namespace tpctl {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds Silent(1000), Between(200);

bool Wanted, Shown;
unsigned Forbidden;
Clock::time_point Next; ///< when the line is shown or changed
Clock::time_point Last; ///< when the last piece of work ended

void show(StringRef What, uint64_t Done, uint64_t Of) {
  if (!Wanted || Forbidden)
    return;
  Clock::time_point Now = Clock::now();
  if (Done >= Of) {
    hideProgress();
    Last = Now;
    return;
  }
  if (Now < Next)
    return;
  Next = Now + Between;
  Shown = true;
  errs() << "\rtpctl: " << What << ' ' << Done * 100 / Of << " %\033[K";
}

} // namespace

void hideProgress() {
  if (std::exchange(Shown, false))
    errs() << "\r\033[K";
}

Progress::Progress(std::string What, uint64_t Of)
    : What(std::move(What)), Of(Of) {
  Clock::time_point Now = Clock::now();
  if (Now - Last > Between)
    Next = Now + Silent;
}

Progress::~Progress() { show(What, Of, Of); }

void Progress::at(uint64_t Done) const {
  if (Done < Of)
    show(What, Done, Of);
}

NoProgress::NoProgress() { ++Forbidden; }
NoProgress::~NoProgress() { --Forbidden; }

void showProgress(StringRef Verb) {
  // These verbs write while they read, and the terminal cannot show both.
  bool Streams = Verb == "trace" || Verb == "export";
  if (!isatty(2) || (Streams && isatty(1)))
    return;
  Wanted = true;
  Last = Clock::now();
  Next = Last + Silent;
  tp::trace::BlockFile::OnProgress = show;
  tp::trace::Symbolizer::OnProgress = show;
}

} // namespace tpctl
