// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by source file; see lines.h. Called under the lock.
#include "core/lines.h"
#include "core/elffile.h"
#include "core/glob.h"
#include "core/linetable.h"
#include "core/symbols.h"

#include <string.h>

namespace tprt {

namespace {
struct Marker : LineVisitor {
  Module *module;
  const char *pattern;
  Array<uint8_t> &marks;
};
} // namespace

// Whether the text behind one of the path's slashes matches the pattern.
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

const char *markSource(Module *module, const char *pattern,
                       Array<uint8_t> &marks) {
  Marker marker{{wants, mark}, module, pattern, marks};
  return readLineTable(module, marker);
}

} // namespace tprt
