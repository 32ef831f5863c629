// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns for names and paths, in the shell's notation. The functions have no
// state and acquire no lock.
#ifndef TPRT_NAMES_PATH_GLOB_H
#define TPRT_NAMES_PATH_GLOB_H

#include "names/glob.h"

#include <stddef.h>
#include <string.h>

namespace tprt {

// Matches the pattern against a path, the path's last part, or the name of a
// library without .so and version: libc stands for libc.so.6.
bool globMatchesPath(const char *pattern, const char *path);
const char *fileNameOf(const char *path);
// Returns nullptr, or the pattern's fault.
const char *globFault(const char *pattern);

// The pattern after the prefix "point:", or the whole pattern if it has no such
// prefix. In TPRT_OPTIONS, a pattern with "point:" selects only points.
inline const char *afterPointPrefix(const char *pattern) {
  static constexpr char kPrefix[] = "point:";
  constexpr size_t kLength = sizeof kPrefix - 1;
  return strncmp(pattern, kPrefix, kLength) == 0 ? pattern + kLength : pattern;
}

} // namespace tprt

#endif
