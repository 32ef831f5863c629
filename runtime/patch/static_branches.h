// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static branches: the jumps in hot code that lead to the code of points. A
// probe is put on the sleds of points; which static branches follow from that
// is decided here, from the action lists of the sleds, after the batch has
// applied them:
//
//   Open      some sled of the group has an action that needs the arguments
//   Counting  else, if some sled of the group has an action that counts
//   Closed    else
//
// An open static branch leads to its target, where the arguments are evaluated.
// A counting static branch leads to its own stub, which counts and continues
// after the static branch. The static branch of a TPRT_POINT_ON is open while
// some point of its name is.
//
// Nothing breaks if a static branch is open and its sled is off, or the
// reverse. So the order of the stores to the two does not matter. A static
// branch that is open and becomes counting, or the reverse, changes from one
// jump to another by one store. Both jumps are right for a thread that executes
// the static branch meanwhile.
//
// No state of a static branch is kept: what it is now is read from its bytes,
// as for sleds. static_branches.cpp has the steps for one static branch in
// full; quick_branches.cpp has the loops, with a quick version of these steps.
// A BranchBatch is part of a Batch (patch.h) and takes the same steps. All
// functions are called under the lock.
#ifndef TPRT_PATCH_GATES_H
#define TPRT_PATCH_GATES_H

#include "modules/point_groups.h"
#include "sites/arch.h"
#include "text/stubs.h"
#include "text/text_writer.h"

namespace tprt {

enum class BranchState : uint8_t { Closed, Counting, Open };

struct Stretch; // quick_patch.h

// The full plan of one static branch.
struct BranchPlan {
  tprt_refusal refusal; // Why the static branch stays as it is.
  bool made; // The island is made, or none is needed. Not for Closed.
  uint64_t
      way; // Where the toggle leads; 0: the static branch was never prepared.
  Toggle toggle; // Valid where nothing is refused and there is a way.
};
// Reads code, and changes nothing.
BranchPlan planBranch(const tprt_site &site, BranchState state,
                      const TextWriter &writer);

// What a batch has to do with the static branches of one module.
struct BranchSet {
  size_t begin, end; // A part of BranchBatch::groups.
  // The first and the last site whose bytes may be read or written: sleds of
  // the batch, and static branches.
  const tprt_site *low, *high;
};

class BranchBatch {
public:
  // Begins a batch: groups that an earlier batch looked at count as new.
  BranchBatch();

  // Collects the groups of the sites batch[begin...end), which are those of
  // `module`, and of the tests that have the same names. False: no memory.
  bool collect(const Module *module, const uint32_t *begin, const uint32_t *end,
               BranchSet &set);
  // Makes the stubs of counting static branches. False: no memory for a list.
  bool prepareStubs(Module *module, const BranchSet &set);
  // Reserves the islands that the static branches will need, and notes in each
  // group why it cannot be attached. Opens the static branches that need
  // nothing more, unless the batch `counts`. Returns how many islands have yet
  // to be made.
  size_t prepare(Module *module, const BranchSet &set, TextWriter &writer,
                 bool counts);
  // Stores what the groups' sleds ask for. If all sleds of the batch are on,
  // `isAllOn`, the static branches that prepare() opened are as wanted. For an
  // attach that counts, `probe` is not nullptr, and notes what the static
  // branches have counted so far. False: no memory for that.
  bool apply(const Module *module, const BranchSet &set, TextWriter &writer,
             tprt_probe *probe, bool isAllOn);

  // Some group of the last prepare() cannot be attached.
  bool refused = false;

private:
  void touch(Points &points, uint32_t group);
  void touchTests(Points &points, uint32_t group);

  // static_branches.cpp: the steps for one static branch in full.
  Island *reserve(const tprt_site &site, StubRegion *region, StubKind kind);
  // Why the static branch cannot be given this state, or TPRT_REFUSAL_NONE. The
  // island that the static branch then still needs is wanted.
  tprt_refusal prepareBranch(const tprt_site &site, const TextWriter &writer,
                             BranchState state);
  // Gives the static branch this state.
  static tprt_refusal applyBranch(const tprt_site &site, BranchState state,
                                  TextWriter &writer);

  // quick_branches.cpp
  bool prepareGroup(Stretch &stretch, const Module *module, PointGroup &group,
                    TextWriter &writer, BranchState state);

  Array<uint32_t> groups; // The first `used` items.
  size_t used = 0;
  bool quick = false;  // The last prepare() may use the quick plan.
  unsigned noRoom = 0; // How many islands got no room.
  size_t waiting = 0;  // How many islands the last prepare() wants.
};

// What a probe has counted at the static branches of a point, if `site` is the
// first of the point's sleds that the probe is on; else 0, so that static
// branches with several sleds are counted once.
uint64_t countAtBranches(const tprt_probe *probe, const tprt_site &site);

} // namespace tprt

#endif
