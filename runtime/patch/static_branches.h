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
// as for sleds. A static branch is planned, prepared and stored like the sled
// of a site (patch.h), and in the same passes of the same batch. Two things are
// different: an open static branch leads to no stub (kTargets), and a static
// branch that leads to the wrong one of its two places changes. All functions
// are called under the lock.
#ifndef TPRT_PATCH_STATIC_BRANCHES_H
#define TPRT_PATCH_STATIC_BRANCHES_H

#include "modules/point_groups.h"
#include "sites/arch.h"
#include "text/stubs.h"

namespace tprt {

enum class BranchState : uint8_t { Closed, Counting, Open };

// Where a static branch in this state leads, if it is not closed.
constexpr StubKind kindOf(BranchState state) {
  return state == BranchState::Counting ? kGeneral : kTargets;
}

// What a batch has to do with the static branches of one module.
struct BranchSet {
  size_t begin, end; // A part of BranchGroups::groups.
  // The first and the last site whose bytes may be read or written: sleds of
  // the batch, and static branches.
  const tprt_site *low, *high;
};

// The groups of points whose static branches a batch concerns.
class BranchGroups {
public:
  // Begins a batch: groups that an earlier batch looked at count as new.
  BranchGroups();

  // Collects the groups of the sites batch[begin...end), which are those of
  // `module`, and of the tests that have the same names. False: no memory.
  bool collect(const Module *module, const uint32_t *begin, const uint32_t *end,
               BranchSet &set);
  // Makes the stubs of counting static branches. False: no memory for a list.
  bool prepareStubs(Module *module, const BranchSet &set) const;
  uint32_t operator[](size_t i) const { return groups[i]; }

  // Some group cannot be attached.
  bool refused = false;

private:
  void touch(Points &points, uint32_t group);
  void touchTests(Points &points, uint32_t group);

  Array<uint32_t> groups; // The first `used` items.
  size_t used = 0;
};

} // namespace tprt

#endif
