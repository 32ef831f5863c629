// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits until something happens to the processes of a live verb. Used on the
// main thread.

#ifndef TPCTL_LIVE_TARGETS_EVENTS_H
#define TPCTL_LIVE_TARGETS_EVENTS_H

#include "live/requests/Connection.h"
#include "live/targets/Children.h"
#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <set>

namespace tpctl {

enum class Event { Nothing, MayBeNext, Closed };

class Events {
public:
  /// Waits for this duration, until a process closes its connection, or until
  /// there may be a next process. The end of each connection is noticed only
  /// once, because a verb may keep the connection. `Started` may be nullptr.
  Event await(llvm::ArrayRef<std::unique_ptr<Connection>> Of,
              const Children *Started, std::chrono::nanoseconds Time);
  /// Call this before a connection is destroyed. The next connection may get
  /// the same descriptor.
  void forget(const Connection &C) { Seen.erase(C.file()); }

private:
  std::set<int> Seen; ///< descriptors of connections whose end was noticed
};

} // namespace tpctl

#endif
