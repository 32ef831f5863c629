// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of names and paths, as a shell writes them. No state, no lock.
#ifndef TPRT_CORE_GLOB_H
#define TPRT_CORE_GLOB_H

namespace tprt {

// Shell-style match: `*`, `?`, `[a-z]`, `[!a]`; no escapes. Whole string.
bool globMatches(const char *pattern, const char *text);
// The pattern against a path or its last part.
bool globMatchesPath(const char *pattern, const char *path);
const char *fileNameOf(const char *path);
// nullptr, or what is wrong with the pattern.
const char *globFault(const char *pattern);

} // namespace tprt

#endif
