// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops over the static branches of a batch, with a quick version of the
// steps in static_branches.cpp for what most static branches need. Called under
// the lock.
#include "elf/bolt.h"
#include "patch/quick_patch.h"
#include "patch/static_branches.h"
#include "threads/counters.h"
#include "threads/status.h"

namespace tprt {

static uint32_t batches;

BranchBatch::BranchBatch() { ++batches; }

static tprt_site &siteOf(const Module *module, uint32_t place) {
  return sites[module->firstSite + place];
}

// --- which groups a batch concerns ------------------------------------------

// There is room for all groups: each is pushed once.
inline void BranchBatch::touch(Points &points, uint32_t group) {
  PointGroup &one = points.groups[group];
  if (one.batch == batches)
    return;
  one.batch = batches;
  one.refusal = TPRT_REFUSAL_NONE;
  one.opened = false;
  groups[used++] = group;
}

// The tests that have the group's name.
inline void BranchBatch::touchTests(Points &points, uint32_t group) {
  uint32_t number = points.groups[group].name;
  if (number == Points::kNoName || points.names[number].batch == batches)
    return;
  PointName &name = points.names[number];
  name.batch = batches;
  for (uint32_t i = name.first; i < name.end; ++i)
    if (points.groups[points.byName[i]].test)
      touch(points, points.byName[i]);
}

[[gnu::flatten]] bool BranchBatch::collect(const Module *module,
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

// --- the store --------------------------------------------------------------

// The order of stores to static branches and sleds does not matter
// (static_branches.h). The plan was made from the bytes in memory right before.
// False: the static branch has to be done in full, and nothing was stored.
[[gnu::always_inline]] static inline bool
storeQuickly(const tprt_site &branch, uint64_t origin, const Toggle &toggle,
             bool leads, TextWriter &writer) {
  if ((toggle.now == SledForm::On) == leads)
    return true;
  if (!writer.open() || !writer.storesWords()) [[unlikely]]
    return false;
  TextWriter::toggleWord(toggle, leads ? Direction::On : Direction::Off,
                         maskOf(toggle, origin + branch.sledAt));
  return true;
}

// Whether a static branch that was planned can lead there at once.
static bool isMade(const Stretch &stretch, const tprt_site &branch,
                   uint64_t way) {
  return !needsIsland(branch) || stretch.island->isMade(way);
}

// --- prepare ----------------------------------------------------------------

// Prepares one group's static branches. A static branch that needs nothing more
// is opened at once. Returns whether all are open.
[[gnu::flatten]] bool BranchBatch::prepareGroup(Stretch &stretch,
                                                const Module *module,
                                                PointGroup &group,
                                                TextWriter &writer,
                                                BranchState state) {
  const bool opens = state == BranchState::Open && !group.test;
  const uint32_t *places = module->pointGroups->places.begin();
  bool opened = opens;
  for (uint32_t at = group.branches; at < group.end; ++at) {
    uint32_t index = module->firstSite + places[at];
    const tprt_site &branch = sites[index];
    QuickBranch plan;
    if (!quick || !stretch.reaches(module, index) ||
        !stretch.planBranch(
            branch, state == BranchState::Open ? kTargets : kGeneral, plan)) {
      tprt_refusal refusal = prepareBranch(branch, writer, state);
      opened = false;
      if (refusal == TPRT_REFUSAL_NONE)
        continue;
      group.refusal = static_cast<uint8_t>(refusal);
      refused = true;
    } else if (!isMade(stretch, branch, plan.way)) {
      stretch.island->want(plan.way);
      ++waiting;
      opened = false;
    } else if (opens) {
      opened &= storeQuickly(branch, stretch.origin, plan.toggle, true, writer);
    }
  }
  return opened;
}

size_t BranchBatch::prepare(Module *module, const BranchSet &set,
                            TextWriter &writer, bool counts) {
  if (set.begin == set.end)
    return 0;
  Points *points = module->pointGroups;
  BranchState state = counts ? BranchState::Counting : BranchState::Open;
  Stretch stretch{};
  waiting = 0;
  quick = !isBolted(module);
  for (size_t i = set.begin; i < set.end; ++i) {
    PointGroup &group = points->groups[groups[i]];
    if (!counts || !group.test) // a test never counts
      group.opened = prepareGroup(stretch, module, group, writer, state);
  }
  return waiting;
}

// --- apply ------------------------------------------------------------------

static BranchState stateOf(const ActionList *actionList) {
  return !actionList          ? BranchState::Closed
         : actionList->calls  ? BranchState::Open
         : actionList->counts ? BranchState::Counting
                              : BranchState::Closed;
}

// What the sleds of a group ask for. A lone test stands for the sleds that its
// name does not have.
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

// Gives one static branch its state. `closes` says where static branches that
// are to be closed led so far. False: the static branch has to be done in full,
// and nothing was stored.
[[gnu::always_inline]] static inline bool
applyQuickly(Stretch &stretch, const Module *module, uint32_t index,
             BranchState state, StubKind &closes, TextWriter &writer) {
  const tprt_site &branch = sites[index];
  const bool leads = state != BranchState::Closed;
  if (!stretch.reaches(module, index))
    return false;
  StubKind kind = state == BranchState::Open       ? kTargets
                  : state == BranchState::Counting ? kGeneral
                                                   : closes;
  QuickBranch plan;
  if (!stretch.planBranch(branch, kind, plan)) {
    // The next static branch to be closed leads where this one does, as a rule.
    closes = closes == kTargets ? kGeneral : kTargets;
    return false;
  }
  return (!leads || isMade(stretch, branch, plan.way)) &&
         storeQuickly(branch, stretch.origin, plan.toggle, leads, writer);
}

// Notes what the static branches of a group have counted before a probe counts
// there.
static bool noteCounts(const Module *module, const PointGroup &group,
                       tprt_probe *probe) {
  const Points &points = *module->pointGroups;
  for (uint32_t at = group.branches; at < group.end; ++at) {
    uint32_t branch = module->firstSite + points.places[at];
    if (!probe->branches.push({branch, sumCounters(branch)}))
      return false;
  }
  return true;
}

[[gnu::noinline]] static void tellRefusal(const tprt_site &branch,
                                          tprt_refusal refusal) {
  say(1, "%p in %s: the static branch of point %s stays as it is: %s",
      static_cast<const void *>(branch.sled()), branch.module()->path,
      nameOf(descriptorOf(branch)), tprt_refusal_string(refusal));
}

[[gnu::flatten]] bool BranchBatch::apply(const Module *module,
                                         const BranchSet &set,
                                         TextWriter &writer, tprt_probe *probe,
                                         bool isAllOn) {
  const Points *points = module->pointGroups;
  Stretch stretch{};
  StubKind closes = kTargets;
  for (size_t i = set.begin; i < set.end; ++i) {
    const PointGroup &group = points->groups[groups[i]];
    if (isAllOn && group.opened)
      continue;
    if (probe && !group.test && !noteCounts(module, group, probe))
      return false;
    BranchState state = group.test ? stateOfTest(stretch, module, group)
                                   : stateOf(stretch, module, group);
    for (uint32_t at = group.branches; at < group.end; ++at) {
      uint32_t index = module->firstSite + points->places[at];
      if (applyQuickly(stretch, module, index, state, closes, writer))
        continue;
      tprt_refusal refusal = applyBranch(sites[index], state, writer);
      if (refusal != TPRT_REFUSAL_NONE)
        tellRefusal(sites[index], refusal);
    }
  }
  return true;
}

} // namespace tprt
