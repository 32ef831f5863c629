// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports a clang of another version. Such a clang lays out the base classes of
// our classes differently, so any further code would crash. The check runs
// before every other initialiser of this library, on the compiler's main
// thread.

#include "clang/Basic/Version.h"
#include "llvm/Config/llvm-config.h"
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

#define TP_STRING2(X) #X
#define TP_STRING(X) TP_STRING2(X)

__attribute__((constructor(101))) static void checkVersion() {
  static const char Wanted[] =
      "clang version " TP_STRING(LLVM_VERSION_MAJOR) ".";
  std::string Host = clang::getClangFullVersion();
  if (Host.find(Wanted) != std::string::npos)
    return;
  std::fprintf(stderr,
               "error: tp: this plugin is built for clang %d, but was loaded "
               "into '%s'; use clang-%d, the only version that tp is for\n",
               LLVM_VERSION_MAJOR, Host.c_str(), LLVM_VERSION_MAJOR);
  std::fflush(stderr);
  _exit(1);
}
