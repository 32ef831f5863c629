// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the runtime's pattern from a user's selector: checks the selector for
// faults, and copies its strings. Attach and visit call these functions, on any
// thread; see selector.h for the functions that need the lock.
#include "select/selector.h"
#include "base/small_alloc.h"
#include "modules/sled_table.h"
#include "names/path_glob.h"
#include "select/select.h"

#include <elf.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

namespace tprt {

// --- single instructions ----------------------------------------------------

// strtoull() alone also accepts leading spaces and signs.
static bool readNumber(const char *text, uint64_t &value) {
  bool isHex = text[0] == '0' && (text[1] | 0x20) == 'x';
  char first = isHex ? text[2] : text[0],
       letter = static_cast<char>(first | 0x20);
  bool isDigit = first >= '0' && first <= '9';
  if (!isDigit && !(isHex && letter >= 'a' && letter <= 'f'))
    return false;
  char *end;
  errno = 0;
  value = strtoull(text, &end, isHex ? 16 : 10);
  return !*end && !errno;
}

// The '+' before an offset, or nullptr. The name of an operator may also end in
// a '+', and in "+*" the '*' is a glob.
static const char *offsetIn(const char *function, uint64_t &offset,
                            bool &isEvery) {
  const char *plus = strrchr(function, '+');
  constexpr size_t kWord = sizeof "operator" - 1;
  if (!plus || plus == function)
    return nullptr;
  isEvery = strcmp(plus, "+*") == 0;
  bool isOperator = plus - function >= static_cast<ptrdiff_t>(kWord) &&
                    memcmp(plus - kWord, "operator", kWord) == 0;
  if (isEvery ? isOperator : !readNumber(plus + 1, offset))
    return nullptr;
  return plus;
}

// The ':' before a line's number, or nullptr.
static const char *lineIn(const char *source, uint32_t &line) {
  const char *colon = strrchr(source, ':');
  uint64_t number;
  if (!colon || colon == source || colon[1] == '0' ||
      !readNumber(colon + 1, number) || number > UINT32_MAX)
    return nullptr;
  line = static_cast<uint32_t>(number);
  return colon;
}

const void *addressIn(const tprt_selector *selector) {
  const char *function = selector->function;
  uint64_t address;
  if (selector->address || !function)
    return selector->address;
  const char *bang = splitAtModule(function);
  const char *name = bang ? bang + 1 : function;
  return name[0] == '0' && (name[1] | 0x20) == 'x' && readNumber(name, address)
             ? reinterpret_cast<const void *>(address)
             : nullptr;
}

bool asksForInstructions(const tprt_selector *selector) {
  uint64_t offset;
  uint32_t line;
  bool isEvery;
  return selector->kinds & TPRT_KIND_SET_INSTRUCTION ||
         (selector->function &&
          (offsetIn(selector->function, offset, isEvery) ||
           addressIn(selector) != selector->address)) ||
         (selector->source && lineIn(selector->source, line));
}

// Reads the part of the pattern that names an instruction, and removes that
// part from the texts.
static void readPlace(Pattern &out) {
  out.isPlaced = asksForInstructions(&out) && !out.sites;
  if (!out.isPlaced)
    return;
  out.kinds = TPRT_KIND_SET_INSTRUCTION;
  if (const void *address = addressIn(&out)) {
    out.address = address;
    out.function = nullptr;
  }
  bool isEvery;
  if (const char *plus = out.function
                             ? offsetIn(out.function, out.offset, isEvery)
                             : nullptr) {
    out.text[plus - out.text] = 0;
    out.hasOffset = !isEvery;
  }
  if (const char *colon = out.source ? lineIn(out.source, out.line) : nullptr)
    out.text[colon - out.text] = 0;
}

static constexpr const char *tprt_selector::*kTexts[] = {
    &tprt_selector::function, &tprt_selector::module, &tprt_selector::source};

const char *selectorFault(const tprt_selector *selector) {
  if (!selector)
    return nullptr;
  if (!selector->sites && selector->site_count)
    return "has a count of sites but no list of them";
  for (size_t i = 0; selector->sites && i < selector->site_count; ++i)
    if (!mayBeSite(selector->sites[i]))
      return "lists something that is not a site";
  if (selector->flags &
      ~(TPRT_SELECT_ALL_FLAGS | kSelectWithoutExcluded | kSelectLoneTests))
    return "has an unknown flag";
  if (selector->kinds & ~uint32_t{TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT |
                                  TPRT_KIND_SET_INSTRUCTION})
    return "has an unknown kind";
  if (asksForInstructions(selector) && !selector->sites) {
    constexpr uint32_t kOthers = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
    if (selector->kinds & TPRT_KIND_SET_INSTRUCTION
            ? selector->kinds & kOthers
            : selector->kinds & TPRT_KIND_SET_EXIT)
      return "selects an instruction as well as entries or exits, whose times "
             "are measured, but an instruction has none: select them "
             "separately";
    if (!(selector->flags & TPRT_SELECT_CODE))
      return "selects an instruction, for which it needs TPRT_SELECT_CODE "
             "(tpctl: --code)";
    if (selector->point)
      return "names a point and an instruction";
  }
  if (selector->point && selector->function)
    return "names a point and a function";
  if (selector->function) {
    const char *bang = splitAtModule(selector->function);
    if (bang && selector->module)
      return "names a module twice, in `module` and before the '!'";
    if (bang && (bang == selector->function || !bang[1]))
      return "has nothing before or after its '!': write module!function";
  }
  for (auto text : kTexts)
    if (const char *fault =
            selector->*text ? globFault(selector->*text) : nullptr)
      return fault;
  return nullptr;
}

const char *nameOfPoint(const void *point) {
  // struct tprt_point of tprt/trace.h.
  constexpr size_t kVersionAt = 2, kNameAt = 32, kNameBytes = 64;
  const auto *bytes = static_cast<const char *>(point);
  uint16_t version;
  bool known = false;
  for (const Module *m = modules; m && !known; m = m->next)
    known = m->loaded && hasPoint(m, point);
  if (!known)
    return nullptr;
  memcpy(&version, bytes + kVersionAt, sizeof version);
  const char *name = bytes + kNameAt;
  return version == 1 && *name && memchr(name, 0, kNameBytes) ? name : nullptr;
}

bool hasPoint(const Module *module, const void *point) {
  constexpr size_t kBytes = 96;
  return inSegment(module->segments, reinterpret_cast<uint64_t>(point), kBytes,
                   PF_R);
}

bool readSelector(const tprt_selector *selector, Pattern &out) {
  static constexpr tprt_selector kAll{{}, {}, {}, {}, {}, TPRT_KIND_SET_ALL,
                                      {}, {}, {}};
  static_cast<tprt_selector &>(out) = selector ? *selector : kAll;
  if (!out.kinds)
    out.kinds = out.point ? TPRT_KIND_SET_POINT : TPRT_KIND_SET_ENTRY;
  if (out.flags & kSelectLoneTests)
    out.kinds |= 1u << kLoneTest;
  if (out.point) {
    const char *name = nameOfPoint(out.point);
    out.function = name ? name : ""; // "" if its module was unloaded meanwhile
  }
  if (out.flags & kSelectWithoutExcluded) {
    out.excluded = excludedNames;
    out.excludedCount = excludedCount;
  }
  for (auto text : kTexts)
    out.textBytes += out.*text ? strlen(out.*text) + 1 : 0;
  if (!out.textBytes) {
    readPlace(out);
    return true;
  }
  out.text = static_cast<char *>(allocateSmall(out.textBytes));
  if (!out.text)
    return false;
  char *end = out.text;
  for (auto text : kTexts)
    if (const char *given = out.*text) {
      out.*text = end;
      end = stpcpy(end, given) + 1;
    }
  if (const char *bang = out.function ? splitAtModule(out.function) : nullptr) {
    out.text[bang - out.text] = 0;
    out.module = out.function;
    out.function = bang + 1;
  }
  readPlace(out);
  return true;
}

bool copyPattern(const Pattern &pattern, Pattern &out) {
  out = pattern;
  if (!pattern.text)
    return true;
  out.text = static_cast<char *>(allocateSmall(pattern.textBytes));
  if (!out.text)
    return false;
  memcpy(out.text, pattern.text, pattern.textBytes);
  for (auto text : kTexts)
    if (pattern.*text)
      out.*text = out.text + (pattern.*text - pattern.text);
  return true;
}

void freePattern(Pattern &pattern) {
  if (pattern.text)
    freeSmall(pattern.text, pattern.textBytes);
  pattern = Pattern{};
}

bool isByName(const Pattern &pattern) {
  return pattern.function && strcmp(pattern.function, "*") != 0;
}

bool asksForNames(const Pattern &pattern) {
  return isByName(pattern) || pattern.excludedCount;
}

const char *excludedOf(const char *excluded, const Module *module) {
  excluded = afterPointPrefix(excluded);
  const char *bang = splitAtModule(excluded);
  if (!bang)
    return excluded;
  char name[256];
  auto length = static_cast<size_t>(bang - excluded);
  if (length >= sizeof name)
    return nullptr;
  memcpy(name, excluded, length);
  name[length] = 0;
  return globMatchesPath(name, module->path) ? bang + 1 : nullptr;
}

bool isForPointsAlone(const char *excluded) {
  return afterPointPrefix(excluded) != excluded;
}

} // namespace tprt
