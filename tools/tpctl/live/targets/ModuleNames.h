// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The global variables of all modules that a process has loaded, as in
// libc!environ. One thread at a time.

#ifndef TPCTL_LIVE_TARGETS_MODULENAMES_H
#define TPCTL_LIVE_TARGETS_MODULENAMES_H

#include "types/Signatures.h"
#include <chrono>
#include <functional>
#include <map>
#include <sys/types.h>

namespace tpctl {

class ModuleNames : public expressions::Scope {
public:
  /// Opens a file: where this process finds it, and its name in messages.
  using Open = std::function<types::Binary &(const std::string &Path,
                                             const std::string &Shown)>;
  ModuleNames(pid_t Pid, Open Opens) : Pid(Pid), Opens(std::move(Opens)) {}

  // Names are `module!name` and `module!::name`. A module is named as in
  // patterns.
  std::optional<expressions::Type> findType(llvm::StringRef) const override {
    return std::nullopt;
  }
  std::optional<Global> findGlobal(llvm::StringRef Name) const override {
    return find(Name).Variable;
  }
  std::optional<std::pair<expressions::Type, uint64_t>>
  findConstant(llvm::StringRef Name) const override {
    return find(Name).Constant;
  }
  std::string whyNoGlobal(llvm::StringRef Name) const override {
    return find(Name).Why;
  }

private:
  struct Module {
    std::string Path; ///< as the process sees it
    uint64_t Base;    ///< where it has the file's address 0
    bool IsReplaced;  ///< the path has no file any more, or another one
  };
  struct Found {
    std::optional<Global> Variable;
    std::optional<std::pair<expressions::Type, uint64_t>> Constant;
    std::string Why; ///< if there is neither
  };
  using Clock = std::chrono::steady_clock;
  void readModules() const;
  const Found &find(llvm::StringRef Name) const;
  Found findNow(llvm::StringRef Name) const;
  Found findIn(const Module &, llvm::StringRef Name) const;
  std::optional<uint64_t> copyOf(const Module &, uint64_t Address) const;
  std::string seen(const Module &) const;

  pid_t Pid;
  Open Opens;
  mutable std::vector<Module> Modules;
  mutable Clock::time_point LastRead;
  mutable std::map<std::string, Found, std::less<>> Known;
};

} // namespace tpctl

#endif
