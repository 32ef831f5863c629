// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Diagnostics.h.

#include "Diagnostics.h"

#include <cstdio>
#include <cstdlib>

static std::string ProgramName = "tp-clang";

void tp::setProgramName(const std::string &Name) { ProgramName = Name; }

void tp::fail(const std::string &Message) {
  std::fprintf(stderr, "%s: error: %s\n", ProgramName.c_str(), Message.c_str());
  std::exit(1);
}

void tp::warn(const std::string &Message) {
  std::fprintf(stderr, "%s: warning: %s\n", ProgramName.c_str(),
               Message.c_str());
}
