// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Globs, which are compared bytewise: `*`, `?`, `[a-z]`, `[!a]`, `{one,two}`,
// and a backslash before a literal character. The functions have no state and
// acquire no lock.
#ifndef TPRT_NAMES_GLOB_H
#define TPRT_NAMES_GLOB_H

namespace tprt {

// Matches the whole text. If a `[` is compared with a `[` of the text, it
// matches that character, as in operator[] and int [3]. Otherwise it begins a
// class if there is a `]`. Braces, commas and backslashes of a name also match
// themselves. Braces may nest; a comma inside ( ) or < > is part of an
// alternative. In a pattern of more than 4095 bytes, these characters match
// only themselves.
bool globMatches(const char *pattern, const char *text);
// The same without alternatives and escapes: `{`, `,` and a backslash are
// characters like others. Needs little stack. The time is at most proportional
// to the pattern's length, times the square of the text's. Async-signal-safe.
bool plainGlobMatches(const char *pattern, const char *text);
// The same for the beginning of a longer text. `isCertain`: the result is that
// of any such text.
bool plainGlobMatchesBeginning(const char *pattern, const char *beginning,
                               bool &isCertain);
// Whether a text contains a glob's special characters.
bool isGlob(const char *text);

} // namespace tprt

#endif
