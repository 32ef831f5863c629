// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See path_glob.h. The functions have no state and acquire no lock.
#include "names/path_glob.h"

namespace tprt {

const char *globFault(const char *pattern) {
  if (!*pattern)
    return "is empty";
  for (const char *p = pattern; (p = strchr(p, '[')); ++p)
    if ((p == pattern || p[-1] != '\\') && !(p = strchr(p, ']')))
      return "has a '[' without its ']'";
  return nullptr;
}

const char *fileNameOf(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The length of a library's name before ".so" and the version: that of libc in
// libc.so.6. Returns 0 if it is not the name of a library.
static size_t lengthOfStem(const char *file) {
  static constexpr char kEnding[] = ".so";
  constexpr size_t kLength = sizeof kEnding - 1;
  for (const char *at = file; (at = strstr(at, kEnding)); at += kLength)
    if (!at[kLength] || at[kLength] == '.')
      return static_cast<size_t>(at - file);
  return 0;
}

bool globMatchesPath(const char *pattern, const char *path) {
  const char *file = fileNameOf(path);
  if (globMatches(pattern, path) || globMatches(pattern, file))
    return true;
  char stem[256]; // NAME_MAX of Linux, and a NUL
  const size_t length = lengthOfStem(file);
  if (!length || length >= sizeof stem)
    return false;
  memcpy(stem, file, length);
  stem[length] = 0;
  return globMatches(pattern, stem);
}

} // namespace tprt
