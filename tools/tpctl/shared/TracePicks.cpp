// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TracePicks.h.

#include "TracePicks.h"
#include "CommandLine.h"

using namespace llvm;
using namespace tp::trace;

namespace tpctl {

void TracePicks::addOptions(VerbSyntax &Verb) {
  Verb.addOption("--depth", Depth, "N", "only the N outermost levels of calls")
      .positive();
  Verb.addOption("--every", Every, "N",
                 "only each Nth call of a function on a thread")
      .positive();
}

bool TracePicks::takesCall(Thread &Of, const Moment &M,
                           StringRef Function) const {
  return M.Depth < Depth &&
         (Every == 1 || Of.Calls[Function.str()]++ % Every == 0);
}

bool TracePicks::takes(const ThreadInfo &T, const Moment &M,
                       StringRef Function) {
  Thread &Of = Threads[keyOf(T)];
  switch (M.What) {
  case Moment::Entry: {
    Call &New = Of.Open[M.Depth];
    New.Entry = M;
    return New.Shown = takesCall(Of, M, Function);
  }
  case Moment::Exit: {
    auto It = Of.Open.find(M.Depth);
    return It == Of.Open.end() ? M.Depth < Depth : It->second.Shown;
  }
  case Moment::Visit:
  case Moment::Whole:
    return takesCall(Of, M, Function);
  case Moment::Extension:
    return M.Depth <= Depth;
  default:
    return true;
  }
}

const Moment *TracePicks::entryOf(const ThreadInfo &T, const Moment &M) const {
  auto Of = Threads.find(keyOf(T));
  if (Of == Threads.end())
    return nullptr;
  auto It = Of->second.Open.find(M.Depth);
  return It != Of->second.Open.end() && It->second.Entry.Time == M.Start
             ? &It->second.Entry
             : nullptr;
}

void TracePicks::leaveOut(const ThreadInfo &T, const Moment &M) {
  if (M.What == Moment::Entry)
    Threads[keyOf(T)].Open[M.Depth].Shown = false;
}

} // namespace tpctl
