// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic loader's references to modules; see core/os.h. Any thread.
#include "core/os.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

// Weak: a static program need not have a loader, and the linker would warn.
#pragma weak dlopen
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dlinfo

namespace tprt {

void programPath(char *path, size_t bytes) {
  ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
  if (length > 0) {
    path[length] = 0;
    return;
  }
  // Without /proc: as it was given to execve.
  const auto *name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  snprintf(path, bytes, "%s", name ? name : "/proc/self/exe");
}

bool canUnload() { return dlopen; }

// The loader compares the name with those of what is loaded, before it looks
// for a file: so the module is found though its file was moved, replaced or
// removed, or the path is relative and the folder was changed. The base tells
// whether it is the right one all the same.
void *pinLoaded(const char *name, uint64_t base) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  link_map *map = nullptr;
  if (!handle) {
    dlerror(); // ours, not the program's
  } else if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 ||
             map->l_addr != base) {
    dlclose(handle);
    handle = nullptr;
  }
  return handle;
}

void unpinLoaded(void *handle) { dlclose(handle); }

} // namespace tprt
