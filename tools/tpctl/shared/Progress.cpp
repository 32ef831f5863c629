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

bool Wanted, Shown, Shared;
std::function<void(StringRef)> Shower; ///< of ProgressBy
Clock::time_point Next;                ///< when the line is shown or changed
Clock::time_point Last;                ///< when the last piece of work ended

void finish() {
  hideProgress();
  Last = Clock::now();
}

void show(StringRef What, const Twine &Part) {
  Clock::time_point Now = Clock::now();
  if (Now < Next)
    return;
  Next = Now + Between;
  const bool IsFirst = !std::exchange(Shown, true);
  if (Shower)
    Shower((What + " " + Part).str());
  else if (Shared && IsFirst)
    errs() << "\ntpctl: " << What << ' ' << Part << '\n';
  else if (!Shared)
    errs() << "\rtpctl: " << What << ' ' << Part << "\033[K";
}

void showPart(StringRef What, uint64_t Done, uint64_t Of) {
  if (Done >= Of)
    finish();
  else
    show(What, Twine(Done * 100 / Of) + " %");
}

} // namespace

void hideProgress() {
  if (!std::exchange(Shown, false))
    return;
  if (Shower)
    Shower("");
  else if (!Shared)
    errs() << "\r\033[K";
}

void shareTerminal() {
  hideProgress();
  Shared = true;
}

Progress::Progress(std::string What, uint64_t Of)
    : What(std::move(What)), Of(Of) {
  Clock::time_point Now = Clock::now();
  if (Now - Last > Between)
    Next = Now + Silent;
}

Progress::~Progress() { finish(); }

void Progress::at(uint64_t Done) const {
  if (!Wanted && !Shower)
    return;
  if (!Of)
    show(What, Twine(Done));
  else if (Done < Of)
    showPart(What, Done, Of);
}

ProgressBy::ProgressBy(std::function<void(StringRef)> Show) {
  hideProgress();
  Shower = std::move(Show);
}

ProgressBy::~ProgressBy() {
  hideProgress();
  Shower = nullptr;
}

void showProgress(StringRef Verb) {
  // These verbs write while they read, and the terminal cannot show both.
  bool Streams = Verb == "trace" || Verb == "export";
  if (!isatty(2) || (Streams && isatty(1)))
    return;
  Wanted = true;
  Last = Clock::now();
  Next = Last + Silent;
  tp::trace::BlockFile::OnProgress = showPart;
  tp::trace::Symbolizer::OnProgress = showPart;
}

} // namespace tpctl
