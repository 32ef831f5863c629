// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps two tools that start at the same time from loading libtprt into one
// process twice. The lock is a listening socket with an abstract name (unix(7))
// in the network namespace. The kernel frees the name when its owner and the
// owner's children have ended. Waiting tools are connected to the owner's
// socket, so they know the owner, and see when it has ended. Not thread-safe.

#ifndef TPCTL_INJECTIONLOCK_H
#define TPCTL_INJECTIONLOCK_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>
#include <sys/types.h>

namespace tpctl {

class InjectionLock {
public:
  /// How long to wait for another tool. `Fair` is measured by the process's
  /// FairClock, and `Most` is the time on the wall.
  struct Patience {
    std::chrono::seconds Fair{60};
    std::chrono::seconds Most{600};
  };

  /// Waits until no other tool loads libtprt into the process. Returns an error
  /// that names the other tool if it does not end in time. A socket of a user
  /// who is neither root nor this tool's user is no tool's lock, so tpctl does
  /// not wait for it.
  static llvm::Expected<std::unique_ptr<InjectionLock>>
  acquire(pid_t Pid, const Patience &Limits);
  static llvm::Expected<std::unique_ptr<InjectionLock>> acquire(pid_t Pid) {
    return acquire(Pid, Patience());
  }

  ~InjectionLock();
  InjectionLock(const InjectionLock &) = delete;

private:
  explicit InjectionLock(int File) : File(File) {}

  const int File; ///< -1: nobody can be asked to wait
};

} // namespace tpctl

#endif
