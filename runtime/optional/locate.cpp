// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and lines of the rows that are shown, from the line tables of their
// modules. At an ordinary exit alone: it reads files, on a large stack.
#include "core/sort.h"
#include "optional/extension.h"
#include "optional/tables.h"

namespace tprt {

static const Place *placeOf(const Array<Place> &places, uint64_t function) {
  size_t low = 0, high = places.size();
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places[middle].function < function)
      low = middle + 1;
    else
      high = middle;
  }
  return low < places.size() ? &places[low] : nullptr;
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
  runtime->findLines(module, places, texts);
  for (size_t i = 0; i < count; ++i) {
    SiteFacts facts = factsOf(rows[i]);
    if (facts.module != module)
      continue;
    const Place *place =
        placeOf(places, reinterpret_cast<uint64_t>(facts.function));
    if (!place || !place->line)
      continue;
    rows[i].line = place->line;
    rows[i].file = reinterpret_cast<const char *>(uintptr_t{place->file});
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
