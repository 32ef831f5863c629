// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which static branches a batch concerns, their wanted states, and the loops
// over them; see static_branches.h. site_plan.cpp and quick_patch.h plan a
// single static branch. Called under the lock.
#include "patch/static_branches.h"
#include "elf/bolt.h"
#include "patch/probe_counts.h"
#include "patch/quick_patch.h"
#include "text/stubs.h"
#include "threads/status.h"

namespace tprt {

static uint32_t batches;

BranchGroups::BranchGroups() { ++batches; }

static tprt_site &siteOf(const Module *module, uint32_t place) {
  return sites[module->firstSite + place];
}

// --- which groups a batch concerns ------------------------------------------

// `groups` has room for all groups, because each group is added once.
inline void BranchGroups::touch(Points &points, uint32_t group) {
  PointGroup &one = points.groups[group];
  if (one.batch == batches)
    return;
  one.batch = batches;
  one.refusal = TPRT_REFUSAL_NONE;
  one.opened = false;
  groups[used++] = group;
}

// Adds the tests that have the group's name.
inline void BranchGroups::touchTests(Points &points, uint32_t group) {
  uint32_t number = points.groups[group].name;
  if (number == Points::kNoName || points.names[number].batch == batches)
    return;
  PointName &name = points.names[number];
  name.batch = batches;
  for (uint32_t i = name.first; i < name.end; ++i)
    if (points.groups[points.byName[i]].test)
      touch(points, points.byName[i]);
}

[[gnu::flatten]] bool BranchGroups::collect(const Module *module,
                                            const uint32_t *begin,
                                            const uint32_t *end,
                                            BranchSet &set) {
  set.low = &sites[*begin];
  set.high = &sites[end[-1]];
  set.begin = set.end = used;
  Points *points = module->pointGroups;
  if (!points)
    return true;
  if (!groups.resize(used + points->groups.size()))
    return false;
  for (const uint32_t *index = begin; index < end; ++index) {
    const tprt_site &site = sites[*index];
    if (site.isOfFunction())
      continue;
    touch(*points, site.pointGroup);
    touchTests(*points, site.pointGroup);
  }
  set.end = used;
  for (size_t i = set.begin; i < set.end; ++i) {
    const PointGroup &group = points->groups[groups[i]];
    if (group.branches == group.end)
      continue;
    // A group's static branches are in order of address.
    const tprt_site *first = &siteOf(module, points->places[group.branches]);
    const tprt_site *last = &siteOf(module, points->places[group.end - 1]);
    set.low = first < set.low ? first : set.low;
    set.high = last > set.high ? last : set.high;
  }
  return true;
}

bool BranchGroups::prepareStubs(Module *module, const BranchSet &set) const {
  Array<uint32_t> branches;
  const Points *points = module->pointGroups;
  for (size_t i = set.begin; i < set.end; ++i) {
    const PointGroup &group = points->groups[groups[i]];
    for (uint32_t at = group.branches; at < group.end; ++at)
      if (!branches.push(module->firstSite + points->places[at]))
        return false;
  }
  if (!branches.empty())
    makeStubs(module, kGeneral, branches.begin(), branches.size());
  for (uint32_t branch : branches) {
    uint32_t place = branch - module->firstSite;
    if (StubRegion *region = regionAt(module, place))
      leadTo(region->data[place - region->first], sites[branch], kCount);
  }
  return true;
}

// --- one static branch ------------------------------------------------------

// The order of stores to static branches and sleds does not matter
// (static_branches.h). Each plan was made from the bytes in memory right
// before.
[[gnu::noinline]] Prepared
Batch::takeBranchInFull(Group &group, tprt_site &branch, BranchState state,
                        Pass pass, bool stores, tprt_refusal &refusal) {
  SitePlan plan = planBranch(branch, state, group.writer);
  Prepared prepared = prepare(plan, group.writer, pass);
  if (prepared == Prepared::Ready && plan.need == Need::Toggle && stores) {
    plan.reason = store(plan, group.writer);
    if (plan.reason != TPRT_REFUSAL_NONE)
      prepared = Prepared::Refused;
  }
  waiting += prepared == Prepared::Waits;
  refusal = plan.reason;
  return prepared;
}

// In the first pass, prepares the static branch's path. If everything is
// prepared and the pass `stores`, changes the static branch. If this returns
// Refused, the static branch is unchanged, and `refusal` is the reason. If
// `near` is nullptr, only the full plan is used.
[[gnu::always_inline]] inline Prepared
Batch::takeBranch(Stretch *near, Group &group, tprt_site &branch,
                  BranchState state, Pass pass, bool stores,
                  tprt_refusal &refusal) {
  if (near && near->reaches(group.module, indexOf(&branch))) {
    SitePlan plan = near->planBranch(branch, state);
    if (plan.need == Need::Toggle && !stores)
      return Prepared::Ready;
    Prepared prepared = near->prepare(plan, group.writer, pass);
    if (prepared == Prepared::Waits)
      ++waiting;
    if (prepared == Prepared::Ready && plan.need == Need::Toggle)
      TextWriter::toggleWord(plan.toggle, plan.to,
                             maskOf(plan.toggle, near->origin + branch.sledAt));
    if (prepared != Prepared::Refused)
      return prepared;
  }
  return takeBranchInFull(group, branch, state, pass, stores, refusal);
}

// --- before the sleds -------------------------------------------------------

// A point whose static branch cannot be opened is refused. So the static
// branches' paths are prepared before the sleds are planned. A static branch
// that needs no preparation is opened at once.
[[gnu::flatten]] void Batch::prepareBranchesOf(Group &group) {
  Module *module = group.module;
  if (group.branches.begin == group.branches.end)
    return;
  const bool counting = counts();
  const BranchState state =
      counting ? BranchState::Counting : BranchState::Open;
  Stretch near{}, *quick = isBolted(module) ? nullptr : &near;
  for (size_t i = group.branches.begin; i < group.branches.end; ++i) {
    PointGroup &one = module->pointGroups->groups[branches[i]];
    const bool opens = !counting && !one.test;
    one.opened = opens;
    if (counting && one.test) // a test never counts
      continue;
    for (uint32_t at = one.branches; at < one.end; ++at) {
      tprt_site &branch = siteOf(module, module->pointGroups->places[at]);
      tprt_refusal refusal = TPRT_REFUSAL_NONE;
      Prepared prepared =
          takeBranch(quick, group, branch, state, Pass::First, opens, refusal);
      one.opened &= prepared == Prepared::Ready;
      if (prepared == Prepared::Refused) [[unlikely]] {
        one.refusal = static_cast<uint8_t>(refusal);
        branches.refused = true;
      }
    }
  }
}

void Batch::prepareBranches() {
  for (Group &group : groups)
    if (direction == Direction::On && group.forAll == TPRT_REFUSAL_NONE)
      prepareBranchesOf(group);
}

// --- after the sleds --------------------------------------------------------

static BranchState stateOf(const ActionList *actionList) {
  return !actionList          ? BranchState::Closed
         : actionList->calls  ? BranchState::Open
         : actionList->counts ? BranchState::Counting
                              : BranchState::Closed;
}

// The state that the sleds of a group require. If no sled has a test's name,
// the lone test takes the place of a sled.
static BranchState stateOf(Stretch &stretch, const Module *module,
                           const PointGroup &group) {
  const Points &points = *module->pointGroups;
  BranchState state = BranchState::Closed;
  for (uint32_t at = group.sleds; at < group.end; ++at) {
    uint32_t index = module->firstSite + points.places[at];
    if (at >= group.branches && sites[index].event.kind != kLoneTest)
      break;
    BranchState one =
        stateOf(stretch.reaches(module, index)
                    ? stretch.data[index - stretch.first].actionList
                    : nullptr);
    state = one > state ? one : state;
  }
  return state;
}

static BranchState stateOfTest(Stretch &stretch, const Module *module,
                               const PointGroup &group) {
  const Points &points = *module->pointGroups;
  const PointName &name = points.names[group.name];
  for (uint32_t i = name.first; i < name.end; ++i)
    if (stateOf(stretch, module, points.groups[points.byName[i]]) ==
        BranchState::Open)
      return BranchState::Open;
  return BranchState::Closed;
}

// Before a probe counts at the static branches of a group, notes what these
// have counted so far.
static bool noteCounts(const Module *module, const PointGroup &group,
                       tprt_probe *probe) {
  const Points &points = *module->pointGroups;
  for (uint32_t at = group.branches; at < group.end; ++at)
    if (!noteBranch(*probe, module->firstSite + points.places[at]))
      return false;
  return true;
}

[[gnu::noinline]] static void tellRefusal(const tprt_site &branch,
                                          tprt_refusal refusal) {
  say(1, "%p in %s: the static branch of point %s was not flipped: %s",
      static_cast<const void *>(branch.sled()), branch.module()->path,
      nameOf(descriptorOf(branch)), tprt_refusal_string(refusal));
}

// Sets each static branch to the state that the action lists of its sleds
// require. Returns false if there is no memory.
[[gnu::flatten]] bool Batch::applyBranchesOf(Group &group, bool isAllOn) {
  const Module *module = group.module;
  const Points *points = module->pointGroups;
  Stretch near{};
  near.closes = Target::ofBranch();
  for (size_t i = group.branches.begin; i < group.branches.end; ++i) {
    const PointGroup &one = points->groups[branches[i]];
    if (isAllOn && one.opened)
      continue;
    if (counts() && !one.test && !noteCounts(module, one, probe))
      return false;
    BranchState state =
        one.test ? stateOfTest(near, module, one) : stateOf(near, module, one);
    for (uint32_t at = one.branches; at < one.end; ++at) {
      tprt_site &branch = siteOf(module, points->places[at]);
      tprt_refusal refusal = TPRT_REFUSAL_NONE;
      if (takeBranch(&near, group, branch, state, Pass::Prepared, true,
                     refusal) == Prepared::Refused) [[unlikely]]
        tellRefusal(branch, refusal);
    }
  }
  return true;
}

void Batch::applyBranches() {
  const bool isAllOn =
      direction == Direction::On && !outOfMemory && !result->refused;
  for (Group &group : groups)
    outOfMemory |= !applyBranchesOf(group, isAllOn);
  if (counts())
    sortNotes(*probe);
}

} // namespace tprt
