// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens a library in the folder of this library; see base/os_loader.h. Called
// without the lock.
#include "base/os_loader.h"

#include <dlfcn.h>
#include <string.h>

namespace tprt {

// Writes the path of a file in the folder of this library. If this library was
// loaded by a name without a folder, the path also has no folder, and the
// loader searches for the file. Returns false if the path is too long.
static bool writePath(const char *file, char (&path)[4096]) {
  Dl_info own;
  if (!dladdr(reinterpret_cast<const void *>(writePath), &own))
    own.dli_fname = "";
  const char *slash = strrchr(own.dli_fname, '/');
  auto folder = static_cast<size_t>(slash ? slash + 1 - own.dli_fname : 0);
  size_t length = strlen(file) + 1;
  if (folder + length > sizeof path)
    return false;
  memcpy(path, own.dli_fname, folder);
  memcpy(path + folder, file, length);
  return true;
}

void *symbolInOwnFolder(const char *file, const char *symbol,
                        const char **fault) {
  char path[4096];
  void *library = writePath(file, path)
                      ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                      : nullptr;
  void *found = library ? dlsym(library, symbol) : nullptr;
  if (found)
    return found;
  const char *reason = dlerror();
  *fault = reason ? reason : "the path of libtprt.so is too long";
  return nullptr;
}

} // namespace tprt
