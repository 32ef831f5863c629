// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the groups of a module's points; see point_groups.h. Called under the
// lock, in a walk of the loader's list.
#include "modules/point_groups.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "base/sort.h"
#include "modules/point_table.h"
#include "tprt/point.h"
#include "tprt/trace_grammar.h"

#include <string.h>

namespace tprt {

PointSite *pointSites;

WordForm formOf(char type) {
  constexpr bool kCharIsSigned = static_cast<char>(-1) < 0;
  switch (type) {
  case TPRT_ARGUMENT_BOOL:
  case TPRT_ARGUMENT_UNSIGNED_CHAR:
    return {56, false};
  case TPRT_ARGUMENT_CHAR:
    return {56, kCharIsSigned};
  case TPRT_ARGUMENT_SIGNED_CHAR:
    return {56, true};
  case TPRT_ARGUMENT_SHORT:
  case TPRT_ARGUMENT_UNSIGNED_SHORT:
    return {48, type == TPRT_ARGUMENT_SHORT};
  case TPRT_ARGUMENT_INT:
  case TPRT_ARGUMENT_UNSIGNED:
    return {32, type == TPRT_ARGUMENT_INT};
  default:
    return {0, false};
  }
}

void PointSite::set(const tprt_descriptor &copy) {
  descriptor = &copy;
  plainBytes = 0;
  plainCount = copy.argument_count;
  if (plainCount > TPRT_ARGUMENT_REGISTERS)
    return;
  const char *types = typesOf(copy);
  for (uint32_t i = 0; i < plainCount; ++i) {
    if (detail::isStringType(types[i]))
      return;
    forms[i] = formOf(types[i]);
  }
  plainBytes =
      static_cast<uint32_t>(sizeof(tprt_recorded_hit)) + 8 * plainCount;
}

// Sorts the sites of points and the static branches by the offsets of their
// descriptors. For each descriptor, the sleds come first. Returns false if
// there is no memory.
static bool orderByDescriptor(const Module *module, Array<Keyed> &order) {
  for (unsigned branches = 0; branches < 2; ++branches)
    for (uint32_t i = 0; i < module->siteCount; ++i) {
      const tprt_site &site = sites[module->firstSite + i];
      bool wanted = branches ? site.isStaticBranch() : site.isPoint();
      if (wanted && !order.push({site.pointGroup, i}))
        return false;
    }
  return sortByKey(order); // stable
}

// Makes one group of order[begin...end).
static bool addGroup(Module *module, const Keyed *begin, const Keyed *end) {
  Points &points = *module->pointGroups;
  auto first = static_cast<uint32_t>(points.places.size());
  PointGroup group{};
  group.text = static_cast<uint32_t>(points.texts.size());
  group.sleds = group.branches = first;
  group.name = Points::kNoName;
  for (const Keyed *one = begin; one < end; ++one) {
    tprt_site &site = sites[module->firstSite + one->value];
    site.pointGroup = static_cast<uint32_t>(points.groups.size());
    group.branches += site.isPoint();
    if (!points.places.push(one->value))
      return false;
  }
  group.end = static_cast<uint32_t>(points.places.size());
  uint64_t at = module->origin + begin->key;
  const auto &descriptor = *reinterpret_cast<const tprt_descriptor *>(at);
  size_t bytes = bytesOf(descriptor);
  group.test = descriptor.style == TPRT_POINT_STYLE_TEST;
  return points.texts.append(reinterpret_cast<const char *>(at), bytes) &&
         points.texts.resize((points.texts.size() + 7) & ~size_t{7}) &&
         points.groups.push(group);
}

static bool makeGroups(Module *module) {
  Array<Keyed> order;
  if (!orderByDescriptor(module, order))
    return false;
  const Keyed *end;
  for (const Keyed *begin = order.begin(); begin < order.end(); begin = end) {
    for (end = begin; end < order.end() && end->key == begin->key;)
      ++end;
    if (!addGroup(module, begin, end))
      return false;
  }
  return true;
}

// --- names ------------------------------------------------------------------

static uint32_t hashOf(const char *name) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (; *name; ++name)
    hash = (hash ^ static_cast<uint8_t>(*name)) * 16777619u;
  return hash;
}

static const char *nameOf(const Points &points, uint32_t group) {
  return nameOf(points.descriptor(points.groups[group]));
}

// Numbers the names of the groups of order[begin...end), all of which have the
// same hash. Different names rarely have the same hash, so a search among the
// names of this hash is short.
static bool numberNames(Points &points, const Keyed *begin, const Keyed *end) {
  size_t first = points.names.size();
  for (const Keyed *one = begin; one < end; ++one) {
    const char *name = nameOf(points, one->value);
    size_t number = first;
    while (number < points.names.size() &&
           strcmp(nameOf(points, points.names[number].first), name) != 0)
      ++number;
    // Until byName is made, `first` is a group of this name.
    if (number == points.names.size() && !points.names.push({one->value, 0, 0}))
      return false;
    points.groups[one->value].name = static_cast<uint32_t>(number);
  }
  return true;
}

static bool orderByName(Points &points, Array<Keyed> &order) {
  for (Keyed &one : order)
    one.key = points.groups[one.value].name;
  if (!sortByKey(order) || !points.byName.resize(order.size()))
    return false;
  for (uint32_t i = 0; i < order.size(); ++i) {
    PointName &name = points.names[order[i].key];
    points.byName[i] = order[i].value;
    if (i == 0 || order[i].key != order[i - 1].key)
      name.first = i;
    name.end = i + 1;
  }
  return true;
}

// Only TPRT_POINT_ON needs other groups of the same name.
static bool makeNames(Points &points) {
  Array<Keyed> order;
  bool tests = false;
  for (uint32_t i = 0; i < points.groups.size(); ++i)
    tests |= points.groups[i].test;
  for (uint32_t i = 0; tests && i < points.groups.size(); ++i)
    if (!order.push({hashOf(nameOf(points, i)), i}))
      return false;
  if (!tests)
    return true;
  if (!sortByKey(order))
    return false;
  const Keyed *end;
  for (const Keyed *begin = order.begin(); begin < order.end(); begin = end) {
    for (end = begin; end < order.end() && end->key == begin->key;)
      ++end;
    if (!numberNames(points, begin, end))
      return false;
  }
  return orderByName(points, order);
}

// Finds the lone tests: those whose module has no sled of a point of that name.
static void markLoneTests(Module *module) {
  Points &points = *module->pointGroups;
  for (const PointName &name : points.names) {
    bool anySled = false;
    for (uint32_t i = name.first; i < name.end; ++i) {
      const PointGroup &group = points.groups[points.byName[i]];
      anySled |= group.sleds < group.branches;
    }
    for (uint32_t i = name.first; i < name.end && !anySled; ++i) {
      const PointGroup &group = points.groups[points.byName[i]];
      if (!group.test)
        continue;
      for (uint32_t at = group.branches; at < group.end; ++at) {
        sites[module->firstSite + points.places[at]].event.kind = kLoneTest;
        points.loneTests = true;
      }
    }
  }
}

// Fills in pointSites after the copies have their final addresses.
static bool notePointSites(const Module *module) {
  static size_t bytes;
  if (!pointSites) {
    bytes = pageBytes();
    pointSites = static_cast<PointSite *>(startRange(bytes));
  }
  size_t end = size_t{module->firstSite} + module->siteCount;
  if (!pointSites || !growRange(pointSites, bytes, end * sizeof *pointSites))
    return false;
  const Points &points = *module->pointGroups;
  for (size_t i = 0; i < points.groups.size(); ++i) {
    const PointGroup &group = points.groups[i];
    for (uint32_t at = group.sleds; at < group.end; ++at)
      pointSites[module->firstSite + points.places[at]].set(
          points.descriptor(group));
  }
  return true;
}

bool makePoints(Module *module) {
  module->pointGroups = static_cast<Points *>(allocateSmall(sizeof(Points)));
  if (module->pointGroups && makeGroups(module) && notePointSites(module) &&
      makeNames(*module->pointGroups)) {
    markLoneTests(module);
    return true;
  }
  freePoints(module);
  return false;
}

void freePoints(Module *module) {
  if (!module->pointGroups)
    return;
  module->pointGroups->~Points();
  freeSmall(module->pointGroups, sizeof(Points));
  module->pointGroups = nullptr;
}

} // namespace tprt
