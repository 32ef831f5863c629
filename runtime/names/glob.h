// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Globs, which compare bytes: `*`, `?`, `[a-z]` and `[!a]`, without escapes. No
// state, no lock.
#ifndef TPRT_NAMES_GLOB_H
#define TPRT_NAMES_GLOB_H

namespace tprt {

// Matches the whole text. A `[` that meets one in the text is that character,
// as in operator[] and int [3]. Elsewhere it begins a class, if a `]` ends it.
bool globMatches(const char *pattern, const char *text);
// Whether a text has characters of globs.
bool isGlob(const char *text);

} // namespace tprt

#endif
