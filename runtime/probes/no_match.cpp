// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a selector finds nothing: the error text of attach() and visitSites().
// Called under the lock.
#include "probes/no_match.h"
#include "elf/bolt.h"
#include "elf/source_lines.h"
#include "elf/symbols.h"
#include "loader/module_list.h"
#include "modules/sled_table.h"
#include "names/path_glob.h"
#include "patch/overlap.h"
#include "select/select.h"
#include "threads/status.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

namespace tprt {

static bool isEmpty(const Pattern &pattern, const FoundNames &names) {
  Array<uint32_t> found;
  return selectSites(pattern, names, false, found) != Selected::All ||
         found.empty();
}

// The number of sites in modules that have any of these kinds.
static uint32_t countSites(uint32_t kinds) {
  uint32_t count = 0;
  for (const Module *m = modules; m; m = m->next)
    count += m->loaded && m->kinds & kinds ? m->siteCount : 0;
  return count;
}

// Called if no module has sites of the requested kinds.
static tprt_status explainNoTable(uint32_t kinds) {
  if (badModules)
    return fail(lastRefusal.status,
                "every sled table in this process was refused: %s",
                lastRefusal.text);
  if (kinds & TPRT_KIND_SET_ALL)
    return fail(TPRT_STATUS_NO_TABLE,
                "no module in this process (%s) has a sled table: build the "
                "program with tp-clang -ftp-entry=2,0, or probe functions "
                "without sleds (tpctl --code, TPRT_OPTIONS=code=1)",
                program_invocation_short_name);
  return fail(TPRT_STATUS_NO_TABLE,
              "no module in this process (%s) has points: TPRT_TRACE() of "
              "tprt/trace.h makes a point",
              program_invocation_short_name);
}

// Otherwise the text would not say that a module's sites are missing because of
// its bad table.
static const char *beforeRefusal() {
  return badModules ? "; a table was refused: " : "";
}
static const char *refusal() { return badModules ? lastRefusal.text : ""; }

static tprt_status explainKind(const char *function, uint32_t kinds,
                               uint32_t inCode) {
  if (inCode & TPRT_SELECT_PROFILERS)
    return fail(TPRT_STATUS_NO_MATCH,
                "%.80s has no call of a profiler %s: was it built with -pg or "
                "-finstrument-functions?",
                function,
                kinds & TPRT_KIND_SET_ENTRY ? "where it begins"
                                            : "where it ends");
  if (inCode && kinds & TPRT_KIND_SET_ALL)
    return fail(
        TPRT_STATUS_NO_MATCH,
        kinds & TPRT_KIND_SET_ENTRY
            ? "%.80s has no entry sled, and no entry was found in its code"
            : "%.80s has no exit sled of that kind, and no such exit was found "
              "in its code",
        function);
  return fail(TPRT_STATUS_NO_MATCH,
              kinds & TPRT_KIND_SET_ENTRY
                  ? "%.80s has no entry sled: build with "
                    "-fplugin-arg-tp-entry=2,0"
              : kinds & TPRT_KIND_SET_EXIT
                  ? "%.80s has no exit sled of that kind: build with "
                    "-fplugin-arg-tp-exit"
                  : "%.80s is not a point%s%s",
              function, beforeRefusal(), refusal());
}

// The first module that the pattern may mean and whose sites have no names
// because its file was stripped or cannot be read. Many files without sleds are
// stripped, so these count only if the pattern names a file. Returns nullptr if
// there is none.
static const Module *findNameless(const Pattern &pattern) {
  for (Module *m = modules; m; m = m->next) {
    if (!m->loaded || !m->siteCount || (m->isCode && !pattern.module) ||
        !mayMatch(pattern, m))
      continue;
    readSymbols(m);
    uint32_t i = 0;
    while (i < m->siteCount && !nameOf(sites[m->firstSite + i]))
      ++i;
    if (i == m->siteCount)
      return m;
  }
  return nullptr;
}

// The module that has this file name and a segment at the offset of a pattern
// such as app+0x1138, which is how functions without a name are shown.
static const Module *findShownAs(const Pattern &pattern) {
  for (const Module *m = modules; m && pattern.hasOffset; m = m->next)
    if (m->loaded && m->isCode && !m->isInner && !pattern.module &&
        strcmp(fileNameOf(m->path), pattern.function) == 0 &&
        inSegment(m->segments, m->origin + pattern.offset, 1, PF_X))
      return m;
  return nullptr;
}

// Whether a function with sleds has the name of a pattern of instructions.
// FoundNames examines only modules in which such a pattern can match.
static bool isNameWithSleds(const Pattern &pattern) {
  Array<char> room;
  Array<NameForms> forms;
  if (!room.resize(NamePattern::bytesFor(pattern.function)) || !forms.resize(1))
    return false;
  const NamePattern name(pattern.function, room.begin());
  for (const Module *m = modules; m; m = m->next) {
    if (!m->loaded || m->fault || m->isCode ||
        (pattern.module && !globMatchesPath(pattern.module, m->path)))
      continue;
    for (const Module::Symbol &symbol : m->symbols) {
      forms[0].set(m->strings.begin() + symbol.name);
      if (name.matches(forms[0]) != NameMatch::None)
        return true;
    }
  }
  return false;
}

static tprt_status explainSleds(const char *function) {
  return fail(TPRT_STATUS_NO_MATCH,
              "%.80s has sleds, and single instructions of such functions "
              "can't be probed: select the whole function, or compile it "
              "without sleds (__attribute__((tp_never)))",
              function);
}

// Called if a module of that name has sites, but none in this function.
static tprt_status explainName(const Pattern &pattern, uint32_t loaded) {
  for (Module *m = modules; m; m = m->next)
    if (mayMatch(pattern, m) && isBolted(m))
      return fail(TPRT_STATUS_NO_MATCH,
                  "none of the sites of %.160s matches %.80s; but BOLT has "
                  "moved code of this file, and the table does not lead to the "
                  "new place: keep BOLT off instrumented functions "
                  "(--skip-funcs)",
                  m->path, pattern.function);
  const char *module = pattern.module;
  char subject[32] = "the only site";
  if (loaded != 1)
    snprintf(subject, sizeof subject, "none of the %u sites", loaded);
  const char *verb = loaded == 1 ? "does not match" : "matches";
  if (const Module *m = findShownAs(pattern))
    return fail(TPRT_STATUS_NO_MATCH,
                "%.80s is a file, but offsets count from the beginning of a "
                "function: select the address %p instead",
                pattern.function,
                reinterpret_cast<void *>(m->origin + pattern.offset));
  if (pattern.isPlaced && isNameWithSleds(pattern))
    return explainSleds(pattern.function);
  const Module *nameless = findNameless(pattern);
  if (nameless && nameless->isCode)
    return fail(TPRT_STATUS_NO_MATCH,
                "%s%s%.80s %s %.80s so far: no function of %.160s has a name; "
                "was the file stripped, or removed or replaced since it was "
                "loaded? Select by address or by module%s%s",
                subject, module ? " of " : "", module ? module : "", verb,
                pattern.function, nameless->path, beforeRefusal(), refusal());
  if (nameless)
    return fail(TPRT_STATUS_NO_MATCH,
                "%s%s%.80s %s %.80s so far: no function "
                "with sleds of %.160s has a name; was it stripped? Compile "
                "with -ftp-names, or select by module%s%s",
                subject, module ? " of " : "", module ? module : "", verb,
                pattern.function, nameless->path, beforeRefusal(), refusal());
  for (Module *m = modules; m; m = m->next)
    if (m->isCode && !m->isInner && mayMatch(pattern, m) &&
        hasFunctionSymbol(m, pattern.function))
      return fail(TPRT_STATUS_NO_MATCH,
                  "%.80s in %.160s has no unwind entry, which is needed to "
                  "probe a function without sleds: compile it with "
                  "-fasynchronous-unwind-tables, or with sleds%s%s",
                  pattern.function, m->path, beforeRefusal(), refusal());
  return fail(TPRT_STATUS_NO_MATCH,
              "%s%s%.80s %s %.80s so far (names are "
              "those that nm shows%s; is the function %sinlined, or an "
              "IFUNC?)%s%s",
              subject, module ? " of " : "", module ? module : "", verb,
              pattern.function,
              strchr(pattern.function, '@') ? ", mostly without @VERSION" : "",
              module ? "another module's, " : "", beforeRefusal(), refusal());
}

// Called if no module of that name has sites.
static tprt_status explainModule(const Pattern &pattern) {
  return fail(
      TPRT_STATUS_NO_MATCH,
      "no module that is loaded so far and has sites is called %.80s (give its "
      "file name, its path, or a glob for one of these%s)%s%s",
      pattern.module,
      pattern.flags & TPRT_SELECT_CODE
          ? "; files without .eh_frame_hdr, the dynamic loader, the "
            "vdso and libtprt have none"
          : "",
      beforeRefusal(), refusal());
}

// --- single instructions ----------------------------------------------------

// Called if no instruction begins at the given place. The text gives addresses,
// or offsets in the function of this name.
static tprt_status explainBoundary(const Module *outer, uint64_t address,
                                   const CodeExtent &extent, const char *name) {
  uint64_t start = outer->origin + extent.start,
           end = outer->origin + extent.end,
           next = nextInstruction(outer, address, end);
  auto hex = [](uint64_t value) {
    return static_cast<unsigned long long>(value);
  };
  if (!name)
    return next ? fail(TPRT_STATUS_REFUSED,
                       "no instruction begins at 0x%llx: the next one of that "
                       "function begins at 0x%llx",
                       hex(address), hex(next))
                : fail(TPRT_STATUS_REFUSED,
                       "no instruction begins at 0x%llx, nor after it in its "
                       "function, which ends at 0x%llx",
                       hex(address), hex(end));
  if (address >= end)
    return fail(TPRT_STATUS_REFUSED,
                "%.80s+0x%llx is past the function's end: it is 0x%llx bytes "
                "long",
                name, hex(address - start), hex(end - start));
  return next ? fail(TPRT_STATUS_REFUSED,
                     "no instruction begins at %.80s+0x%llx: the next one "
                     "begins at %.80s+0x%llx",
                     name, hex(address - start), name, hex(next - start))
              : fail(TPRT_STATUS_REFUSED,
                     "no instruction begins at %.80s+0x%llx, nor after it in "
                     "the function, which is 0x%llx bytes long",
                     name, hex(address - start), hex(end - start));
}

static tprt_status explainAddress(const Pattern &pattern) {
  auto at = reinterpret_cast<uint64_t>(pattern.address);
  const Module *in = nullptr;
  for (const Module *m = modules; m; m = m->next) {
    if (!m->loaded || !m->isCode || m->isInner ||
        !inSegment(m->segments, at, 1, PF_X))
      continue;
    in = m;
    if (const CodeExtent *extent =
            extentAt(m, static_cast<uint32_t>(at - m->origin)))
      return explainBoundary(m, at, *extent, nullptr);
  }
  if (!in)
    return fail(TPRT_STATUS_NO_MATCH,
                "%p is in no module whose code can be probed", pattern.address);
  return fail(TPRT_STATUS_NO_MATCH,
              "%p, in %.160s, is in no known function without a sled",
              pattern.address, in->path);
}

// Whether the function with this code has sleds.
static bool hasSleds(const Module *outer, uint64_t address) {
  const CodeExtent *extent =
      extentAt(outer, static_cast<uint32_t>(address - outer->origin));
  for (const Module *m = modules; m && extent; m = m->next) {
    if (!m->loaded || m->isCode || m->base != outer->base)
      continue;
    for (uint32_t i = 0; i < m->siteCount; ++i) {
      const tprt_site &site = sites[m->firstSite + i];
      const uint64_t start =
          reinterpret_cast<uint64_t>(site.function()) - outer->origin;
      if (site.isOfFunction() && start >= extent->start && start < extent->end)
        return true;
    }
  }
  return false;
}

static tprt_status explainLine(const Pattern &pattern) {
  uint32_t nearest = 0;
  const char *fault = nullptr;
  for (Module *m = modules; m; m = m->next) {
    if (!m->isCode || m->isInner || !mayMatch(pattern, m))
      continue;
    readSymbols(m);
    Array<uint64_t> lines;
    uint32_t here;
    const char *why = findLine(m, pattern.source, pattern.line, lines, &here);
    fault = why ? why : fault;
    if (!lines.empty())
      return fail(TPRT_STATUS_REFUSED,
                  "line %u of %.80s begins at %p, where no instruction can be "
                  "probed%s",
                  pattern.line, pattern.source,
                  reinterpret_cast<void *>(lines[0]),
                  hasSleds(m, lines[0])
                      ? ": the function has sleds; select the whole function, "
                        "or compile it without sleds "
                        "(__attribute__((tp_never)))"
                      : "");
    bool isNearer =
        here && (!nearest || (here > pattern.line) == (here < nearest));
    nearest = isNearer ? here : nearest;
  }
  if (nearest)
    return fail(TPRT_STATUS_NO_MATCH,
                "line %u of %.80s has no code; the nearest line that has code "
                "is %u",
                pattern.line, pattern.source, nearest);
  return fail(TPRT_STATUS_NO_MATCH,
              "no line table names the source file %.80s (build with "
              "-gline-tables-only)%s%s",
              pattern.source, pattern.module && fault ? ": " : "",
              pattern.module && fault ? fault : "");
}

// Called if the module and the name match.
static tprt_status explainOffset(const Pattern &pattern,
                                 const FoundNames &names) {
  for (Module *m = modules; m; m = m->next) {
    Array<uint32_t> functions;
    if (!m->isCode || m->isInner || !mayMatch(pattern, m) ||
        !findAskedFunctions(pattern, names, m, functions))
      continue;
    for (uint32_t function : functions)
      if (const CodeExtent *extent = extentAt(m, function))
        return explainBoundary(m, m->origin + function + pattern.offset,
                               *extent, pattern.function);
  }
  if (pattern.function && isNameWithSleds(pattern))
    return explainSleds(pattern.function);
  return fail(TPRT_STATUS_NO_MATCH,
              "the instructions of %.80s can't be read: the function has "
              "sleds, or can't be decoded",
              pattern.function ? pattern.function : "what is selected");
}

// Adds one criterion after the other until no site is left. Long names are cut,
// because they must not crowd the reason out of the text.
tprt_status explainNothing(const Pattern &pattern, const FoundNames &names) {
  constexpr auto kStatus = TPRT_STATUS_NO_MATCH;
  uint32_t loaded =
      countSites(pattern.kinds & TPRT_KIND_SET_ALL || pattern.isPlaced
                     ? pattern.kinds | TPRT_KIND_SET_ALL
                     : pattern.kinds);
  constexpr uint32_t kInCode = TPRT_SELECT_CODE | TPRT_SELECT_PROFILERS;
  if (!loaded && !(pattern.flags & kInCode))
    return explainNoTable(pattern.kinds);
  // The modules that were not read. The pattern does not name them, or they do
  // not have the requested line or instruction.
  if (!loaded && !pattern.module && !pattern.isPlaced &&
      pattern.flags & TPRT_SELECT_CODE)
    return fail(
        kStatus,
        "none of the files of this process (%s) has a table of unwind entries, "
        "by which functions are found: link with -Wl,--eh-frame-hdr",
        program_invocation_short_name);
  Pattern part{};
  part.flags = pattern.flags & kInCode;
  part.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  part.sites = pattern.sites;
  part.site_count = pattern.site_count;
  if (part.sites && isEmpty(part, names))
    return fail(kStatus, part.site_count
                             ? "none of the sites listed is still loaded"
                             : "the list of sites is empty");
  part.module = pattern.module;
  if (part.module && isEmpty(part, names))
    return explainModule(part);
  part.function = pattern.function;
  if (pattern.address && pattern.isPlaced)
    return explainAddress(pattern);
  if (part.function && isEmpty(part, names))
    return explainName(pattern, loaded);
  if (pattern.isPlaced)
    return pattern.line ? explainLine(pattern) : explainOffset(pattern, names);
  part.address = pattern.address;
  if (part.address && isEmpty(part, names))
    return fail(kStatus, "%p is not a sled, and not a function with sleds",
                part.address);
  const char *function = part.function ? part.function : "what is selected";
  part.excluded = pattern.excluded;
  part.excludedCount = pattern.excludedCount;
  if (part.excludedCount && isEmpty(part, names))
    return fail(kStatus, "everything that matches %.80s is excluded", function);
  part.kinds = pattern.kinds;
  if (isEmpty(part, names))
    return explainKind(function, pattern.kinds, pattern.flags & kInCode);
  return fail(kStatus,
              "no line table places %.80s in the source file %.80s (build with "
              "-gline-tables-only%s)",
              function, pattern.source ? pattern.source : "",
              pattern.source && strchr(pattern.source, ':')
                  ? "; a line is a number from 1 on"
                  : "");
}

} // namespace tprt
