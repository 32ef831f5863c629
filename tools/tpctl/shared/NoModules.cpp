// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tpctl contains the C library (tools/CMakeLists.txt). A module that it loaded
// would need the machine's own C library, and the process would have two. The
// libraries in tpctl load modules in two cases, in none of which tpctl needs
// one: LLVM looks up the user of a path that begins with ~, which the shell has
// replaced already; SQLite loads an extension if a query says so.

#include <pwd.h>

extern "C" {
int getpwnam_r(const char *, struct passwd *, char *, size_t,
               struct passwd **Found) {
  *Found = nullptr; // no such user
  return 0;
}

int getpwuid_r(uid_t, struct passwd *, char *, size_t, struct passwd **Found) {
  *Found = nullptr;
  return 0;
}

void *dlopen(const char *, int) { return nullptr; }
void *dlsym(void *, const char *) { return nullptr; }
int dlclose(void *) { return -1; }
char *dlerror() {
  static char Text[] = "tpctl loads no modules";
  return Text;
}
}
