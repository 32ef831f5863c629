// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by source file; see source_lines.h. Called under the lock.
#include "elf/source_lines.h"
#include "elf/debug_line.h"
#include "elf/elf_file.h"
#include "elf/symbols.h"
#include "names/path_glob.h"

#include <string.h>

namespace tprt {

namespace {
struct Marker : LineVisitor {
  Module *module;
  const char *pattern;
  Array<uint8_t> &marks;
};
} // namespace

// Whether the text after one of the path's slashes matches the pattern.
static bool wants(LineVisitor &visitor, const char *path) {
  while ((path = strchr(path, '/')))
    if (globMatches(static_cast<Marker &>(visitor).pattern, ++path))
      return true;
  return false;
}

bool sourceMatches(const char *pattern, const char *path) {
  while (!globMatches(pattern, path)) {
    path = strchr(path, '/');
    if (!path++)
      return false;
  }
  return true;
}

static void mark(LineVisitor &visitor, const LineReader &, uint64_t from,
                 uint64_t to, uint32_t) {
  auto &marker = static_cast<Marker &>(visitor);
  const Module *module = marker.module;
  uint32_t end = functionFrom(module, module->base + to);
  for (uint32_t i = functionFrom(module, module->base + from); i < end; ++i)
    marker.marks[module->byFunction[i] - module->firstSite] |= kInSource;
}

namespace {
// Finds one line.
struct Finder : Marker {
  uint32_t line;
  Array<uint64_t> &out;
  uint32_t *nearest;
};
} // namespace

static uint32_t distance(uint32_t a, uint32_t b) {
  return a < b ? b - a : a - b;
}

// Keeps the lowest address of each function, because the line of a loop has
// several. The pieces of one function are reported in order of address.
static void find(LineVisitor &visitor, const LineReader &, uint64_t from,
                 uint64_t, uint32_t line) {
  auto &finder = static_cast<Finder &>(visitor);
  const Module *module = finder.module;
  if (line != finder.line) {
    if (line &&
        (!*finder.nearest ||
         distance(line, finder.line) < distance(*finder.nearest, finder.line)))
      *finder.nearest = line;
    return;
  }
  from += module->base;
  uint32_t function = functionFrom(module, from + 1);
  for (uint64_t &known : finder.out)
    if (functionFrom(module, known + 1) == function) {
      known = from < known ? from : known;
      return;
    }
  finder.out.push(from); // no memory: the address is omitted
}

const char *findLine(Module *outer, const char *source, uint32_t line,
                     Array<uint64_t> &out, uint32_t *nearest) {
  *nearest = 0;
  Array<uint8_t> none;
  Finder finder{{{wants, find}, outer, source, none}, line, out, nearest};
  return readLineTable(outer, finder);
}

const char *markSource(Module *module, const char *pattern,
                       Array<uint8_t> &marks) {
  Marker marker{{wants, mark}, module, pattern, marks};
  return readLineTable(module, marker);
}

} // namespace tprt
