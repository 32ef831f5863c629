// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the names of rows. To demangle a name takes malloc, which a signal may
// have interrupted. So names are also made when the library is loaded. If the
// end of the process is not ordinary (at_end.h), the tables show these names,
// and a function's symbol where its name was not made.
#include "options/preread_names.h"
#include "base/os_memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "names/short_names.h"
#include "options/count_option.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/site_facts.h"
#include "options/time_option.h"
#include "threads/lock.h"

#include <string.h>

namespace tprt {

namespace {
// How many names are made. Each takes some microseconds at the start of the
// program.
constexpr size_t kMostPrepared = 4096;
constexpr uint64_t kUsualWidth = 100;

struct Prepared {
  uint32_t site, name; // `name` is an offset in the texts
};
// All constant once prepareNames() has returned. The memory is never freed:
// exit() destroys objects that have a destructor before the tables are printed.
constexpr size_t kTextBytes = kMostPrepared * 256;
Prepared *prepared;
size_t count;
char *texts;
size_t textBytes;
} // namespace

// Ends a name that takes all of its `size` bytes in an ellipsis, after a whole
// character.
static void endInEllipsis(char *name, size_t size) {
  static constexpr char kEllipsis[] = "\u2026";
  char *at = name + size - sizeof kEllipsis;
  while ((*at & 0xc0) == 0x80)
    --at;
  memcpy(at, kEllipsis, sizeof kEllipsis);
}

const char *writeName(const char *linked, char *out, size_t size) {
  uint64_t width = options.width;
  if (width == kUsual)
    width = options.format == Format::Text ? kUsualWidth : 0;
  tprt_name_demangle(linked, out, size);
  if (strlen(out) == size - 1) {
    if (!width)
      return linked;
    endInEllipsis(out, size);
  }
  if (options.names == Names::Short)
    tprt_name_shorten(out, width);
  else if (width)
    cutName(out, width);
  return out;
}

static void prepare(const Table &table) {
  static char name[4096];
  for (const Row &row : table.rows) {
    SiteFacts facts = lookAt(row.site);
    const char *linked = facts.name;
    if (facts.point || !linked || linked[0] != '_' || linked[1] != 'Z')
      continue;
    const char *written = writeName(linked, name, sizeof name);
    size_t bytes = strlen(written) + 1;
    if (count == kMostPrepared || bytes > kTextBytes - textBytes)
      return;
    prepared[count++] = {facts.index, static_cast<uint32_t>(textBytes)};
    memcpy(texts + textBytes, written, bytes);
    textBytes += bytes;
  }
}

void prepareNames() {
  if (options.names == Names::Linked)
    return;
  prepared =
      static_cast<Prepared *>(reservePages(kMostPrepared * sizeof(Prepared)));
  texts = static_cast<char *>(reservePages(kTextBytes));
  if (!prepared || !texts)
    return;
  Table tables[2]{};
  {
    Lock lock;
    collectCounts(tables[0], Which::All);
    collectTimes(tables[1], Which::All);
  }
  for (const Table &table : tables)
    prepare(table);
  heapSort(prepared, count, [](const Prepared &a, const Prepared &b) {
    return a.site < b.site;
  });
}

const char *preparedName(uint32_t site) {
  size_t i = partitionPoint(
      0, count, [&](size_t at) { return prepared[at].site < site; });
  return i < count && prepared[i].site == site ? texts + prepared[i].name
                                               : nullptr;
}

} // namespace tprt
