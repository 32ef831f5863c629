// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads all threads of a recording on the caller's thread, with a visitor for
// each recorded thread.

#ifndef TP_TRACE_THREADS_H
#define TP_TRACE_THREADS_H

#include "Profile.h"
#include "Text.h"
#include <map>

namespace tp::trace {

struct Totals {
  uint64_t Events = 0, Lost = 0;
};

/// `Make` gets a ThreadInfo and returns a visitor. The name in the ThreadInfo
/// is filled in once it is known. Threads end in the order of their first
/// segments.
template <class Visitor, class Maker>
llvm::Expected<Totals> readThreads(Recording &R, const CallFilter &Filter,
                                   Maker Make) {
  struct Thread {
    Thread(Recording &R, ThreadInfo Of, Maker &Make)
        : Info(std::move(Of)), Reader(R.tables(), R.findings()), V(Make(Info)) {
    }
    ThreadInfo Info;
    CallReader<Visitor> Reader;
    Visitor V;
  };
  std::map<uint64_t, std::unique_ptr<Thread>> Threads;
  std::vector<Thread *> Order;
  llvm::Error E = R.visit([&](const Segment &S) {
    if (!Filter.takesThread(S.Tid))
      return true;
    std::unique_ptr<Thread> &T = Threads[S.key()];
    if (!T) {
      T = std::make_unique<Thread>(R, ThreadInfo::of(S), Make);
      Order.push_back(T.get());
    }
    T->Reader.segment(S, T->V);
    return true;
  });
  if (E)
    return E;
  Totals Sum;
  for (Thread *T : Order) {
    T->Reader.finish(T->V);
    Sum.Events += T->Reader.events();
    Sum.Lost += T->Reader.lost();
  }
  return Sum;
}

} // namespace tp::trace

#endif
