// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Processes.h.

#include "Processes.h"

#include <fstream>

using namespace llvm;

namespace tpctl {

std::string statusField(pid_t Pid, StringRef Name) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/status");
  for (std::string Line; std::getline(In, Line);) {
    auto [Field, Value] = StringRef(Line).split(':');
    if (Field == Name)
      return Value.trim().str();
  }
  return {};
}

char stateOf(pid_t Pid) {
  std::string State = statusField(Pid, "State");
  return State.empty() ? 0 : State[0];
}

} // namespace tpctl
