// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns for names and paths, in the shell's notation. No state, no lock.
#ifndef TPRT_CORE_GLOB_H
#define TPRT_CORE_GLOB_H

namespace tprt {

// Matches the whole text, with `*`, `?`, `[a-z]` and `[!a]`; there are no
// escapes.
bool globMatches(const char *pattern, const char *text);
// Matches the pattern against a path or the path's last part.
bool globMatchesPath(const char *pattern, const char *path);
const char *fileNameOf(const char *path);
// nullptr, or what is wrong with the pattern.
const char *globFault(const char *pattern);

} // namespace tprt

#endif
