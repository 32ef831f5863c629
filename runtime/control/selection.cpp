// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See selection.h.
#include "control/selection.h"
#include "base/search.h"
#include "base/small_alloc.h"
#include "names/path_glob.h"
#include "patch/overlap.h"
#include "probes/refresh.h"
#include "select/select.h"
#include "sites/site.h"
#include "threads/lock.h"

namespace tprt {

// A selection of this many bytes is the largest that a message can hold.
static constexpr size_t kMostBytes =
    sizeof(Selection) + 2 * TPRT_CONTROL_MOST_BYTES +
    (2 * sizeof(char *) + sizeof(tprt_probe *)) * TPRT_CONTROL_MOST_PATTERNS +
    sizeof(tprt_site *) * (TPRT_CONTROL_MOST_BYTES / sizeof(uint32_t));

static Selection *makeSelection(size_t texts, size_t patterns, size_t sites) {
  size_t selectors = sites ? 1 : patterns;
  size_t bytes = sizeof(Selection) + 2 * patterns * sizeof(char *) +
                 sites * sizeof(tprt_site *) +
                 selectors * sizeof(tprt_probe *) + texts;
  if (bytes > kMostBytes)
    return nullptr;
  Selection *made;
  {
    Lock lock;
    made = static_cast<Selection *>(allocateSmall(bytes));
  }
  if (!made)
    return nullptr;
  made->bytes = bytes;
  made->takes = reinterpret_cast<const char **>(made + 1);
  made->left = made->takes + patterns;
  made->sites = reinterpret_cast<const tprt_site **>(made->left + patterns);
  made->probes = reinterpret_cast<tprt_probe **>(
      const_cast<tprt_site **>(made->sites + sites));
  made->text = reinterpret_cast<char *>(made->probes + selectors);
  return made;
}

void freeSelection(Selection *selection) {
  Lock lock;
  freeSmall(selection, selection->bytes);
}

namespace {
// The patterns of a request. Their texts stay in the request.
struct Patterns {
  const char *texts[TPRT_CONTROL_MOST_PATTERNS];
  size_t bytes = 0; // with their NULs
};
} // namespace

// Returns nullptr, or the fault.
static const char *readPatterns(uint32_t count, Request &request,
                                Patterns &out) {
  if (count > TPRT_CONTROL_MOST_PATTERNS)
    return "a request has at most 256 patterns";
  for (uint32_t i = 0; i < count; ++i) {
    const char *text = out.texts[i] = request.string();
    if (!text)
      return "a pattern has no terminating zero";
    size_t bytes = strlen(text) + 1;
    if (bytes > TPRT_CONTROL_MOST_PATTERN_BYTES)
      return "a pattern is longer than 4095 bytes";
    if (!text[*text == '!'])
      return "a pattern is empty";
    out.bytes += bytes;
  }
  return nullptr;
}

// Appends a copy of one pattern to the text, and returns the copy.
static char *copy(char *&end, const char *text) {
  char *begin = end;
  end = stpcpy(end, text) + 1;
  return begin;
}

static bool isForPoints(const char *pattern) {
  return afterPointPrefix(pattern) != pattern;
}

// Whether a pattern is a name that could be left out. A source file is none,
// nor is a single instruction.
static bool isName(const char *pattern) {
  tprt_selector selector{};
  selector.function = pattern;
  return *pattern != '@' &&
         (isForPoints(pattern) || !asksForInstructions(&selector));
}

static void fill(Selection &to, const Patterns &from, uint32_t count) {
  char *end = to.text + from.bytes;
  for (uint32_t i = 0; i < count; ++i)
    if (from.texts[i][0] == '!')
      to.left[to.nots++] = copy(end, from.texts[i] + 1);
  // Patterns for points come first: the other patterns leave these points out,
  // and select the functions of the same names.
  for (uint32_t i = 0; i < 2 * count; ++i) {
    const char *given = from.texts[i % count];
    if (*given == '!' || isForPoints(given) != (i < count))
      continue;
    const char *text = to.takes[to.count++] = copy(end, given);
    if (isName(text))
      to.left[to.nots + to.names++] = text;
  }
  char *text = to.text;
  for (uint32_t i = 0; i < count; ++i) {
    text = stpcpy(text, from.texts[i]);
    *text++ = i + 1 < count ? ' ' : 0;
  }
}

static const char *readSites(uint32_t count, Request &request, Selection &to) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = 0;
    if (!request.take(index))
      return "the list of sites is shorter than its stated number";
    if (index >= kMaxSites || !isSite(&sites[index]) ||
        sites[index].isStaticBranch())
      return "there is no site of that number (any more); list them again";
    to.sites[to.siteCount++] = &sites[index];
  }
  return nullptr;
}

Selection *readSelection(const tprt_control_selection &numbers,
                         Request &request, Answer &answer,
                         tprt_status &status) {
  Patterns patterns;
  const char *fault =
      numbers.sites && numbers.patterns
          ? "a selection cannot have both patterns and sites"
      : !numbers.sites && !numbers.patterns
          ? "a selection needs patterns or sites"
      : numbers.sites > TPRT_CONTROL_MOST_BYTES / sizeof(uint32_t)
          ? "a request cannot hold so many sites"
          : readPatterns(numbers.patterns, request, patterns);
  Selection *made = fault ? nullptr
                          // Each text is there twice: once in `text`, and once
                          // separately.
                          : makeSelection(2 * patterns.bytes + 1,
                                          numbers.patterns, numbers.sites);
  if (!fault && !made) {
    status = refuse(answer, TPRT_STATUS_NO_MEMORY, "no memory for patterns");
    return nullptr;
  }
  if (!fault) {
    made->kinds = numbers.kinds;
    made->flags = numbers.flags & TPRT_SELECT_ALL_FLAGS;
    fill(*made, patterns, numbers.patterns);
    fault = readSites(numbers.sites, request, *made);
  }
  if (!fault && !selectorsOf(*made))
    fault = "all patterns exclude functions: give one that selects some";
  if (!fault)
    return made;
  if (made)
    freeSelection(made);
  status = refuse(answer, TPRT_STATUS_INVALID_ARGUMENT, "%s", fault);
  return nullptr;
}

// How many names come before this pattern. Both lists refer to the texts in
// their order.
static size_t namesBefore(const Selection &selection, uint32_t i) {
  const char *const *names = selection.left + selection.nots;
  return selection.siteCount
             ? 0
             : partitionPoint(0, selection.names, [&](size_t at) {
                 return names[at] < selection.takes[i];
               });
}

SelectorOf::SelectorOf(const Selection &selection, uint32_t i)
    : countNots(selection.nots) {
  selector.kinds = selection.kinds;
  selector.flags = selection.flags;
  {
    Lock lock;
    before = excludedNames;
    countBefore = excludedCount;
    excludedNames = selection.left;
    excludedCount = selection.nots + namesBefore(selection, i);
  }
  if (selection.siteCount) {
    selector.sites = selection.sites;
    selector.site_count = selection.siteCount;
    selector.flags &= ~uint32_t{TPRT_SELECT_AWAIT};
    return;
  }
  selector.flags |= kSelectWithoutExcluded;
  const char *pattern = selection.takes[i];
  if (*pattern == '@') {
    selector.source = pattern + 1;
  } else {
    selector.function = afterPointPrefix(pattern);
    if (selector.function != pattern)
      selector.kinds = TPRT_KIND_SET_POINT;
  }
  if (!asksForInstructions(&selector))
    return;
  selector.flags |= TPRT_SELECT_CODE; // as instructions have no sleds
  // To time calls, a request asks for entries and exits alone.
  if (selector.kinds != TPRT_KIND_SET_ALL)
    selector.kinds = TPRT_KIND_SET_INSTRUCTION;
}

bool SelectorOf::isOfEarlier(tprt_status status) const {
  if (status != TPRT_STATUS_NO_MATCH || selector.sites)
    return false;
  auto leaveOut = [](size_t count) {
    Lock lock;
    const size_t before = excludedCount;
    excludedCount = count;
    return before;
  };
  const size_t all = leaveOut(countNots);
  bool any = false;
  tprt_site_visit(
      &selector,
      [](const tprt_site *, void *data) {
        *static_cast<bool *>(data) = true;
        return 1;
      },
      &any);
  leaveOut(all);
  return any;
}

// If something fails here, the selectors themselves fail, and say why.
void readAhead(const Selection &selection) {
  Array<AskedCode> asked;
  for (uint32_t i = 0; i < selectorsOf(selection); ++i) {
    SelectorOf of(selection, i);
    if (selection.siteCount || !asksForInstructions(&of.selector) ||
        beginToSelect(&of.selector, false, "reading code") != TPRT_STATUS_OK)
      continue;
    Pattern pattern{};
    FoundNames names;
    {
      Lock lock;
      if (!readSelector(&of.selector, pattern))
        return;
    }
    const bool found = names.find(pattern);
    Lock lock;
    if (found)
      findAsked(pattern, names, asked);
    freePattern(pattern);
  }
  readInner(asked);
}

SelectorOf::~SelectorOf() {
  Lock lock;
  excludedNames = before;
  excludedCount = countBefore;
}

} // namespace tprt
