// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops over the gates of a batch, with a quick version of the steps in
// static_branches.cpp for what most gates need. Called under the lock.
#include "elf/bolt.h"
#include "patch/static_branches.h"
#include "patch/quick_patch.h"
#include "threads/counters.h"
#include "threads/status.h"

namespace tprt {

static uint32_t batches;

GateBatch::GateBatch() { ++batches; }

static tprt_site &siteOf(const Module *module, uint32_t place) {
  return sites[module->firstSite + place];
}

// --- which groups a batch concerns ------------------------------------------

// There is room for all groups: each is pushed once.
inline void GateBatch::touch(Points &points, uint32_t group) {
  PointGroup &one = points.groups[group];
  if (one.batch == batches)
    return;
  one.batch = batches;
  one.refusal = TPRT_REFUSAL_NONE;
  one.opened = false;
  groups[used++] = group;
}

// The tests that have the group's name.
inline void GateBatch::touchTests(Points &points, uint32_t group) {
  uint32_t number = points.groups[group].name;
  if (number == Points::kNoName || points.names[number].batch == batches)
    return;
  PointName &name = points.names[number];
  name.batch = batches;
  for (uint32_t i = name.first; i < name.end; ++i)
    if (points.groups[points.byName[i]].test)
      touch(points, points.byName[i]);
}

[[gnu::flatten]] bool GateBatch::collect(const Module *module,
                                         const uint32_t *begin,
                                         const uint32_t *end, GateSet &set) {
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
    if (group.gates == group.end)
      continue;
    // A group's gates are in order of address.
    const tprt_site *first = &siteOf(module, points->places[group.gates]);
    const tprt_site *last = &siteOf(module, points->places[group.end - 1]);
    set.low = first < set.low ? first : set.low;
    set.high = last > set.high ? last : set.high;
  }
  return true;
}

// --- the store --------------------------------------------------------------

// The order of stores to gates and sleds does not matter (static_branches.h). The plan
// was made from the bytes in memory right before. False: the gate has to be
// done in full, and nothing was stored.
[[gnu::always_inline]] static inline bool
storeQuickly(const tprt_site &gate, uint64_t origin, const Toggle &toggle,
             bool leads, TextWriter &writer) {
  if ((toggle.now == SledForm::On) == leads)
    return true;
  if (!writer.open() || !writer.storesWords()) [[unlikely]]
    return false;
  uint64_t value = leads ? toggle.on : toggle.off;
  if (toggle.bytes == 8)
    TextWriter::storePart(toggle.address, value,
                          maskOf(toggle, origin + gate.sledAt));
  else
    TextWriter::storeWord(toggle.address, value, toggle.bytes);
  return true;
}

// Whether a gate that was planned can lead there at once.
static bool isMade(const Stretch &stretch, const tprt_site &gate,
                   uint64_t way) {
  return !needsLanding(gate) || stretch.landing->isMade(way);
}

// --- prepare ----------------------------------------------------------------

// Prepares one group's gates. A gate that needs nothing more is opened at once.
// Returns whether all are open.
[[gnu::flatten]] bool GateBatch::prepareGroup(Stretch &stretch,
                                              const Module *module,
                                              PointGroup &group,
                                              TextWriter &writer,
                                              GateState state) {
  const bool opens = state == GateState::Open && !group.test;
  const uint32_t *places = module->pointGroups->places.begin();
  bool opened = opens;
  for (uint32_t at = group.gates; at < group.end; ++at) {
    uint32_t index = module->firstSite + places[at];
    const tprt_site &gate = sites[index];
    QuickGate plan;
    if (!quick || !stretch.reaches(module, index) ||
        !stretch.planGate(gate, state == GateState::Open ? kTargets : kGeneral,
                          plan)) {
      tprt_refusal refusal = prepareGate(gate, writer, state);
      opened = false;
      if (refusal == TPRT_REFUSAL_NONE)
        continue;
      group.refusal = static_cast<uint8_t>(refusal);
      refused = true;
    } else if (!isMade(stretch, gate, plan.way)) {
      stretch.landing->want(plan.way);
      ++waiting;
      opened = false;
    } else if (opens) {
      opened &= storeQuickly(gate, stretch.origin, plan.toggle, true, writer);
    }
  }
  return opened;
}

size_t GateBatch::prepare(Module *module, const GateSet &set,
                          TextWriter &writer, bool counts) {
  if (set.begin == set.end)
    return 0;
  Points *points = module->pointGroups;
  GateState state = counts ? GateState::Counting : GateState::Open;
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

static GateState stateOf(const Chain *chain) {
  return !chain          ? GateState::Closed
         : chain->calls  ? GateState::Open
         : chain->counts ? GateState::Counting
                         : GateState::Closed;
}

// What the sleds of a group ask for. A lone test stands for the sleds that its
// name does not have.
static GateState stateOf(Stretch &stretch, const Module *module,
                         const PointGroup &group) {
  const Points &points = *module->pointGroups;
  GateState state = GateState::Closed;
  for (uint32_t at = group.sleds; at < group.end; ++at) {
    uint32_t index = module->firstSite + points.places[at];
    if (at >= group.gates && sites[index].event.kind != kLoneTest)
      break;
    GateState one = stateOf(stretch.reaches(module, index)
                                ? stretch.data[index - stretch.first].chain
                                : nullptr);
    state = one > state ? one : state;
  }
  return state;
}

static GateState stateOfTest(Stretch &stretch, const Module *module,
                             const PointGroup &group) {
  const Points &points = *module->pointGroups;
  const PointName &name = points.names[group.name];
  for (uint32_t i = name.first; i < name.end; ++i)
    if (stateOf(stretch, module, points.groups[points.byName[i]]) ==
        GateState::Open)
      return GateState::Open;
  return GateState::Closed;
}

// Gives one gate its state. `closes` says where gates that are to be closed led
// so far. False: the gate has to be done in full, and nothing was stored.
[[gnu::always_inline]] static inline bool
applyQuickly(Stretch &stretch, const Module *module, uint32_t index,
             GateState state, StubKind &closes, TextWriter &writer) {
  const tprt_site &gate = sites[index];
  const bool leads = state != GateState::Closed;
  if (!stretch.reaches(module, index))
    return false;
  StubKind kind = state == GateState::Open       ? kTargets
                  : state == GateState::Counting ? kGeneral
                                                 : closes;
  QuickGate plan;
  if (!stretch.planGate(gate, kind, plan)) {
    // The next gate to be closed leads where this one does, as a rule.
    closes = closes == kTargets ? kGeneral : kTargets;
    return false;
  }
  return (!leads || isMade(stretch, gate, plan.way)) &&
         storeQuickly(gate, stretch.origin, plan.toggle, leads, writer);
}

// Notes what the gates of a group have counted before a probe counts there.
static bool noteCounts(const Module *module, const PointGroup &group,
                       tprt_probe *probe) {
  const Points &points = *module->pointGroups;
  for (uint32_t at = group.gates; at < group.end; ++at) {
    uint32_t gate = module->firstSite + points.places[at];
    if (!probe->gates.push({gate, sumCounters(gate)}))
      return false;
  }
  return true;
}

[[gnu::noinline]] static void tellRefusal(const tprt_site &gate,
                                          tprt_refusal refusal) {
  say(1, "%p in %s: the gate of point %s stays as it is: %s",
      static_cast<const void *>(gate.sled()), gate.module()->path,
      nameOf(descriptorOf(gate)), tprt_refusal_string(refusal));
}

[[gnu::flatten]] bool GateBatch::apply(const Module *module, const GateSet &set,
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
    GateState state = group.test ? stateOfTest(stretch, module, group)
                                 : stateOf(stretch, module, group);
    for (uint32_t at = group.gates; at < group.end; ++at) {
      uint32_t index = module->firstSite + points->places[at];
      if (applyQuickly(stretch, module, index, state, closes, writer))
        continue;
      tprt_refusal refusal = applyGate(sites[index], state, writer);
      if (refusal != TPRT_REFUSAL_NONE)
        tellRefusal(sites[index], refusal);
    }
  }
  return true;
}

} // namespace tprt
