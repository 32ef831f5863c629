// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and lines of the rows that are shown, from the line tables of their
// modules. At an ordinary exit alone: it reads files, on a large stack.
#include "core/lines.h"
#include "core/sort.h"
#include "optional/tables.h"

namespace tprt {

static void locateInModule(const Module *module, Row *rows, size_t count,
                           Array<Place> &places, Array<char> &texts) {
  places.clear();
  for (size_t i = 0; i < count; ++i)
    if (rows[i].site->module() == module)
      places.push({reinterpret_cast<uint64_t>(rows[i].site->function()), 0, 0});
  if (places.empty())
    return;
  heapSort(places.begin(), places.size(), [](const Place &a, const Place &b) {
    return a.function < b.function;
  });
  findLines(module, places, texts);
}

// While texts grow they move: rows get offsets first, plus 1.
void locate(Row *rows, size_t count, Array<char> &texts) {
  Array<Place> places;
  if (!tryLock()) // whoever has it may be waiting for the end
    return;
  for (const Module *m = modules; m; m = m->next) {
    if (!m->loaded || !m->siteCount)
      continue;
    locateInModule(m, rows, count, places, texts);
    for (size_t i = 0; i < count; ++i) {
      if (rows[i].site->module() != m)
        continue;
      auto function = reinterpret_cast<uint64_t>(rows[i].site->function());
      size_t low = 0, high = places.size();
      while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places[middle].function < function)
          low = middle + 1;
        else
          high = middle;
      }
      if (low == places.size() || !places[low].line)
        continue;
      rows[i].line = places[low].line;
      rows[i].file = reinterpret_cast<const char *>(
          static_cast<uintptr_t>(places[low].file));
    }
  }
  giveLock();
  for (size_t i = 0; i < count; ++i)
    rows[i].file =
        rows[i].line ? texts.begin() + reinterpret_cast<uintptr_t>(rows[i].file)
                     : nullptr;
}

} // namespace tprt
