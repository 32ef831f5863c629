// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PairAggregate.h.

#include "PairAggregate.h"

#include "shared/Output.h"

using namespace llvm;

namespace tpctl {

/// Which pairs the table lacks, and why.
void PairAggregate::explain(bool Seen) const {
  const tprt_control_pairs All = pairs();
  Aggregate::explain(Seen || All.started || All.unpaired);
  const uint64_t Gone = All.ended + All.replaced + All.full;
  const uint64_t Left = All.started - std::min(All.started, Gone);
  if (!Seen && All.started && Of.isOpen())
    note("no pair is open: " + countText(All.started, "pair") +
         " started, and all of them have ended");
  if (!Of.isOpen() && Left)
    note(countText(Left, "pair") + " started and did not end");
  if (All.unpaired)
    note(countText(All.unpaired, "end") +
         " without a start: the start came before tpctl watched, " +
         (Of.hasCondition() ? "was left out by --if, " : "") +
         "or had another key");
  if (All.replaced)
    note(countText(All.replaced, "pair") +
         " not counted: the key started again before it ended");
  if (All.full)
    note(countText(All.full, "pair") +
         " not counted: more than a million were open");
}

} // namespace tpctl
