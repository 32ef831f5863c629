// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a tool waits for a process's answer: as long as the process works on
// the answer. An attach to a hundred thousand functions takes many seconds.

#ifndef TPCTL_LIVE_REQUESTS_ANSWERPATIENCE_H
#define TPCTL_LIVE_REQUESTS_ANSWERPATIENCE_H

#include <chrono>
#include <cstdint>
#include <utility>

namespace tpctl {

class AnswerPatience {
public:
  /// How long a process may be idle before it answers.
  static constexpr std::chrono::seconds Most{15};

  /// Whether to continue waiting. `Time`: how much time the process has had
  /// (FairClock) since the wait began. `Work`: a number that grows while the
  /// process works.
  bool lasts(std::chrono::nanoseconds Time, uint64_t Work) {
    if (Work != std::exchange(Worked, Work))
      Active = Time;
    return Time - Active < Most;
  }

private:
  uint64_t Worked = 0;
  std::chrono::nanoseconds Active{0};
};

} // namespace tpctl

#endif
