// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FirstProcess.h.

#include "FirstProcess.h"

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace tpctl {
namespace {

volatile pid_t Continued; // for the signal handler

/// A signal from the terminal reaches the child anyway.
void passOn(int Signal, siginfo_t *Info, void *) {
  if (Info->si_code <= 0)
    kill(Continued, Signal);
}

} // namespace

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
  if (Child > 0) {
    Continued = Child;
    struct sigaction Action{};
    Action.sa_sigaction = passOn;
    Action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (int Signal : Passed)
      sigaction(Signal, &Action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  if (Child <=
      0) // without a child, some numbers are missing, but most verbs work
    return std::nullopt;
  for (int Status = 0;;) {
    const pid_t Ended = waitpid(-1, &Status, 0);
    if (Ended == Child)
      return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
    if (Ended < 0 && errno != EINTR)
      return 1;
  }
}

} // namespace tpctl
