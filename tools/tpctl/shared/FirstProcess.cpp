// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FirstProcess.h.

#include "FirstProcess.h"

#include "Launch.h"
#include "Verb.h"
#include "llvm/Support/WithColor.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

std::optional<int> waitAsFirstProcess() {
  if (getpid() != 1)
    return std::nullopt;
  constexpr int Passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  sigset_t All, Before;
  sigemptyset(&All);
  for (int Signal : Passed)
    sigaddset(&All, Signal);
  sigprocmask(SIG_BLOCK, &All, &Before);
  const pid_t Child = fork();
  if (Child > 0)
    passSignalsTo(Child, Passed);
  const int Reason = errno;
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  if (Child == 0)
    return std::nullopt;
  if (Child < 0) {
    WithColor::error(errs(), "tpctl")
        << "as the first process of a container, tpctl runs in a child, and "
           "fork failed: "
        << strerror(Reason) << '\n';
    return Failure;
  }
  for (int Status = 0;;) {
    const pid_t Ended = waitpid(-1, &Status, 0);
    if (Ended == Child)
      return exitCodeOf(Status);
    if (Ended < 0 && errno != EINTR)
      return Failure;
  }
}

} // namespace tpctl
