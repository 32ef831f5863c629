// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors: from names, globs, modules, addresses and lists to site indexes.
// Under the lock.
#include "core/sites.h"

#include <stdlib.h>
#include <string.h>

// Present where the program has a C++ runtime; then C++ names match as written.
extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *) __attribute__((weak));

namespace tprt {

static bool nameMatches(const char *pattern, bool glob, const char *name) {
  return glob ? globMatches(pattern, name) : strcmp(pattern, name) == 0;
}

// A linked name against a pattern; a C++ name also demangled, with and without
// its parameters.
static bool symbolMatches(const char *pattern, bool glob, const char *name) {
  if (nameMatches(pattern, glob, name))
    return true;
  if (name[0] != '_' || name[1] != 'Z' || !__cxa_demangle)
    return false;
  int status = 0;
  char *plain = __cxa_demangle(name, nullptr, nullptr, &status);
  bool matches = plain && nameMatches(pattern, glob, plain);
  if (plain && !matches) {
    if (char *parameters = strchr(plain, '(')) {
      *parameters = 0;
      matches = parameters != plain && nameMatches(pattern, glob, plain);
    }
  }
  free(plain);
  return matches;
}

static bool moduleMatches(const char *pattern, const Module *module) {
  if (!pattern)
    return true;
  const char *slash = strrchr(module->path, '/');
  bool glob = isGlob(pattern);
  return nameMatches(pattern, glob, module->path) || nameMatches(pattern, glob, slash ? slash + 1 : module->path);
}

static bool siteMatches(const tprt_selector &selector, const tprt_site &site) {
  if (selector.events && !(selector.events & 1u << TPRT_RECORD_EVENT(site.record.kind)))
    return false;
  return !selector.address || selector.address == site.sled || selector.address == site.function;
}

static bool selectByName(const tprt_selector &selector, Module *module, Array<uint32_t> &out) {
  readSymbols(module);
  Array<uint8_t> marks;
  if (!marks.resize(module->siteCount))
    return false;
  bool glob = isGlob(selector.function);
  for (const Module::Symbol &symbol : module->symbols) {
    if (marks[module->byFunction[symbol.order] - module->firstSite])
      continue; // another name of it has matched
    if (!symbolMatches(selector.function, glob, module->strings + symbol.name))
      continue;
    const uint8_t *function = sites[module->byFunction[symbol.order]].function;
    for (uint32_t i = symbol.order; i < module->siteCount; ++i) {
      if (sites[module->byFunction[i]].function != function)
        break;
      marks[module->byFunction[i] - module->firstSite] = 1;
    }
  }
  for (uint32_t i = 0; i < module->siteCount; ++i)
    if (marks[i] && siteMatches(selector, sites[module->firstSite + i]) && !out.push(module->firstSite + i))
      return false;
  return true;
}

static bool selectFromModule(const tprt_selector &selector, Module *module, Array<uint32_t> &out) {
  // "*" is everything, with a name or without.
  if (selector.function && strcmp(selector.function, "*") != 0)
    return selectByName(selector, module, out);
  for (uint32_t i = 0; i < module->siteCount; ++i)
    if (siteMatches(selector, sites[module->firstSite + i]) && !out.push(module->firstSite + i))
      return false;
  return true;
}

static bool selectFromList(const tprt_selector &selector, Array<uint32_t> &out) {
  for (size_t i = 0; i < selector.site_count; ++i) {
    const tprt_site *site = selector.sites[i];
    if (site < sites || site >= sites + siteCount || !site->module || !site->module->loaded)
      continue;
    if (siteMatches(selector, *site) && moduleMatches(selector.module, site->module) && !out.push(indexOf(site)))
      return false;
  }
  // Each site once, however often it was listed.
  sortIfNeeded(out.begin(), out.size(), [](uint32_t a, uint32_t b) { return a < b; });
  size_t kept = 0;
  for (size_t i = 0; i < out.size(); ++i)
    if (i == 0 || out[i] != out[kept - 1])
      out[kept++] = out[i];
  return out.resize(kept);
}

bool selectSites(const tprt_selector *selector, Array<uint32_t> &out) {
  static const tprt_selector all{};
  const tprt_selector &wanted = selector ? *selector : all;
  if (wanted.sites)
    return selectFromList(wanted, out);
  for (Module *m = modules; m; m = m->next)
    if (m->loaded && !m->fault && moduleMatches(wanted.module, m) && !selectFromModule(wanted, m, out))
      return false;
  return true;
}

} // namespace tprt
