// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds files and lines of the rows that are shown, in the line tables of their
// modules. Only called at an ordinary exit, as it reads files and needs a large
// stack. Not async-signal-safe.
#include "options/row_lines.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/debug_line.h"
#include "options/option_tables.h"
#include "options/site_facts.h"
#include "threads/lock.h"

#include <string.h>

namespace tprt {

namespace {
// A function, by its address, and where it begins.
struct Place {
  uint64_t function;
  uint32_t line; // 0: not known
  uint32_t file; // its path's offset in the texts
};

// Visits a line table and fills in `line` and `file` of the places, which are
// sorted by `function`.
struct Locator : LineVisitor {
  uint64_t base; // the module's
  Array<Place> &places;
  Array<char> &texts;
};
} // namespace

// The index of the first place at `function` or after it.
static size_t placeFrom(const Array<Place> &places, uint64_t function) {
  return partitionPoint(0, places.size(), [&](size_t at) {
    return places[at].function < function;
  });
}

// Called for each range of code that belongs to one line. The first such range
// that covers the begin of a function sets the function's line.
static void place(LineVisitor &visitor, const LineReader &reader, uint64_t from,
                  uint64_t to, uint32_t line) {
  auto &locator = static_cast<Locator &>(visitor);
  Array<Place> &places = locator.places;
  for (size_t i = placeFrom(places, locator.base + from);
       i < places.size() && places[i].function < locator.base + to; ++i) {
    if (places[i].line || !line)
      continue;
    char path[kMostPath];
    writePath(reader, path);
    // writePath() puts a slash in front, which is one too many if the path is
    // absolute.
    const char *text = path[0] && path[1] == '/' ? path + 1 : path;
    places[i].file = static_cast<uint32_t>(locator.texts.size());
    if (locator.texts.append(text, strlen(text) + 1))
      places[i].line = line;
  }
}

static SiteFacts factsOf(const Row &row) { return lookAt(row.site); }

// Fills in the lines of all rows of one module. Meanwhile, each row's `file`
// is an offset in the texts, as these move while they grow.
static void locateInModule(const Module *module, Row *rows, size_t count,
                           Array<Place> &places, Array<char> &texts) {
  places.clear();
  for (size_t i = 0; i < count; ++i) {
    SiteFacts facts = factsOf(rows[i]);
    if (facts.module == module && !facts.point)
      places.push({reinterpret_cast<uint64_t>(facts.function), 0, 0});
  }
  heapSort(places.begin(), places.size(), [](const Place &a, const Place &b) {
    return a.function < b.function;
  });
  Locator locator{{nullptr, place}, module->base, places, texts};
  readLineTable(module, locator);
  for (size_t i = 0; i < count; ++i) {
    SiteFacts facts = factsOf(rows[i]);
    if (facts.module != module || facts.point)
      continue;
    size_t at = placeFrom(places, reinterpret_cast<uint64_t>(facts.function));
    if (at == places.size() || !places[at].line)
      continue;
    rows[i].line = places[at].line;
    rows[i].file = reinterpret_cast<const char *>(uintptr_t{places[at].file});
  }
}

void locate(Row *rows, size_t count, Array<char> &texts) {
  Array<Place> places;
  Array<const Module *> done;
  if (!tryLock()) // its holder may be waiting for this exit to end
    return;
  for (size_t i = 0; i < count; ++i) {
    const Module *module = factsOf(rows[i]).module;
    bool isDone = false;
    for (const Module *other : done)
      isDone |= other == module;
    if (!isDone && done.push(module))
      locateInModule(module, rows, count, places, texts);
  }
  giveLock();
  for (size_t i = 0; i < count; ++i)
    if (!factsOf(rows[i]).point)
      rows[i].file =
          rows[i].line
              ? texts.begin() + reinterpret_cast<uintptr_t>(rows[i].file)
              : nullptr;
}

} // namespace tprt
