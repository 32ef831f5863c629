// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a program's calls of pthread_sigmask() and sigaction() while traps
// are in its code (interpose/sigtrap_guard.cpp).
//  - If a call blocks all signals, SIGTRAP is excluded. If a call blocks
//  SIGTRAP
//    but no other fault signal, the program waits for SIGTRAP, so the call is
//    not changed.
//  - An action for SIGTRAP is noted, and libtprt's handler stays, and calls
//    that action (sigtrap.cpp).
//  - An action for another signal gets a mask without SIGTRAP.
//
// Any thread; async-signal-safe.
#include "base/os_signal.h"
#include "os/linux/actions.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

namespace {
// A set of signals without SIGTRAP, for a call whose own set has SIGTRAP.
// Constant once it is published, and never freed, because a running call may
// use it. Programs have few different sets.
struct OpenSet {
  uint64_t signals;
  uint32_t isReady; // Published in openSet(), and read there.
  sigset_t set;
};
} // namespace

constexpr uint32_t kMostSets = 64;
static OpenSet sets[kMostSets];
static uint32_t setsUsed; // How many sets were begun; may exceed kMostSets.

static uint64_t signalsIn(const void *set) {
  uint64_t signals; // the kernel's set, at the beginning of the C library's set
  memcpy(&signals, set, sizeof signals);
  return signals;
}

// Returns nullptr if there is no room.
static const sigset_t *openSet(uint64_t signals) {
  for (uint32_t i = 0; i < kMostSets; ++i)
    if (__atomic_load_n(&sets[i].isReady, __ATOMIC_ACQUIRE) &&
        sets[i].signals == signals)
      return &sets[i].set;
  uint32_t i = __atomic_load_n(&setsUsed, __ATOMIC_RELAXED) < kMostSets
                   ? __atomic_fetch_add(&setsUsed, 1, __ATOMIC_RELAXED)
                   : kMostSets;
  if (i >= kMostSets)
    return nullptr;
  sets[i].signals = signals;
  memcpy(&sets[i].set, &signals, sizeof signals);
  __atomic_store_n(&sets[i].isReady, 1, __ATOMIC_RELEASE);
  return &sets[i].set;
}

bool keepTrapsOpen(int how, const void *&set) {
  constexpr uint64_t kFaults = signalBit(SIGTRAP) | signalBit(SIGSEGV) |
                               signalBit(SIGBUS) | signalBit(SIGILL) |
                               signalBit(SIGFPE);
  uint64_t signals = set && how != SIG_UNBLOCK ? signalsIn(set) : 0;
  const sigset_t *open = (signals & kFaults) == kFaults
                             ? openSet(signals & ~signalBit(SIGTRAP))
                             : nullptr;
  if (open)
    set = open;
  return open;
}

bool keepTrapsOurs(int number, const struct ::sigaction *&action,
                   struct ::sigaction *&old) {
  if (number == SIGTRAP) {
    bool isDone = setTrapAction(action, old);
    if (isDone) {
      action = nullptr;
      old = nullptr;
    }
    return isDone;
  }
  if (!action || !hasHandler(*action) ||
      !(signalsIn(&action->sa_mask) & signalBit(SIGTRAP)))
    return false;
  struct ::sigaction open = *action;
  uint64_t signals = signalsIn(&action->sa_mask) & ~signalBit(SIGTRAP);
  memcpy(&open.sa_mask, &signals, sizeof signals);
  const struct ::sigaction *kept = keepAction(open);
  if (kept)
    action = kept;
  return kept;
}

void openHandlersMasks() {
  constexpr int kSignals = 64;
  for (int number = 1; number <= kSignals; ++number) {
    KernelAction action;
    if (number == SIGTRAP ||
        syscall(SYS_rt_sigaction, number, nullptr, &action,
                sizeof action.mask) != 0 ||
        !(action.mask & signalBit(SIGTRAP)) || !action.handler)
      continue;
    action.mask &= ~signalBit(SIGTRAP);
    syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask);
  }
}

} // namespace tprt
