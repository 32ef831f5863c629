// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the owner of a group was told of its counts last, and which counters
// were added to since. A program may have a hundred thousand counted functions
// of which few are called, and a tool reads ten times a second: so a reading
// must not look at each function. Counters only grow. So where the sum of a
// block of neighbouring counters is what it was, none of them has changed, and
// the block is quiet. On the work thread, under the lock.
#ifndef TPRT_CONTROL_HIT_BLOCKS_H
#define TPRT_CONTROL_HIT_BLOCKS_H

#include "base/array.h"
#include "base/search.h"
#include "threads/counters.h"

namespace tprt {

struct ToolGroup;

class HitBlocks {
public:
  // The first page of a reading: sums the counters anew. False: no memory.
  bool begin(const ToolGroup &group, const CounterSet &of);
  // The owner was told all that begin() found.
  void finish();
  // The group's sites have changed: only blocks that were never hit are quiet.
  void forget();
  void reset() {
    blocks.reset();
    told.reset();
  }
  // The first place of a list, from `at` on and below `end`, whose site is in a
  // block that is not quiet. The sites of these places ascend.
  size_t skipQuiet(const Array<uint32_t> &list, size_t at, size_t end) const {
    uint32_t block = blockOf(list[at]);
    if (!isQuiet(block))
      return at;
    const uint32_t last = blockOf(list[end - 1]);
    while (block <= last && isQuiet(block))
      ++block;
    return partitionPoint(
        at, end, [&](size_t place) { return blockOf(list[place]) < block; });
  }
  // The count of the site that the owner was told last. nullptr: no memory.
  uint64_t *toldOf(uint32_t site);

private:
  struct Block {
    // The sum when the present reading began, and when the last one that came
    // to its end had begun.
    uint64_t now, before;
    // Where in `told` the block's counts begin, in blocks. From 1; 0: the owner
    // was told none of them.
    uint64_t counts;
  };
  static uint32_t blockOf(uint32_t site) { return site / kBlockSites; }
  bool isQuiet(uint32_t block) const {
    return block < blocks.size() &&
           (!blocks[block].now || blocks[block].now == blocks[block].before);
  }
  void stirPoints(uint32_t branch);

  Array<Block> blocks;
  Array<uint64_t> told;
  uint64_t toldEpoch; // The epoch (modules/module.h) of the last reading.
};

} // namespace tprt

#endif
