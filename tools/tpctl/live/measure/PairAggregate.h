// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up pairs of calls (live/targets/Pairs.h).

#ifndef TPCTL_LIVE_MEASURE_PAIR_AGGREGATE_H
#define TPCTL_LIVE_MEASURE_PAIR_AGGREGATE_H

#include "Aggregate.h"
#include "live/targets/Pairs.h"

namespace tpctl {

class PairAggregate : public Aggregate {
public:
  PairAggregate(Target &At, const Patterns &P, Pairs &Of)
      : Aggregate(At, P, Of.rows()), Of(Of) {}
  void explain(bool Seen) const override;

private:
  Following follow(Connection &C) override { return Of.follow(C, P); }
  llvm::Error tellLeftOut() override { return Of.tellLeftOut(); }
  bool isOfPairs() const override { return true; }

  Pairs &Of;
};

} // namespace tpctl

#endif
