// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and lines of the rows that are shown, from the line tables of their
// modules. At an ordinary exit alone: it reads files, on a large stack.
#include "core/linetable.h"
#include "core/sort.h"
#include "optional/extension.h"
#include "optional/tables.h"

#include <string.h>

namespace tprt {

namespace {
// A function, by its address, and where it begins.
struct Place {
  uint64_t function;
  uint32_t line; // 0: not known
  uint32_t file; // its path's offset in the texts
};

// Fills in `line` and `file` of places that are sorted by `function`.
struct Locator : LineVisitor {
  uint64_t base; // the module's
  Array<Place> &places;
  Array<char> &texts;
};
} // namespace

// The first place at `function` or behind it.
static size_t placeFrom(const Array<Place> &places, uint64_t function) {
  size_t low = 0, high = places.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places[middle].function < function)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Who comes first wins.
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
    // The slash in front is not the path's where that is absolute.
    const char *text = path[0] && path[1] == '/' ? path + 1 : path;
    places[i].file = static_cast<uint32_t>(locator.texts.size());
    if (locator.texts.append(text, strlen(text) + 1))
      places[i].line = line;
  }
}

static SiteFacts factsOf(const Row &row) {
  SiteFacts facts;
  runtime->look(row.site, facts);
  return facts;
}

// Fills in the lines of all rows of one module; and as its file each row's
// offset in the texts, which move while they grow.
static void locateInModule(const Module *module, Row *rows, size_t count,
                           Array<Place> &places, Array<char> &texts) {
  places.clear();
  for (size_t i = 0; i < count; ++i) {
    SiteFacts facts = factsOf(rows[i]);
    if (facts.module == module)
      places.push({reinterpret_cast<uint64_t>(facts.function), 0, 0});
  }
  heapSort(places.begin(), places.size(), [](const Place &a, const Place &b) {
    return a.function < b.function;
  });
  Locator locator{{nullptr, place}, module->base, places, texts};
  readLineTable(module, locator);
  for (size_t i = 0; i < count; ++i) {
    SiteFacts facts = factsOf(rows[i]);
    if (facts.module != module)
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
  if (!runtime->tryLock()) // whoever has it may be waiting for the end
    return;
  for (size_t i = 0; i < count; ++i) {
    const Module *module = factsOf(rows[i]).module;
    bool isDone = false;
    for (const Module *other : done)
      isDone |= other == module;
    if (!isDone && done.push(module))
      locateInModule(module, rows, count, places, texts);
  }
  runtime->giveLock();
  for (size_t i = 0; i < count; ++i)
    rows[i].file =
        rows[i].line ? texts.begin() + reinterpret_cast<uintptr_t>(rows[i].file)
                     : nullptr;
}

} // namespace tprt
