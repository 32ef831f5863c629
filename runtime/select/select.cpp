// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns selectors (names, globs, modules, files, addresses, lists) into site
// indexes; see select.h.
#include "select/select.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/source_lines.h"
#include "elf/symbols.h"
#include "modules/point_groups.h"
#include "modules/sled_table.h"
#include "names/match.h"
#include "names/path_glob.h"
#include "sites/arch.h"
#include "threads/status.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

namespace tprt {

static bool moduleMatches(const char *pattern, const Module *module) {
  return !pattern || globMatchesPath(pattern, module->path);
}

// Whether the pattern requests the instruction at the site. If an entry or an
// exit can be probed, its site is also the site of its instruction.
static bool isPlace(const Pattern &pattern, const tprt_site &site) {
  if (!site.isInstruction() &&
      (!site.module()->isCode || codeOf(site).means == Means::None))
    return false;
  return (!pattern.address || pattern.address == site.sled()) &&
         (!pattern.hasOffset ||
          pattern.offset == uint64_t{site.sledAt} - site.functionAt);
}

static bool siteMatches(const Pattern &pattern, const tprt_site &site) {
  if (pattern.isPlaced)
    return isPlace(pattern, site);
  if (!(pattern.kinds & 1u << site.event.kind))
    return false;
  return !pattern.address || pattern.address == site.sled() ||
         (site.isOfFunction() && pattern.address == site.function());
}

const char *const *excludedNames;
size_t excludedCount;

// Whether the pattern selects only calls of profilers.
static bool isForProfilers(const Pattern &pattern) {
  return pattern.flags & TPRT_SELECT_PROFILERS;
}

// Whether the selector's flags include this site in code without sleds.
static bool flagsMatch(const Pattern &pattern, const tprt_site &site) {
  if (site.shape() != TPRT_SHAPE_CODE)
    return true;
  return isForProfilers(pattern) ? codeOf(site).profiler != Profiler::None
                                 : !codeOf(site).isInside;
}

bool mayMatch(const Pattern &pattern, const Module *module) {
  return module->loaded && !module->fault &&
         (module->isCode
              ? pattern.flags & (TPRT_SELECT_CODE | TPRT_SELECT_PROFILERS)
              : !isForProfilers(pattern)) &&
         (pattern.isPlaced ? module->isCode : !module->isInner) &&
         moduleMatches(pattern.module, module) &&
         (!pattern.point || hasPoint(module, pattern.point));
}

// --- names ------------------------------------------------------------------

// Matches names, in the order of a module's symbols, by the results of
// FoundNames. If FoundNames has not examined a module, only linked names are
// compared there.
struct NameMatcher {
  const char *pattern;
  const Module *module;
  const FoundNames::Match *next = nullptr, *end = nullptr;
  bool isFound;

  // With `excludes`, the matcher uses the results for all excluded patterns
  // together.
  NameMatcher(const char *pattern, const Module *module,
              const FoundNames &names, bool excludes)
      : pattern(pattern), module(module) {
    const FoundNames::Part *part = names.partOf(module);
    isFound = part;
    if (part) {
      const auto &found = excludes ? names.excluded : names.symbols;
      next = found.begin() + (excludes ? part->excludedBegin : part->begin);
      end = found.begin() + (excludes ? part->excludedEnd : part->end);
    }
  }
  bool matches(uint32_t symbol) {
    if (!isFound)
      return globMatches(pattern, module->strings.begin() +
                                      module->symbols[symbol].name);
    while (next < end && next->symbol < symbol)
      ++next;
    return next < end && next->symbol == symbol;
  }
  static bool isKnown(const Module *module, const FoundNames &names) {
    return names.partOf(module);
  }
};

// --- sites ------------------------------------------------------------------

// Bits of an item of `marks`, like kInSource.
constexpr uint8_t kNamed = 1, kExcluded = 4;
static_assert(!((kNamed | kExcluded) & kInSource));

// Marks the sites of functions with a matching name.
static void markNamed(NameMatcher matcher, const Module *module,
                      Array<uint8_t> &marks, uint8_t bit) {
  for (uint32_t i = 0; i < module->symbols.size(); ++i) {
    const Module::Symbol &symbol = module->symbols[i];
    // Names are in any order. So each name is prefetched 8 names ahead, which
    // is about the latency of memory.
    if (i + 8 < module->symbols.size())
      __builtin_prefetch(module->strings.begin() + module->symbols[i + 8].name);
    const uint32_t *first = &module->byFunction[symbol.order];
    if (marks[*first - module->firstSite] & bit)
      continue; // another name of the function has matched
    if (!matcher.matches(i))
      continue;
    uint32_t entry = sites[*first].functionAt;
    for (; first < module->byFunction.end(); ++first) {
      if (sites[*first].functionAt != entry)
        break;
      marks[*first - module->firstSite] |= bit;
    }
  }
}

// Marks the sleds of points and the static branches for whose descriptors
// `matches` returns true.
template <class Matches>
static void markPoints(const Module *module, Array<uint8_t> &marks, uint8_t bit,
                       Matches matches) {
  const Points *points = module->pointGroups;
  for (size_t i = 0; points && i < points->groups.size(); ++i) {
    const PointGroup &group = points->groups[i];
    if (matches(points->descriptor(group)))
      for (uint32_t at = group.sleds; at < group.end; ++at)
        marks[points->places[at]] |= bit;
  }
}

// Marks the sites that the pattern's name matches, and those that its excluded
// patterns match.
static void markNames(const Pattern &pattern, const FoundNames &names,
                      const Module *module, Array<uint8_t> &marks) {
  for (size_t i = 0; i <= pattern.excludedCount; ++i) {
    bool excludes = i < pattern.excludedCount;
    const char *glob = excludes ? excludedOf(pattern.excluded[i], module)
                       : isByName(pattern) ? pattern.function
                                           : nullptr;
    if (!glob)
      continue;
    uint8_t bit = excludes ? kExcluded : kNamed;
    const bool pointsAlone = excludes && isForPointsAlone(pattern.excluded[i]);
    if (!pointsAlone)
      markNamed(NameMatcher(glob, module, names, excludes), module, marks, bit);
    markPoints(module, marks, bit, [glob](const tprt_descriptor &descriptor) {
      return globMatches(glob, nameOf(descriptor));
    });
    // All functions are excluded, with or without a name.
    if (excludes && !pointsAlone && strcmp(glob, "*") == 0)
      for (uint8_t &each : marks)
        each |= kExcluded;
  }
}

// A point's descriptor has its file. For functions, the module's line table is
// read.
static void markSources(const Pattern &pattern, Module *module,
                        Array<uint8_t> &marks) {
  const char *source = pattern.source;
  markPoints(module, marks, kInSource,
             [source](const tprt_descriptor &descriptor) {
               return sourceMatches(source, fileOf(descriptor));
             });
  if (!(pattern.kinds & TPRT_KIND_SET_ALL) || module->byFunction.empty())
    return;
  if (const char *fault = markSource(module, source, marks))
    say(1, "%s: can't search for the source file %s: %s", module->path, source,
        fault);
}

// Copies the marks of functions in the code module to the sites of those
// functions in the inner module.
static bool markInner(const Module *module, const Array<uint8_t> &of,
                      Array<uint8_t> &marks) {
  const Module *outer = module->outer;
  if (!marks.resize(module->siteCount))
    return false;
  for (uint32_t i = 0; i < module->siteCount; ++i) {
    const tprt_site &site = sites[module->firstSite + i];
    if (i && site.functionAt == (&site - 1)->functionAt) {
      marks[i] = marks[i - 1];
      continue;
    }
    uint32_t at =
        functionFrom(outer, reinterpret_cast<uint64_t>(site.function()));
    bool isKnown = at < outer->byFunction.size() &&
                   sites[outer->byFunction[at]].functionAt == site.functionAt;
    marks[i] = isKnown ? of[outer->byFunction[at] - outer->firstSite] : 0;
  }
  return true;
}

static bool mark(const Pattern &pattern, const FoundNames &names,
                 Module *module, Array<uint8_t> &marks) {
  if (module->isInner) {
    Array<uint8_t> of;
    return mark(pattern, names, module->outer, of) &&
           markInner(module, of, marks);
  }
  readSymbols(module);
  if (!marks.resize(module->siteCount) || !module->ordered ||
      (asksForNames(pattern) && module->namesMissed == ENOMEM))
    return false;
  markNames(pattern, names, module, marks);
  if (pattern.source && !pattern.line)
    markSources(pattern, module, marks);
  return true;
}

// Selects all sites without a check of each site.
static bool selectAll(const Module *module, Array<uint32_t> &out) {
  size_t before = out.size();
  if (!out.resize(before + module->siteCount))
    return false;
  uint32_t next = module->firstSite;
  for (uint32_t *i = out.begin() + before; i < out.end(); ++i)
    *i = next++;
  return true;
}

// The marks that a site must have to be selected.
static uint8_t wantedMarks(const Pattern &pattern) {
  return static_cast<uint8_t>(
      (isByName(pattern) ? kNamed : 0) |
      (pattern.source && !pattern.line ? kInSource : 0));
}

bool findAskedFunctions(const Pattern &pattern, const FoundNames &names,
                        Module *outer, Array<uint32_t> &out) {
  readSymbols(outer);
  Array<uint64_t> lines;
  if (pattern.address) {
    auto at = reinterpret_cast<uint64_t>(pattern.address);
    return !inSegment(outer->segments, at, 1, PF_X) ||
           out.push(static_cast<uint32_t>(at - outer->origin));
  }
  if (pattern.line) {
    uint32_t nearest;
    findLine(outer, pattern.source, pattern.line, lines, &nearest);
    for (uint64_t at : lines)
      if (!out.push(static_cast<uint32_t>(at - outer->origin)))
        return false;
    return true;
  }
  Array<uint8_t> marks;
  uint8_t wanted = wantedMarks(pattern);
  if (!mark(pattern, names, outer, marks))
    return false;
  uint32_t last = 0;
  for (uint32_t index : outer->byFunction)
    if (marks[index - outer->firstSite] == wanted &&
        (out.empty() || sites[index].functionAt != last)) {
      last = sites[index].functionAt;
      if (!out.push(last))
        return false;
    }
  return true;
}

// Keeps only the sites that are at one of these addresses.
static void keepLines(const Array<uint64_t> &lines, size_t from,
                      Array<uint32_t> &out) {
  size_t kept = from;
  for (size_t i = from; i < out.size(); ++i) {
    auto sled = reinterpret_cast<uint64_t>(sites[out[i]].sled());
    for (uint64_t line : lines)
      if (line == sled) {
        out[kept++] = out[i];
        break;
      }
  }
  out.resize(kept);
}

namespace {
struct Span {
  uint32_t begin, end;
};
} // namespace

// The places of the sites that the pattern may select. Sites in code are in
// order of address, so those at an address are not searched for one by one.
static Span placesOf(const Pattern &pattern, const Module *module) {
  const Span all = {0, module->siteCount};
  if (!pattern.isPlaced || !pattern.address)
    return all;
  const uint64_t at =
      reinterpret_cast<uint64_t>(pattern.address) - module->origin;
  const tprt_site *first = sites + module->firstSite;
  auto from = [&](uint64_t offset) {
    return static_cast<uint32_t>(partitionPoint(
        0, all.end, [&](size_t i) { return first[i].sledAt < offset; }));
  };
  return {from(at), from(at + 1)};
}

Selected selectFromModule(const Pattern &pattern, const FoundNames &names,
                          bool again, Module *module, Array<uint32_t> &out) {
  if (!mayMatch(pattern, module))
    return Selected::All;
  if (asksForNames(pattern) && again &&
      !NameMatcher::isKnown(namedOf(module), names))
    return Selected::Again;
  uint8_t wanted = wantedMarks(pattern);
  bool marked = wanted || pattern.excludedCount;
  if (!marked && !pattern.address && !pattern.isPlaced && !module->isCode &&
      !(module->kinds & ~pattern.kinds))
    return selectAll(module, out) ? Selected::All : Selected::NoMemory;
  Array<uint8_t> marks;
  if (marked && !mark(pattern, names, module, marks))
    return Selected::NoMemory;
  size_t before = out.size();
  const Span of = placesOf(pattern, module);
  for (uint32_t i = of.begin; i < of.end; ++i)
    if ((!marked || marks[i] == wanted) &&
        siteMatches(pattern, sites[module->firstSite + i]) &&
        flagsMatch(pattern, sites[module->firstSite + i]) &&
        !out.push(module->firstSite + i))
      return Selected::NoMemory;
  if (pattern.line && out.size() > before) {
    Array<uint64_t> lines;
    uint32_t nearest;
    readSymbols(namedOf(module));
    findLine(namedOf(module), pattern.source, pattern.line, lines, &nearest);
    keepLines(lines, before, out);
  }
  return Selected::All;
}

static bool selectFromList(const Pattern &pattern, Array<uint32_t> &out) {
  for (size_t i = 0; i < pattern.site_count; ++i) {
    const tprt_site *site = pattern.sites[i];
    if (!isSite(site) || !site->module()->loaded)
      continue;
    if (siteMatches(pattern, *site) &&
        moduleMatches(pattern.module, site->module()) &&
        !out.push(indexOf(site)))
      return false;
  }
  // Each site is selected once, even if the list contains it several times.
  // Most lists are already in order, because a visit made them.
  bool isOrdered = true;
  for (size_t i = 1; i < out.size(); ++i)
    isOrdered &= out[i - 1] < out[i];
  if (isOrdered)
    return true;
  heapSort(out.begin(), out.size(),
           [](uint32_t a, uint32_t b) { return a < b; });
  size_t kept = out.empty() ? 0 : 1;
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i] != out[kept - 1])
      out[kept++] = out[i];
  return out.resize(kept);
}

Selected selectSites(const Pattern &pattern, const FoundNames &names,
                     bool again, Array<uint32_t> &out) {
  out.clear();
  if (pattern.sites)
    return selectFromList(pattern, out) ? Selected::All : Selected::NoMemory;
  Selected selected = Selected::All;
  for (Module *m = modules; m && selected == Selected::All; m = m->next)
    selected = selectFromModule(pattern, names, again, m, out);
  return selected;
}

} // namespace tprt
