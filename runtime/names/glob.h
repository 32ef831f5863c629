// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Globs, which compare bytes: `*`, `?`, `[a-z]`, `[!a]`, `{one,two}`, and a
// backslash before a character that is itself. No state, no lock.
#ifndef TPRT_NAMES_GLOB_H
#define TPRT_NAMES_GLOB_H

namespace tprt {

// Matches the whole text. A `[` that meets one in the text is that character,
// as in operator[] and int [3]. Elsewhere it begins a class, if a `]` ends it.
// Braces, commas and backslashes of a name match themselves, too. Braces may
// nest; a comma inside ( ) or < > is part of an alternative. In a pattern of
// more than 4095 bytes, all of these are only themselves.
bool globMatches(const char *pattern, const char *text);
// Whether a text has characters of globs.
bool isGlob(const char *text);

} // namespace tprt

#endif
