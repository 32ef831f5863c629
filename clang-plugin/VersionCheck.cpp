// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports a clang of another version. Such a clang lays out the base classes of
// our classes differently, so any further code would crash. The check runs
// before every other initialiser of this library, on the compiler's main
// thread.

#include "HostCheck.h"

#include "clang/Basic/Version.h"
#include "llvm/Config/llvm-config.h"
#include <cstdlib>
#include <string>

__attribute__((constructor(101))) static void checkVersion() {
  static const std::string Before = "clang version ";
  std::string Host = clang::getClangFullVersion();
  size_t At = Host.find(Before);
  int Major = At == std::string::npos
                  ? 0
                  : std::atoi(Host.c_str() + At + Before.size());
  if (Major != LLVM_VERSION_MAJOR)
    tp_refuse_host(Major, Host.c_str());
}
