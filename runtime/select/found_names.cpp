// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the functions whose names a pattern matches; see FoundNames in
// select.h.
#include "elf/symbols.h"
#include "select/select.h"
#include "threads/lock.h"
#include "tprt/control_wire.h"

namespace tprt {

const FoundNames::Part *FoundNames::partOf(const Module *module) const {
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t at = (hint + i) % parts.size();
    if (parts[at].module != module || parts[at].adopted != module->adopted)
      continue;
    hint = at + 1;
    return &parts[at];
  }
  return nullptr;
}

// The forms of the current name, and the patterns in the form for comparison.
// The first pattern is the selector's own pattern; the excluded patterns
// follow.
struct Comparing {
  Array<NameForms> forms;
  Array<NamePattern> patterns;
  Array<char> room;

  bool prepare(const Pattern &pattern, const Module *module) {
    size_t bytes = 0;
    patterns.clear();
    auto each = [&](auto visit) {
      visit(isByName(pattern) ? pattern.function : "");
      for (size_t i = 0; i < pattern.excludedCount; ++i) {
        const char *glob = isForPointsAlone(pattern.excluded[i])
                               ? nullptr
                               : excludedOf(pattern.excluded[i], module);
        visit(glob ? glob : "");
      }
    };
    each([&](const char *text) { bytes += NamePattern::bytesFor(text); });
    if (!room.resize(bytes) || !forms.resize(1))
      return false;
    char *next = room.begin();
    bool memory = true;
    each([&](const char *text) {
      memory = memory && patterns.push(NamePattern(text, next));
      next += NamePattern::bytesFor(text);
    });
    return memory;
  }
};

// Adds the matches in a module.
bool FoundNames::look(const Pattern &pattern, const Module *m,
                      Comparing &names) {
  size_t begin = symbols.size(), excludedBegin = excluded.size();
  bool memory = names.prepare(pattern, m);
  for (uint32_t i = 0; i < m->symbols.size() && memory; ++i) {
    NameForms &forms = names.forms[0];
    forms.set(m->strings.begin() + m->symbols[i].name);
    for (size_t p = 0; p < names.patterns.size() && memory; ++p) {
      NameMatch match = names.patterns[p].matches(forms);
      if (match == NameMatch::None)
        continue;
      bool isWhole = match == NameMatch::Whole;
      Match found{i, static_cast<uint16_t>(p ? p - 1 : 0), isWhole};
      memory = (p ? excluded : symbols).push(found);
      whole |= !p && isWhole;
    }
  }
  return memory && parts.push({m, m->adopted, begin, symbols.size(),
                               excludedBegin, excluded.size()});
}

// If the pattern is the whole name of some function, no other function is
// selected.
void FoundNames::keepWhole() {
  auto keep = [](Array<Match> &list, size_t begin, size_t end, auto isKept) {
    size_t kept = begin;
    for (size_t i = begin; i < end; ++i)
      if (isKept(list[i]))
        list[kept++] = list[i];
    return kept;
  };
  uint64_t isWhole[(TPRT_CONTROL_MOST_PATTERNS + 63) / 64] = {};
  constexpr size_t kMost = 64 * (sizeof isWhole / sizeof *isWhole);
  for (const Match &match : excluded)
    if (match.isWhole && match.pattern < kMost)
      isWhole[match.pattern / 64] |= uint64_t{1} << match.pattern % 64;
  for (Part &part : parts) {
    if (whole)
      part.end = keep(symbols, part.begin, part.end,
                      [](const Match &match) { return match.isWhole; });
    part.excludedEnd =
        keep(excluded, part.excludedBegin, part.excludedEnd,
             [&](const Match &match) {
               return match.isWhole || match.pattern >= kMost ||
                      !(isWhole[match.pattern / 64] >> match.pattern % 64 & 1);
             });
  }
}

bool FoundNames::find(const Pattern &pattern, const Array<Arrival> *of) {
  if (!asksForNames(pattern) || pattern.sites)
    return true;
  whole |= pattern.isWhole;
  Array<Module *> fresh;
  bool memory = true;
  auto add = [&](Module *m) {
    if (!memory || !mayMatch(pattern, m) || m->isInner || partOf(m))
      return;
    readSymbols(m);
    memory = fresh.push(m);
    m->readers += memory;
  };
  {
    Lock lock;
    if (of)
      for (const Arrival &arrival : *of)
        add(arrival.module);
    else
      for (Module *m = modules; m; m = m->next)
        add(m);
  }
  Comparing names;
  for (const Module *m : fresh)
    memory = memory && look(pattern, m, names);
  keepWhole();
  Lock lock;
  for (Module *m : fresh)
    --m->readers;
  return memory;
}

} // namespace tprt
