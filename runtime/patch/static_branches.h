// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static branches: the jumps in hot code that lead to the code of points. A
// probe is attached to the sleds of points. After the batch has applied the
// action lists of these sleds, the state of each static branch follows from the
// lists:
//
//   Open      some sled of the group has an action that needs the arguments
//   Counting  else, if some sled of the group has an action that counts
//   Closed    else
//
// An open static branch leads to its target, where the arguments are evaluated.
// A counting static branch leads to its own stub, which counts and continues
// after the static branch. The static branch of a TPRT_POINT_ON is open while
// any point of the same name is open.
//
// A static branch may safely be open while its sled is off, or the reverse. So
// the order of the two stores does not matter. One store changes an open static
// branch to a counting one, or the reverse. Both jumps are correct for a thread
// that executes the static branch meanwhile.
//
// The state of a static branch is not stored separately. As for sleds, its
// bytes show the state. A static branch is planned, prepared and stored like
// the sled of a site (batch.h), in the same passes of the same batch. There are
// two differences. An open static branch does not lead to a stub
// (Target::ofBranch()). And a static branch that leads to the wrong one of its
// two places is changed. All functions are called under the lock.
#ifndef TPRT_PATCH_STATIC_BRANCHES_H
#define TPRT_PATCH_STATIC_BRANCHES_H

#include "modules/point_groups.h"
#include "sites/arch.h"
#include "text/stub_regions.h"

namespace tprt {

enum class BranchState : uint8_t { Closed, Counting, Open };

// Where a static branch in this state leads, if it is not closed.
constexpr Target targetOf(BranchState state) {
  return state == BranchState::Counting ? Target(kGeneral) : Target::ofBranch();
}

// The static branches of one module that a batch may change.
struct BranchSet {
  size_t begin, end; // A part of BranchGroups::groups.
  // The first and the last site whose bytes may be read or written: sleds of
  // the batch, and static branches.
  const tprt_site *low, *high;
};

// The groups of points whose static branches a batch concerns.
class BranchGroups {
public:
  // Begins a batch: groups that an earlier batch has visited count as new.
  BranchGroups();

  // Collects the groups of the sites batch[begin...end), which belong to
  // `module`, and the groups of tests with the same names. Returns false if
  // there is no memory.
  bool collect(const Module *module, const uint32_t *begin, const uint32_t *end,
               BranchSet &set);
  // Makes the stubs of counting static branches. Returns false if there is no
  // memory for a list.
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
