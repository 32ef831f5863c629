// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps modules loaded, and finds the program's path; see base/os_loader.h. Any
// thread calls it, except in hits.
#include "base/os_loader.h"
#include "os/linux/clibrary.h"
#include "os/linux/proc_self.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

// musl does not declare this variable, and a static program does not have it.
extern struct r_debug _r_debug __attribute__((weak));

namespace tprt {

void programPath(char *path, size_t bytes) {
  ssize_t length = readOwnLink("exe", path, bytes - 1);
  if (length > 0) {
    path[length] = 0;
    return;
  }
  // Without /proc, the name from the call of execve is used.
  const auto *name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  snprintf(path, bytes, "%s", name ? name : "/proc/self/exe");
}

// If the loader was started with the program as an argument, AT_BASE is 0. In
// that case, the loader's address is known only from its data for debuggers
// (link.h).
bool isSystemsOwn(uint64_t base) {
  return base &&
         (base == getauxval(AT_BASE) || base == getauxval(AT_SYSINFO_EHDR) ||
          (&_r_debug && base == _r_debug.r_ldbase));
}

bool canUnload() {
#ifndef __GLIBC__
  return false; // musl's dlclose() leaves modules in place
#elif defined(TPRT_OWN_NAMES)
  return hasLoader();
#else
  return true; // no static program is built with a sanitizer
#endif
}

// The loader compares the name with the names of the loaded modules before it
// searches for a file. So the module is found even if its file was moved,
// replaced or removed, or if the path is relative and the program has changed
// its working directory. The base address shows whether the right module was
// found.
void *pinLoaded(const char *name, uint64_t base) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  link_map *map = nullptr;
  if (!handle) {
    dlerror(); // discards the error, so that the program does not see it
  } else if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 ||
             map->l_addr != base) {
    dlclose(handle);
    handle = nullptr;
  }
  return handle;
}

void unpinLoaded(void *handle) { dlclose(handle); }

} // namespace tprt
