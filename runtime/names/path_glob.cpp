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

bool globMatchesPath(const char *pattern, const char *path) {
  return globMatches(pattern, path) || globMatches(pattern, fileNameOf(path));
}

} // namespace tprt
